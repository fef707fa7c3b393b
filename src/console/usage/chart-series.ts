/** The sums of an overview as bars and lines: each figure at its time, and a gap where nothing was measured. */

import type { BucketView, OverviewView } from '../../admin/contracts/analytics-contract.ts';
import type { Span } from '../charts/buckets.ts';
import type { Series } from '../charts/chart-data.ts';

interface OverviewSeries {
  readonly timesS: readonly number[];
  readonly requests: readonly Series[];
  /** In USD. */
  readonly spend: readonly Series[];
  /** In milliseconds. */
  readonly firstToken: readonly Series[];
  readonly total: readonly Series[];
}

interface SeriesNames {
  readonly succeeded: string;
  readonly failed: string;
  readonly spent: string;
  readonly p50: string;
  readonly p95: string;
}

/** The same colours for the same figures, whatever the language calls them. */
const colours = { calm: 1, alarming: 5, rare: 2 } as const;
const nanoPerUsd = 1e9;

/** A chart's height has no use for the digits that a sum of money must keep. */
export const usdOf = (nano: string | null): number | undefined =>
  nano === null ? undefined : Number(nano) / nanoPerUsd;

export const timesOf = (starts: readonly string[]): readonly number[] => starts.map((at) => Date.parse(at) / 1_000);

export const countedOf = ({ from, to }: Pick<OverviewView, 'from' | 'to'>): Span => ({
  fromS: Date.parse(from) / 1_000,
  toS: Date.parse(to) / 1_000,
});

export function overviewSeries({ buckets }: Pick<OverviewView, 'buckets'>, names: SeriesNames): OverviewSeries {
  const line = (name: string, colour: number, value: (bucket: BucketView) => number | undefined): Series => ({
    name,
    colour,
    values: buckets.map(value),
  });
  return {
    timesS: timesOf(buckets.map(({ at }) => at)),
    requests: [
      line(names.succeeded, colours.calm, ({ requests, failures }) => requests - failures),
      line(names.failed, colours.alarming, ({ failures }) => failures),
    ],
    spend: [line(names.spent, colours.calm, ({ costNano }) => usdOf(costNano))],
    firstToken: [
      line(names.p50, colours.calm, ({ firstEventP50Ms }) => firstEventP50Ms),
      line(names.p95, colours.rare, ({ firstEventP95Ms }) => firstEventP95Ms),
    ],
    total: [
      line(names.p50, colours.calm, ({ totalP50Ms }) => totalP50Ms),
      line(names.p95, colours.rare, ({ totalP95Ms }) => totalP95Ms),
    ],
  };
}

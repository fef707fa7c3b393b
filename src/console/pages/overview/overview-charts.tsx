/** Requests, spend and times over the range, under one crosshair. */

import { useMemo } from 'react';
import type { OverviewView } from '../../../admin/contracts/analytics-contract.ts';
import { Chart } from '../../charts/chart.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { moneyText } from '../../texts/money.ts';
import { countText, shortCountText } from '../../texts/number.ts';
import { durationText } from '../../texts/time.ts';
import type { Words } from '../../words/en.ts';
import { useSpeech } from '../../words/use-words.tsx';
import { overviewSeries } from './chart-series.ts';

const together = 'overview';
const heightPx = 180;
const nanoPerUsd = 1e9;
const wholeDigitsMax = 10_000;
const secondMs = 1_000;
const shortMs = 10 * secondMs;

export function OverviewCharts({ overview }: { readonly overview: OverviewView | undefined }) {
  const { tag, words } = useSpeech();
  const { charts } = words.overview;
  // Asked again, an answer differs at least in its end; charts are drawn anew only where their own figures do.
  const buckets = overview?.buckets;
  const series = useMemo(
    () => (buckets === undefined ? undefined : overviewSeries({ buckets }, words.overview)),
    [buckets, words],
  );
  const formats = useMemo(
    () => ({
      // The axis may ask for halves, and there is no half request.
      count: (value: number) =>
        Number.isInteger(value) ? (value < wholeDigitsMax ? countText : shortCountText)(value, tag) : '',
      money: (value: number) => moneyText(BigInt(Math.round(value * nanoPerUsd)), tag),
      duration: (value: number) => axisDuration(value, tag, words.units),
    }),
    [tag, words],
  );
  if (series === undefined) return <ChartPlaces titles={Object.values(charts)} />;
  const { timesS } = series;
  const shape = { timesS, together, heightPx };
  return (
    <div className="grid min-w-0 gap-4 lg:grid-cols-2">
      <Chart {...shape} kind="stack" title={charts.requests} series={series.requests} format={formats.count} />
      <Chart {...shape} kind="stack" title={charts.spend} series={series.spend} format={formats.money} />
      <Chart {...shape} title={charts.firstToken} series={series.firstToken} format={formats.duration} />
      <Chart {...shape} title={charts.total} series={series.total} format={formats.duration} />
    </div>
  );
}

/** An axis has round steps, of which people need no more digits than they have. */
function axisDuration(ms: number, tag: string, units: Words['units']): string {
  if (ms >= shortMs) return durationText(ms, tag, units);
  const [value, unit, decimals] = ms < secondMs ? [ms, units.ms, ms < 10 ? 1 : 0] : [ms / secondMs, units.s, 2];
  return `${new Intl.NumberFormat(tag, { maximumFractionDigits: decimals }).format(value)} ${unit}`;
}

/** As high as what comes, so that nothing moves when it does. */
function ChartPlaces({ titles }: { readonly titles: readonly string[] }) {
  return (
    <div className="grid min-w-0 gap-4 lg:grid-cols-2">
      {titles.map((title) => (
        <div key={title} className="grid gap-3 rounded-md border border-line bg-raised p-4">
          <div className="grid h-10 content-start gap-1">
            <span className="font-semibold">{title}</span>
          </div>
          <Skeleton className="h-[180px] w-full" />
        </div>
      ))}
    </div>
  );
}

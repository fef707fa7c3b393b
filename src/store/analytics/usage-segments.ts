/** Cuts a range of time into segments of whole weeks, days, hours and single rows, so that each is read where it is smallest. */

import { ceilTo, dayMs, floorTo, type Grain, grains, hourMs, weekMs } from '../usage/usage-grains.ts';
import type { RollupState } from './usage-rollup.ts';

export interface Segment {
  readonly grain: 'row' | Grain;
  readonly fromMs: number;
  /** Exclusive. */
  readonly toMs: number;
}

/** The largest cell that fits into a bucket; none fits into a minute. */
const grainMax = { minute: 0, hour: hourMs, day: dayMs, week: weekMs, none: weekMs } as const;

export function segmentsOf(
  fromMs: number,
  toMs: number,
  bucket: keyof typeof grainMax,
  state: RollupState,
): readonly Segment[] {
  const { retainedFromMs } = state;
  const untilMs = { [hourMs]: state.hourUntilMs, [dayMs]: state.dayUntilMs, [weekMs]: state.weekUntilMs } as const;
  // Where rows are gone only cells are left, however small the bucket; an hour that cannot be cut counts where it begins.
  const most = fromMs < retainedFromMs ? Math.max(grainMax[bucket], hourMs) : grainMax[bucket];
  const lastMs = toMs < retainedFromMs ? ceilTo(hourMs, toMs) : toMs;

  function cover(level: number, from: number, to: number): readonly Segment[] {
    const grain = grains[level];
    // While rows are being removed some of them are still there.
    if (grain === undefined) return [{ grain: 'row', fromMs: Math.max(from, retainedFromMs), toMs: to }];
    const first = ceilTo(grain, from);
    const end = Math.min(floorTo(grain, to), untilMs[grain] ?? 0);
    if (grain > most || first >= end) return cover(level - 1, from, to);
    return [...cover(level - 1, from, first), { grain, fromMs: first, toMs: end }, ...cover(level - 1, end, to)];
  }

  return cover(grains.length - 1, fromMs, lastMs).filter((segment) => segment.fromMs < segment.toMs);
}

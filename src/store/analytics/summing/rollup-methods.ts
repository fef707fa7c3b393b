/** Keeps the sums of usage up to date: one period at a time, oldest first, hours before the days that are made of them. */

import type { RollupStore } from '../../../ledger/ledger-store.ts';
import { removeRequestErrors } from '../../requests/request-error-queries.ts';
import type { Driver } from '../../sql/driver.ts';
import { dayMs, floorTo, type Grain, hourMs, weekMs } from '../../usage/usage-grains.ts';
import { sealLagMs } from '../../usage/usage-marks.ts';
import {
  bringBackRollup,
  claimRollup,
  dropOldMarks,
  lastHourBeyond,
  markedPeriods,
  nextPeriod,
  removeOldAttempts,
  removeOldRows,
  retainFrom,
  rollupState,
  skipPeriods,
} from '../usage-rollup.ts';
import { PeriodReader } from './period-reader.ts';
import { createSliceSize, type SliceSize } from './slice-size.ts';
import {
  cellsPerCommitUsual,
  markIncomplete,
  removeStaged,
  resumPeriod,
  type SummedPeriod,
  sealPeriod,
  stagePeriod,
} from './write-cells.ts';

/** A period that is being read: a step reads a slice of it, and the last step writes it. */
interface OpenPeriod {
  readonly reader: PeriodReader;
  /** Its last step failed: the next one repeats it. */
  hasFailed: boolean;
  write(period: SummedPeriod): Promise<unknown>;
}

interface RollupSizes {
  readonly slice?: SliceSize;
  readonly cellsPerCommit?: number;
}

export function rollupStore(driver: Driver, sizes: RollupSizes = {}): RollupStore {
  const { slice = createSliceSize(), cellsPerCommit = cellsPerCommitUsual } = sizes;
  let open: OpenPeriod | undefined;
  const staged = (period: SummedPeriod) => stagePeriod(driver, period, cellsPerCommit);

  async function begin(grain: Grain, startMs: number, write: OpenPeriod['write']): Promise<true> {
    open = { reader: new PeriodReader(driver, grain, startMs, slice), hasFailed: false, write };
    await proceed(open);
    return true;
  }

  /** True where there is something to do. */
  async function sealNext(grain: Grain, untilMs: number, toMs: number): Promise<boolean> {
    if (untilMs >= toMs) return false;
    const startMs = await driver.run(nextPeriod, grain, untilMs, toMs);
    if (startMs === null) {
      await driver.run(skipPeriods, grain, untilMs, toMs);
      return true;
    }
    // Where another replica is first, nothing is written, and the next step detects it.
    return begin(grain, startMs, async (period) => driver.run(sealPeriod, await staged(period), untilMs));
  }

  async function resumNext(grain: Grain, fromMs: number, untilMs: number): Promise<boolean> {
    const [startMs] = await driver.run(markedPeriods, grain, fromMs, untilMs, 1);
    if (startMs === undefined) return false;
    return begin(grain, startMs, async (period) => driver.run(resumPeriod, await staged(period)));
  }

  async function proceed(period: OpenPeriod): Promise<void> {
    try {
      const summed = await period.reader.next();
      period.hasFailed = false;
      if (summed === undefined) return;
      await period.write(summed);
    } catch (error) {
      // An outage costs no progress. What fails twice may be too large: the period begins again, in smaller slices.
      if (period.hasFailed) open = undefined;
      period.hasFailed = true;
      throw error;
    }
    open = undefined;
  }

  return {
    async claim(nowMs, nextMs) {
      const isClaimed = await driver.run(claimRollup, Math.round(nowMs), Math.round(nextMs));
      if (!isClaimed) open = undefined;
      return isClaimed;
    },
    async bringBack(nowMs) {
      await driver.run(removeStaged);
      return driver.run(bringBackRollup, Math.round(nowMs));
    },
    async step(nowMs) {
      if (open !== undefined) {
        await proceed(open);
        return true;
      }
      const { hourUntilMs, dayUntilMs, weekUntilMs, retainedFromMs } = await driver.run(rollupState);
      const work = [
        () => sealNext(hourMs, hourUntilMs, floorTo(hourMs, nowMs - sealLagMs)),
        () => resumNext(hourMs, retainedFromMs, hourUntilMs),
        () => sealNext(dayMs, dayUntilMs, floorTo(dayMs, hourUntilMs)),
        () => resumNext(dayMs, 0, dayUntilMs),
        () => sealNext(weekMs, weekUntilMs, floorTo(weekMs, dayUntilMs)),
        () => resumNext(weekMs, 0, weekUntilMs),
        () => driver.run(markIncomplete, hourMs, Math.max(retainedFromMs, floorTo(dayMs, nowMs) - dayMs)),
        () => driver.run(markIncomplete, dayMs, floorTo(dayMs, nowMs) - weekMs),
        () => driver.run(markIncomplete, weekMs, floorTo(weekMs, nowMs) - 2 * weekMs),
      ];
      for (const each of work) if (await each()) return true;
      return false;
    },
    async retainFrom(fromMs) {
      const hour = floorTo(hourMs, fromMs);
      const { retainedFromMs } = await driver.run(rollupState);
      await driver.run(dropOldMarks, retainedFromMs);
      if (hour > retainedFromMs) await driver.run(retainFrom, hour);
    },
    async hourOfNewest(rowsMax) {
      const hour = await driver.run(lastHourBeyond, rowsMax);
      return hour === null ? undefined : hour + hourMs;
    },
    removeRows: (limit) => driver.run(removeOldRows, limit),
    async removeErrors(limit) {
      const { retainedFromMs } = await driver.run(rollupState);
      return driver.run(removeRequestErrors, retainedFromMs, limit);
    },
    async removeAttempts(afterId, limit) {
      const { removed, nextId } = await driver.run(removeOldAttempts, afterId, limit);
      return { removed, nextId: nextId ?? undefined };
    },
  };
}

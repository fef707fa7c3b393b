/** Keeps the sums of usage up to date: one period at a time, oldest first, hours before the days that are made of them. */

import type { RollupStore } from '../../ledger/ledger-store.ts';
import { removeRequestErrors } from '../requests/request-error-queries.ts';
import type { Driver } from '../sql/driver.ts';
import { dayMs, floorTo, type Grain, hourMs, weekMs } from '../usage/usage-grains.ts';
import { sealLagMs } from '../usage/usage-marks.ts';
import { readPeriod } from './period-sums.ts';
import { markIncomplete, resumPeriod, sealPeriod } from './usage-cells.ts';
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
} from './usage-rollup.ts';

export function rollupStore(driver: Driver): RollupStore {
  /** True where something was done. */
  async function sealNext(grain: Grain, untilMs: number, toMs: number): Promise<boolean> {
    if (untilMs >= toMs) return false;
    const startMs = await driver.run(nextPeriod, grain, untilMs, toMs);
    if (startMs === null) {
      await driver.run(skipPeriods, grain, untilMs, toMs);
      return true;
    }
    const summed = await driver.run(readPeriod, grain, startMs);
    // Where another replica was first, the next step detects it.
    await driver.run(sealPeriod, summed, untilMs);
    return true;
  }

  async function resumNext(grain: Grain, fromMs: number, untilMs: number): Promise<boolean> {
    const [startMs] = await driver.run(markedPeriods, grain, fromMs, untilMs, 1);
    if (startMs === undefined) return false;
    await driver.run(resumPeriod, await driver.run(readPeriod, grain, startMs));
    return true;
  }

  return {
    claim: (nowMs, nextMs) => driver.run(claimRollup, Math.round(nowMs), Math.round(nextMs)),
    bringBack: (nowMs) => driver.run(bringBackRollup, Math.round(nowMs)),
    async step(nowMs) {
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

/** How attempts ended, by provider, key and model, as the store keeps it. */

import type { Driver } from '../sql/driver.ts';
import { removeAll } from '../sql/removal.ts';
import {
  type AttemptEndRow,
  type AttemptMinuteRow,
  type AttemptSumRow,
  forgetAttemptEnds,
  putAttemptHealth,
  readAttemptHealth,
  removeAttemptEnds,
  removeAttemptMinutes,
} from './attempt-health-queries.ts';

/** Attempts that ended within one minute in this process; durations as bins. */
export type AttemptMinute = Omit<AttemptMinuteRow, 'instanceId'>;

/** The last attempts of one key for one model: times are 0 where there was none, the error is that of the last failed one. */
export type AttemptEnd = AttemptEndRow;

/** All attempts of a window with one key and one model. */
export type AttemptSum = AttemptSumRow;

export interface AttemptWindow {
  readonly sums: readonly AttemptSum[];
  /** By provider, oldest first; minutes without attempts are left out. */
  readonly minutes: readonly {
    readonly provider: string;
    readonly startMs: number;
    readonly attempts: number;
    readonly failed: number;
  }[];
  /** Also of times before the window. */
  readonly ends: readonly AttemptEnd[];
}

export interface AttemptHealthStore {
  /** Replaces what this process has written of the same minutes. */
  put(minutes: readonly AttemptMinute[], ends: readonly AttemptEnd[]): Promise<void>;
  /** What ended in minutes that began at this time or later, in all processes. */
  since(fromMs: number): Promise<AttemptWindow>;
  forgetKey(provider: string, keyId: string): Promise<void>;
  /** Removes minutes and ends from before these times. */
  expire(minutesBeforeMs: number, endsBeforeMs: number): Promise<void>;
}

export function attemptHealthStore(driver: Driver, instanceId: string): AttemptHealthStore {
  return {
    async put(minutes, ends) {
      if (minutes.length + ends.length === 0) return;
      await driver.run(
        putAttemptHealth,
        minutes.map((minute) => ({ ...minute, instanceId })),
        ends,
      );
    },
    since: (fromMs) => driver.run(readAttemptHealth, Math.round(fromMs)),
    async forgetKey(provider, keyId) {
      await driver.run(forgetAttemptEnds, provider, keyId);
    },
    async expire(minutesBeforeMs, endsBeforeMs) {
      await removeAll(driver, removeAttemptMinutes, minutesBeforeMs);
      await removeAll(driver, removeAttemptEnds, endsBeforeMs);
    },
  };
}

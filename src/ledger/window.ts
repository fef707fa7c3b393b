/** When a budget's window began and when it ends. Windows start at midnight UTC, so every replica computes the same row by itself. */

import type { BudgetPeriod } from '../access/caller.ts';

const dayMs = 86_400_000;
/** 1970-01-01 was a Thursday, the fourth day of a week that begins on Monday. */
const epochWeekdayOffset = 3;

export function windowStartMs(period: BudgetPeriod, nowMs: number): number {
  const day = Math.floor(nowMs / dayMs);
  switch (period) {
    case 'total':
      return 0;
    case 'day':
      return day * dayMs;
    case 'week':
      return (day - ((((day + epochWeekdayOffset) % 7) + 7) % 7)) * dayMs;
    case 'month': {
      const date = new Date(nowMs);
      return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1);
    }
  }
}

/** When the next window begins; undefined for a budget that never resets. */
export function windowEndMs(period: BudgetPeriod, nowMs: number): number | undefined {
  switch (period) {
    case 'total':
      return undefined;
    case 'day':
      return windowStartMs(period, nowMs) + dayMs;
    case 'week':
      return windowStartMs(period, nowMs) + 7 * dayMs;
    case 'month': {
      const date = new Date(nowMs);
      return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
    }
  }
}

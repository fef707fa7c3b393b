/** When a budget's window began. Windows start at midnight UTC, so every replica computes the same row by itself. */

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

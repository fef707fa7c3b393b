/** What an evaluator finds: alerts to raise, and subjects whose open alerts are over. */

import type { AlertKind, NewAlert } from '../../store/alerts/alert-records.ts';

export interface Findings {
  readonly raise: readonly NewAlert[];
  readonly over: readonly Over[];
}

/** An open alert of this kind and subject is resolved. */
export interface Over {
  readonly kind: AlertKind;
  readonly subject: string;
  readonly threshold: string;
}

/** Alerts that last have one occurrence at a time: the store frees it when it is resolved. */
export const lasting = 'now';

/** The highest of these that was reached. */
export function highestReached(thresholds: readonly number[], value: number): number | undefined {
  return thresholds.filter((each) => value >= each).toSorted((one, other) => other - one)[0];
}

/** The nearest end of these that has begun: of 30, 7 and 1 days it is 7 where 5 days are left. */
export function nearestEnd(days: readonly number[], leftMs: number): number | undefined {
  return days.filter((each) => leftMs <= each * dayMs).toSorted((one, other) => one - other)[0];
}

export const dayMs = 86_400_000;
export const isoDay = (atMs: number): string => new Date(atMs).toISOString().slice(0, 10);
/** `2026-11-17 14:00 UTC`. */
export const momentText = (atMs: number): string =>
  `${new Date(atMs).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
export const countText = (count: number, one: string, several = `${one}s`): string =>
  `${count} ${count === 1 ? one : several}`;

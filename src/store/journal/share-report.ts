/** What workers and the process that decides on budgets say to each other about shares of budgets. */

import type { Money } from '../sql/statement.ts';

/** One window of a budget, since the worker's last report. Amounts are in the unit of the budget. */
export type ShareRow = readonly [
  scope: string,
  windowStartMs: number,
  limit: Money,
  /** By how much the worker's share became smaller: what its attempts hold now, and what it gives back. */
  used: Money,
  /** By how much its records change what is spent and held. */
  change: Money,
  /** Attempts that it opened with its share, less those of them that have ended. */
  opened: number,
  /** What it would like to have in addition. */
  wanted: Money,
];

export const namedRow = (row: ShareRow | undefined): { readonly limit: Money; readonly wanted: Money } => ({
  limit: row?.[2] ?? 0,
  wanted: row?.[6] ?? 0,
});

export interface ShareReport {
  readonly journal: number;
  /** Of the journal: the one that has the records. */
  readonly generation: number;
  readonly rows: readonly ShareRow[];
}

/** The answer: what each row's share grows by. */
export type ShareGrants = readonly Money[];

/** Windows whose shares are to be given back. */
export type RecalledWindows = readonly string[];

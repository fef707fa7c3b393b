/** Attempts as they travel to the database: what `attempt_rows` has when one is opened, and what a closing changes. */

import type { AttemptClosing, AttemptOpening, BudgetScope } from '../../ledger/ledger.ts';
import { type Cells, carried, column, packed } from '../sql/packed.ts';
import { type Money, moneyCell } from '../sql/statement.ts';
import { storableName } from '../sql/storable-text.ts';
import { flag, integer, money, text } from '../sql/table.ts';
import { type UsageCells, usageTable } from '../usage/usage-table.ts';

export type OpeningCells = Cells;
export type ClosingCells = Cells;

/**
 * The second source is the instance that holds the attempt, `''` where it outlives every process. A new column goes to the end: the
 * journal keeps cells in this order (`journal/entries.ts`).
 */
export const openingTable = packed<AttemptOpening, string>()({
  id: column(text, (opening) => opening.attemptId),
  requestId: column(text, (opening) => opening.requestId),
  tokenId: column(text, (opening) => opening.tokenId),
  reserveNano: column(money, (opening) => moneyCell(opening.reserveNano)),
  estimateNano: column(money, (opening) => moneyCell(opening.estimateNano)),
  instanceId: column(text, (_opening, instanceId) => instanceId),
  provider: column(text, (opening) => storableName(opening.provider)),
  model: column(text, (opening) => storableName(opening.model)),
  atMs: column(integer, (opening) => Math.round(opening.atMs)),
  keyId: column(text, (opening) => storableName(opening.keyId ?? '')),
});

/** No columns of one table: `row` is the request's usage row, which is written in the same commit. */
export const closingTable = packed<AttemptClosing>()({
  id: column(text, (closing) => closing.attemptId),
  costNano: column(money, (closing) => moneyCell(closing.costNano)),
  estimated: column(flag, (closing) => closing.estimated),
  atMs: column(integer, (closing) => Math.round(closing.atMs)),
  row: column(carried<UsageCells | null>(), ({ row }) => (row === undefined ? null : usageTable.pack(row, undefined))),
  verdict: column(text, ({ verdict }) => (verdict === undefined ? '' : storableName(verdict))),
});

/** A budget that an opening counts against. */
export interface ScopeRow {
  readonly scope: string;
  readonly limitNano: Money;
  readonly windowStartMs: number;
}

/** Sorted, so that two holders of several budgets cannot deadlock. */
export function scopeRows({ scopes }: { readonly scopes: readonly BudgetScope[] }): ScopeRow[] {
  const rows = scopes.map(({ scope, limitNano, windowStartMs }) => ({
    scope,
    limitNano: moneyCell(limitNano),
    windowStartMs,
  }));
  if (rows.length > 1) {
    rows.sort((a, b) => (a.scope < b.scope ? -1 : a.scope > b.scope ? 1 : a.windowStartMs - b.windowStartMs));
  }
  return rows;
}

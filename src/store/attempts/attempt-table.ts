/** Attempts as they travel to the database: what `attempt_rows` has when one is opened, and what a closing changes. */

import type { AttemptClosing, AttemptOpening, BudgetScope } from '../../ledger/ledger.ts';
import { type Cells, carried, packed } from '../sql/packed.ts';
import { type Money, moneyCell } from '../sql/statement.ts';
import { storableName } from '../sql/storable-text.ts';
import { flag, integer, money, text } from '../sql/table.ts';
import { type UsageCells, usageTable } from '../usage/usage-table.ts';

export type OpeningCells = Cells;
export type ClosingCells = Cells;

/**
 * What `attempt_rows` has of an attempt when it is opened. `instanceId` is the process that holds it, `''` where it outlives every
 * process. A new column goes to the end: the journal keeps cells in this order (`journal/entries.ts`).
 */
export const openingTable = packed(
  {
    id: text,
    requestId: text,
    tokenId: text,
    reserveNano: money,
    estimateNano: money,
    instanceId: text,
    provider: text,
    model: text,
    atMs: integer,
    keyId: text,
  },
  (opening: AttemptOpening, instanceId: string) => ({
    id: opening.attemptId,
    requestId: opening.requestId,
    tokenId: opening.tokenId,
    reserveNano: moneyCell(opening.reserveNano),
    estimateNano: moneyCell(opening.estimateNano),
    instanceId,
    provider: storableName(opening.provider),
    model: storableName(opening.model),
    atMs: Math.round(opening.atMs),
    keyId: storableName(opening.keyId ?? ''),
  }),
);

/** No columns of one table: `row` is the request's usage row, which is written in the same commit. */
export const closingTable = packed(
  {
    id: text,
    costNano: money,
    estimated: flag,
    atMs: integer,
    row: carried<UsageCells | null>(),
    verdict: text,
  },
  (closing: AttemptClosing) => ({
    id: closing.attemptId,
    costNano: moneyCell(closing.costNano),
    estimated: closing.estimated,
    atMs: Math.round(closing.atMs),
    row: closing.row === undefined ? null : usageTable.pack(closing.row, undefined),
    verdict: closing.verdict === undefined ? '' : storableName(closing.verdict),
  }),
);

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

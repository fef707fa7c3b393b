/** Attempts as they travel to the database: what `attempt_rows` has when one is opened, and what a closing changes. */

import type { AttemptClosing, AttemptOpening } from '../../ledger/ledger.ts';
import { type Cells, carried, nullable, packed } from '../sql/packed.ts';
import { moneyCell } from '../sql/statement.ts';
import { storableName } from '../sql/storable-text.ts';
import { flag, integer, money, text } from '../sql/table.ts';
import { type UsageCells, usageTable } from '../usage/usage-table.ts';

export type OpeningCells = Cells;
export type ClosingCells = Cells;

/** Whole, and within what a sum of many still counts exactly. */
const tokenCount = (tokens: number): number => Math.min(Math.max(0, Math.ceil(tokens)), Number.MAX_SAFE_INTEGER);

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
    reserveTokens: nullable(integer),
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
    reserveTokens: tokenCount(opening.reserveTokens),
  }),
);

/**
 * No columns of one table: `row` is the request's usage row, which is written in the same commit. A new cell goes to the end here
 * too.
 */
export const closingTable = packed(
  {
    id: text,
    costNano: money,
    estimated: flag,
    atMs: integer,
    row: carried<UsageCells | null>(),
    verdict: text,
    tokens: nullable(integer),
  },
  (closing: AttemptClosing) => ({
    id: closing.attemptId,
    costNano: moneyCell(closing.costNano),
    estimated: closing.estimated,
    atMs: Math.round(closing.atMs),
    row: closing.row === undefined ? null : usageTable.pack(closing.row, undefined),
    verdict: closing.verdict === undefined ? '' : storableName(closing.verdict),
    tokens: closing.tokens === undefined ? null : tokenCount(closing.tokens),
  }),
);

/** Does the request's row record the attempt, because it served and was the only one? Then it needs no row of its own. */
export function isRecordedByRow(closing: ClosingCells): boolean {
  const row = closingTable.get(closing, 'row');
  return (
    row !== null &&
    closingTable.get(closing, 'verdict') === '' &&
    usageTable.get(row, 'attempts') === 1 &&
    usageTable.get(row, 'costNano') === closingTable.get(closing, 'costNano') &&
    closingTable.get(closing, 'id') === `${usageTable.get(row, 'requestId')}.1`
  );
}

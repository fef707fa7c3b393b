/** How attempts look between their typed form and the cells that travel to the database. */

import type { AttemptClosing, AttemptOpening, AttemptRow, OpeningVerdict } from '../../ledger/ledger.ts';
import type { OperationValues } from '../engines/operations.ts';
import { moneyCell } from '../sql/statement.ts';
import { storableName, usageCells } from '../usage/row-forms.ts';
import type { ScopeCells } from './attempt-queries.ts';
import type { AttemptCells } from './attempt-trail.ts';

export const admitted = { admitted: true } as const;

export const verdictOf = (refusing: string | null): OpeningVerdict =>
  refusing === null ? admitted : { admitted: false, scope: refusing };

/** `instanceId` is the process that holds the attempt, `''` where it outlives every process. */
export const openingCells = (opening: AttemptOpening, instanceId: string): OperationValues<'openAttempt'> => [
  opening.attemptId,
  opening.requestId,
  opening.tokenId,
  moneyCell(opening.reserveNano),
  moneyCell(opening.estimateNano),
  instanceId,
  storableName(opening.provider),
  storableName(opening.model),
  Math.round(opening.atMs),
  storableName(opening.keyId ?? ''),
];

/** Sorted, so that no two holders of several budgets wait for each other in a ring. */
export function scopeCells({ scopes }: Pick<AttemptOpening, 'scopes'>): ScopeCells[] {
  const cells = scopes.map((scope): ScopeCells => [scope.scope, moneyCell(scope.limitNano), scope.windowStartMs]);
  if (cells.length > 1) cells.sort((a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : a[2] - b[2]));
  return cells;
}

export function closingCells(closing: AttemptClosing): OperationValues<'closeAttempt'> {
  const cells = closing.row === undefined ? null : usageCells(closing.row);
  const { attemptId, costNano, estimated, atMs, verdict } = closing;
  // Most attempts serve, and their verdict is the one that need not be written.
  if (verdict === undefined || verdict === '') {
    return [attemptId, moneyCell(costNano), estimated, Math.round(atMs), cells];
  }
  return [attemptId, moneyCell(costNano), estimated, Math.round(atMs), cells, storableName(verdict)];
}

export function attemptRow(cells: AttemptCells): AttemptRow {
  const [attemptId, tokenId, provider, model, keyId, verdict, atMs, settledAtMs, costNano, estimated] = cells;
  return {
    attemptId,
    tokenId,
    provider,
    model,
    keyId: keyId ?? undefined,
    verdict: verdict ?? undefined,
    atMs,
    settledAtMs: settledAtMs ?? undefined,
    costNano: costNano === null ? undefined : BigInt(costNano),
    estimated: estimated === 1,
  };
}

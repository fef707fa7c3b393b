/**
 * Closings that ended no attempt: either they are repeated, or the database lost their opening, because a standby that lagged
 * took over. Then opening and closing are written together, once.
 */

import type { RecoveryVerdict } from '../../ledger/ledger-store.ts';
import { transaction } from '../sql/query.ts';
import { type SqlValue, type Steps, statement, step } from '../sql/statement.ts';
import { placesFrom } from '../sql/table.ts';
import { writeUsage } from '../usage/usage-queries.ts';
import { closeAttempt } from './attempt-queries.ts';
import { type ClosingCells, closingTable, type OpeningCells, openingTable } from './attempt-table.ts';
import { bindSettled, settledColumns, settledWidth, spend } from './settled-attempts.ts';

const find = statement('SELECT 1 FROM attempts WHERE request_id = $1 AND id = $2');
/** Of a request that began before, rows may have been removed: whether it was charged is unknown. */
const readRetained = statement('SELECT 1 FROM usage_rollup WHERE id = 1 AND retained_from_ms > $1');
/** Another process may write the same closing at this moment: the key decides which of them charges it. */
const insert = statement(
  `INSERT INTO attempt_rows (${settledColumns}, state, recovered)
   VALUES (${placesFrom(1, settledWidth)}, 'settled', 1) ON CONFLICT (id) DO NOTHING RETURNING id`,
);

/** The attempt always has a row of its own: by its key it is charged once. */
export const recoverAttempt = transaction(function* (
  closing: ClosingCells,
  requestId: string,
  opening: OpeningCells | null,
  scopes: string,
): Steps<RecoveryVerdict> {
  // The opening may have been committed late.
  if (yield* closeAttempt.steps(closing)) return 'ended';
  if ((yield step(find, requestId, closingTable.get(closing, 'id'))).length > 0) return 'repeated';
  if (opening === null) return 'unknown';
  if ((yield step(readRetained, openingTable.get(opening, 'atMs'))).length > 0) return 'unknown';
  const attempt = [opening, closing, scopes] as const;
  const values: SqlValue[] = [];
  bindSettled(values, attempt);
  if ((yield { statement: insert, values }).length === 0) return 'repeated';
  yield* spend([attempt]);
  const row = closingTable.get(closing, 'row');
  if (row !== null) yield* writeUsage(row);
  return 'recovered';
}, 'after-journal');

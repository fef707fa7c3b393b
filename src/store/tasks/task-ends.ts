/** The ends of tasks: each together with its money and its message, each based on the version that its writer saw. */

import type { NewCallback } from '../../tasks/task-store.ts';
import { closeAttempt, rechargeAttempt } from '../attempts/attempt-queries.ts';
import { type ClosingCells, closingTable } from '../attempts/attempt-table.ts';
import { single, transaction } from '../sql/query.ts';
import { asText, type Statement, type Steps, statement, step } from '../sql/statement.ts';
import { type NewRowIn, optional, table, time } from '../sql/table.ts';
import { callbackStep } from './task-callbacks.ts';
import { isOpenSql, tasks } from './task-queries.ts';

/** What an end changes. */
const ends = table('tasks', {
  ...tasks.pick('state', 'guessed', 'percent', 'facts', 'results', 'error', 'endedAtMs', 'expiresAtMs').columns,
  dueAtMs: optional(time),
});
export type EndRow = NewRowIn<typeof ends> & { readonly endedAtMs: number };

/** The attempt is named too: an end must never settle another attempt than the one that holds its task's money. */
const ending = (from: string): Statement =>
  statement(
    `UPDATE tasks SET ${ends.assignments(4)}, leased = 0, version = version + 1
     WHERE id = $1 AND version = $2 AND attempt_id = $3 AND ${from} RETURNING token_id`,
  );
const isGuessedSql = "state = 'failed' AND guessed = 1";
const endOpen = ending(isOpenSql);
const endGuessed = ending(isGuessedSql);
const settle = statement(
  `UPDATE tasks SET guessed = 0, due_at_ms = NULL, leased = 0, version = version + 1
   WHERE id = $1 AND version = $2 AND ${isGuessedSql} RETURNING id`,
);

/** The token whose task ended; null where it had changed meanwhile. */
function* write(
  made: Statement,
  id: string,
  version: number,
  end: EndRow,
  closing: ClosingCells,
): Steps<string | null> {
  const row = (yield step(made, id, version, closingTable.get(closing, 'id'), ...ends.values(end)))[0];
  return row === undefined ? null : asText(row[0]);
}

/** Where the attempt was closed before, the task ends all the same and no money moves twice. */
export const endTask = transaction(function* (
  id: string,
  version: number,
  end: EndRow,
  closing: ClosingCells,
  callback: NewCallback | null,
): Steps<boolean> {
  const tokenId = yield* write(endOpen, id, version, end, closing);
  if (tokenId === null) return false;
  yield* closeAttempt.steps(closing);
  if (callback !== null) yield callbackStep({ taskId: id, tokenId, ...callback }, end.endedAtMs);
  return true;
});

export const correctTask = transaction(function* (
  id: string,
  version: number,
  end: EndRow,
  closing: ClosingCells,
  callback: NewCallback | null,
): Steps<boolean> {
  const tokenId = yield* write(endGuessed, id, version, end, closing);
  if (tokenId === null) return false;
  yield* rechargeAttempt(closing);
  if (callback !== null) yield callbackStep({ taskId: id, tokenId, ...callback }, end.endedAtMs);
  return true;
}, 'after-journal');

export const settleTaskGuess = single(function* (id: string, version: number): Steps<boolean> {
  return (yield step(settle, id, version)).length > 0;
});

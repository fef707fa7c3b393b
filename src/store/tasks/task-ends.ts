/** The ends of tasks: each together with its money and its message, each based on the version that its writer saw. */

import { closeAttempt, rechargeAttempt } from '../attempts/attempt-queries.ts';
import { asText, type Operation, type Statement, statement, step } from '../sql/statement.ts';
import { callbackStep, type NewCallbackCells } from './task-callbacks.ts';
import { isOpenSql } from './task-queries.ts';

export type EndCells = readonly [
  state: string,
  guessed: number,
  percent: number,
  facts: string,
  results: string,
  error: string | null,
  atMs: number,
  expiresAtMs: number | null,
  dueAtMs: number | null,
];

type Closing = Parameters<typeof closeAttempt>;

/** The attempt is named too: an end must never settle another attempt than the one that holds its task's money. */
const ending = (from: string): Statement =>
  statement(
    `UPDATE tasks SET state = $4, guessed = $5, percent = $6, facts = $7, results = $8, error = $9, ended_at_ms = $10,
       expires_at_ms = $11, due_at_ms = $12, leased = 0, version = version + 1
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
  attemptId: string,
  end: EndCells,
): Operation<string | null> {
  const row = (yield step(made, id, version, attemptId, ...end))[0];
  return row === undefined ? null : asText(row[0]);
}

/** Where the attempt was closed before, the task ends all the same and no money moves twice. */
export function* endTask(
  id: string,
  version: number,
  end: EndCells,
  closing: Closing,
  callback: NewCallbackCells | null,
): Operation<boolean> {
  const tokenId = yield* write(endOpen, id, version, closing[0], end);
  if (tokenId === null) return false;
  yield* closeAttempt(...closing);
  if (callback !== null) yield callbackStep(id, tokenId, callback, end[6]);
  return true;
}

export function* correctTask(
  id: string,
  version: number,
  end: EndCells,
  closing: Closing,
  callback: NewCallbackCells | null,
): Operation<boolean> {
  const tokenId = yield* write(endGuessed, id, version, closing[0], end);
  if (tokenId === null) return false;
  yield* rechargeAttempt(...closing);
  if (callback !== null) yield callbackStep(id, tokenId, callback, end[6]);
  return true;
}

export function* settleTaskGuess(id: string, version: number): Operation<boolean> {
  return (yield step(settle, id, version)).length > 0;
}

/** Messages about ended tasks, until they are delivered or given up: one a task, the latest. */

import { asNumber, asText, type Operation, type Row, type Step, statement, step } from '../sql/statement.ts';

/** A message as a task's end brings it along. */
export type NewCallbackCells = readonly [url: string, body: string];

export type CallbackCells = readonly [
  taskId: string,
  tokenId: string,
  url: string,
  body: string,
  tries: number,
  createdAtMs: number,
];

/**
 * A corrected end says something else than the guess before it. Where that one is being delivered just now, the new message
 * waits until that lease is over, so that the news of the old one's delivery cannot be taken for its own.
 */
const put = statement(
  `INSERT INTO task_callbacks (task_id, token_id, url, body, tries, created_at_ms, due_at_ms, leased)
   VALUES ($1, $2, $3, $4, 0, $5, $5, 0)
   ON CONFLICT (task_id) DO UPDATE SET url = excluded.url, body = excluded.body, tries = 0,
     created_at_ms = excluded.created_at_ms, leased = 0,
     due_at_ms = CASE WHEN task_callbacks.leased = 1 AND task_callbacks.due_at_ms > excluded.due_at_ms
       THEN task_callbacks.due_at_ms ELSE excluded.due_at_ms END`,
);
/** The outer condition is looked at again after a wait for another taker, so two never take the same one. */
const claim = statement(
  `UPDATE task_callbacks SET due_at_ms = $2, leased = 1, tries = tries + 1
   WHERE task_id IN (SELECT task_id FROM task_callbacks WHERE due_at_ms <= $1 ORDER BY due_at_ms, task_id LIMIT $3)
     AND due_at_ms <= $1
   RETURNING task_id, token_id, url, body, tries - 1, created_at_ms`,
);
const remove = statement('DELETE FROM task_callbacks WHERE task_id = $1 AND leased = 1');
const postpone = statement('UPDATE task_callbacks SET due_at_ms = $2, leased = 0 WHERE task_id = $1 AND leased = 1');

/** The step that writes a message, for the operations that end a task. */
export const callbackStep = (taskId: string, tokenId: string, [url, body]: NewCallbackCells, atMs: number): Step =>
  step(put, taskId, tokenId, url, body, atMs);

function cells(row: Row): CallbackCells {
  return [asText(row[0]), asText(row[1]), asText(row[2]), asText(row[3]), asNumber(row[4]), asNumber(row[5])];
}

/** A try counts from its beginning: a message that kills its deliverer is given up like any other. */
export function* claimCallbacks(nowMs: number, dueAtMs: number, most: number): Operation<readonly CallbackCells[]> {
  return (yield step(claim, nowMs, dueAtMs, most)).map(cells);
}

export function* endCallback(taskId: string): Operation<null> {
  yield step(remove, taskId);
  return null;
}

export function* postponeCallback(taskId: string, dueAtMs: number): Operation<null> {
  yield step(postpone, taskId, dueAtMs);
  return null;
}

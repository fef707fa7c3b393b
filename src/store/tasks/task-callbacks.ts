/** Messages about ended tasks, until they are delivered or given up: one a task, the latest. */

import type { Callback } from '../../tasks/task-store.ts';
import { single } from '../sql/query.ts';
import { type Step, type Steps, statement, step } from '../sql/statement.ts';
import { freeText, integer, type NewRowIn, selection, table, text } from '../sql/table.ts';

const messages = table('task_callbacks', { taskId: text, tokenId: text, url: freeText, body: freeText });
type NewMessage = NewRowIn<typeof messages>;

const claimed = selection({
  taskId: ['task_id', text],
  tokenId: ['token_id', text],
  url: ['url', text],
  body: ['body', text],
  tries: ['tries - 1', integer],
  createdAtMs: ['created_at_ms', integer],
});

/**
 * A corrected end differs from the guess before it. Where that one is being delivered just now, the new message
 * waits until that lease is over, so that the result of the old delivery cannot be taken for its own.
 */
const put = statement(
  `INSERT INTO task_callbacks (${messages.list}, tries, created_at_ms, due_at_ms, leased)
   VALUES (${messages.places()}, 0, $5, $5, 0)
   ON CONFLICT (task_id) DO UPDATE SET url = excluded.url, body = excluded.body, tries = 0,
     created_at_ms = excluded.created_at_ms, leased = 0,
     due_at_ms = CASE WHEN task_callbacks.leased = 1 AND task_callbacks.due_at_ms > excluded.due_at_ms
       THEN task_callbacks.due_at_ms ELSE excluded.due_at_ms END`,
);
/** The outer condition is checked again after a wait for another worker, so two never take the same one. */
const claim = statement(
  `UPDATE task_callbacks SET due_at_ms = $2, leased = 1, tries = tries + 1
   WHERE task_id IN (SELECT task_id FROM task_callbacks WHERE due_at_ms <= $1 ORDER BY due_at_ms, task_id LIMIT $3)
     AND due_at_ms <= $1
   RETURNING ${claimed.list}`,
);
const remove = statement('DELETE FROM task_callbacks WHERE task_id = $1 AND leased = 1');
const postpone = statement('UPDATE task_callbacks SET due_at_ms = $2, leased = 0 WHERE task_id = $1 AND leased = 1');

/** The step that writes a message, for the queries that end a task. */
export const callbackStep = (message: NewMessage, atMs: number): Step => step(put, ...messages.values(message), atMs);

/** A try counts from its beginning: a message that kills its deliverer is given up like any other. */
export const claimCallbacks = single(function* (
  nowMs: number,
  dueAtMs: number,
  most: number,
): Steps<readonly Callback[]> {
  return (yield step(claim, nowMs, dueAtMs, most)).map((row) => claimed.read(row));
});

export const endCallback = single(function* (taskId: string): Steps<null> {
  yield step(remove, taskId);
  return null;
});

export const postponeCallback = single(function* (taskId: string, dueAtMs: number): Steps<null> {
  yield step(postpone, taskId, dueAtMs);
  return null;
});

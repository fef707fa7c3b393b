/** What workers do with open tasks: claim those that are due, record their progress, and remove what is over. */

import { read, single, transaction } from '../sql/query.ts';
import { asText, type Steps, statement, step } from '../sql/statement.ts';
import { type NewRowIn, placesFrom, type RowIn, table, time } from '../sql/table.ts';
import { isOpenSql, type TaskRow, tasks } from './task-queries.ts';

/** What a poll of the provider changed. */
const polls = table('tasks', { ...tasks.pick('state', 'percent', 'ticket', 'faults').columns, dueAtMs: time });

/** Jumps from provider to provider in the index: however many tasks wait, it reads one or two of each. */
const dueProvidersOf = statement(
  `WITH RECURSIVE waiting (provider) AS (
     SELECT MIN(provider) FROM tasks WHERE due_at_ms IS NOT NULL
     UNION ALL
     SELECT (SELECT MIN(tasks.provider) FROM tasks WHERE due_at_ms IS NOT NULL AND tasks.provider > waiting.provider)
     FROM waiting WHERE waiting.provider IS NOT NULL
   )
   SELECT provider FROM waiting WHERE provider IS NOT NULL
     AND (SELECT MIN(due_at_ms) FROM tasks WHERE tasks.provider = waiting.provider AND due_at_ms IS NOT NULL) <= $1`,
);
/**
 * The outer condition is checked again after a wait for another worker's commit, so two replicas never take the same task.
 * `leased` distinguishes waiting for a worker from waiting for the next poll.
 */
const claim = statement(
  `UPDATE tasks SET due_at_ms = $3, leased = 1, version = version + 1
   WHERE id IN (SELECT id FROM tasks WHERE provider = $1 AND due_at_ms <= $2 ORDER BY due_at_ms, id LIMIT $4)
     AND due_at_ms <= $2
   RETURNING ${tasks.list}`,
);
/** Later makes a lease longer, earlier gives it back. */
const renew = statement(
  'UPDATE tasks SET due_at_ms = $3 WHERE id = $1 AND version = $2 AND due_at_ms IS NOT NULL RETURNING id',
);
const takeStep = statement(
  `UPDATE tasks SET state = CASE WHEN state = 'in_progress' THEN state ELSE $3 END, percent = $4,
     ticket = COALESCE($5, ticket), faults = $6, due_at_ms = $7, leased = 0, asked = asked + 1, version = version + 1
   WHERE id = $1 AND version = $2 AND ${isOpenSql} RETURNING id`,
);
/** A leased task stays as it is: its worker polls it now. */
const hasten = statement(
  `UPDATE tasks SET due_at_ms = CASE WHEN due_at_ms > $2 AND leased = 0 AND ticket IS NOT NULL THEN $2 ELSE due_at_ms END
   WHERE id = $1 AND ${isOpenSql} RETURNING id`,
);

/** How many rows one statement names; places that are not needed name no row. */
const namedMax = 50;
const padded = (ids: readonly string[]): string[] => [...ids, ...Array(namedMax - ids.length).fill('')];

const expiredTasks = tasks.pick('id', 'results');
const expired = statement(
  `SELECT ${expiredTasks.list} FROM tasks WHERE expires_at_ms <= $1 AND results <> '[]' ORDER BY expires_at_ms, id LIMIT $2`,
);
const forgetResults = statement(
  `UPDATE tasks SET results = '[]', version = version + 1 WHERE expires_at_ms <= $1 AND results <> '[]'
     AND id IN (${placesFrom(2, namedMax)}) RETURNING id`,
);
const removeEnded = statement(
  `DELETE FROM tasks WHERE id IN (SELECT id FROM tasks WHERE ended_at_ms < $1 ORDER BY ended_at_ms, id LIMIT $2)
   RETURNING id`,
);
const removeCallbacks = statement(`DELETE FROM task_callbacks WHERE task_id IN (${placesFrom(1, namedMax)})`);

export const dueProviders = read(function* (nowMs: number): Steps<readonly string[]> {
  return (yield step(dueProvidersOf, nowMs)).map((row) => asText(row[0]));
});

export const claimTasks = single(function* (
  provider: string,
  nowMs: number,
  dueAtMs: number,
  most: number,
): Steps<readonly TaskRow[]> {
  return (yield step(claim, provider, nowMs, dueAtMs, most)).map((row) => tasks.read(row));
});

/** The version stays: a worker that changed its own lease continues to write under it. */
export const renewTask = single(function* (id: string, version: number, dueAtMs: number): Steps<boolean> {
  return (yield step(renew, id, version, dueAtMs)).length > 0;
});

export const stepTask = single(function* (id: string, version: number, poll: NewRowIn<typeof polls>): Steps<boolean> {
  return (yield step(takeStep, id, version, ...polls.values(poll))).length > 0;
});

export const hastenTask = single(function* (id: string, dueAtMs: number): Steps<boolean> {
  return (yield step(hasten, id, dueAtMs)).length > 0;
});

/** Of several that expire the same task, one gets its results: the one whose update still found them. */
export const expireTasks = transaction(function* (
  nowMs: number,
  most: number,
): Steps<readonly RowIn<typeof expiredTasks>[]> {
  const found = (yield step(expired, nowMs, most)).map((row) => expiredTasks.read(row));
  const ids = found.map(({ id }) => id);
  const forgotten = new Set<string>();
  for (let from = 0; from < ids.length; from += namedMax) {
    const rows = yield step(forgetResults, nowMs, ...padded(ids.slice(from, from + namedMax)));
    for (const [id] of rows) forgotten.add(asText(id));
  }
  return found.filter(({ id }) => forgotten.has(id));
});

/** How many were removed. */
export const forgetTasks = transaction(function* (endedBeforeMs: number, most: number): Steps<number> {
  const ids = (yield step(removeEnded, endedBeforeMs, most)).map((row) => asText(row[0]));
  for (let from = 0; from < ids.length; from += namedMax) {
    yield step(removeCallbacks, ...padded(ids.slice(from, from + namedMax)));
  }
  return ids.length;
});

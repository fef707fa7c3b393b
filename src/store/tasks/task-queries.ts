/** Video tasks as rows: how they begin together with the attempt that holds their money, and how they are read. */

import { closeAttempt, openAttemptWithin } from '../attempts/attempt-queries.ts';
import { asNumber, asText, type Operation, type Row, statement, step } from '../sql/statement.ts';

/** A task as it travels: the cells in the order of `taskColumns`, lists and objects as JSON. */
export type TaskCells = readonly (string | number | null)[];

const columns = [
  'id',
  'token_id',
  'request_id',
  'attempt_id',
  'state',
  'guessed',
  'provider',
  'key_id',
  'model',
  'upstream_model',
  'percent',
  'ticket',
  'wishes',
  'facts',
  'results',
  'error',
  'terms',
  'created_at_ms',
  'ended_at_ms',
  'deadline_at_ms',
  'expires_at_ms',
  'deleted_at_ms',
  'callback_url',
  'asked',
  'faults',
  'version',
] as const;

export const taskColumns = columns.join(', ');
/** Written out in every statement: a partial index serves only queries that say what it says. */
export const isOpenSql = "state IN ('queued', 'in_progress')";

export type NewTaskCells = readonly [
  id: string,
  tokenId: string,
  requestId: string,
  attemptId: string,
  provider: string,
  keyId: string,
  model: string,
  upstreamModel: string,
  wishes: string,
  terms: string,
  createdAtMs: number,
  deadlineAtMs: number,
  callbackUrl: string | null,
  dueAtMs: number,
];

/** Where a task goes that its provider did not take. */
export type MoveCells = readonly [
  attemptId: string,
  provider: string,
  keyId: string,
  upstreamModel: string,
  terms: string,
];

type Opening = Parameters<typeof openAttemptWithin>;
type Closing = Parameters<typeof closeAttempt>;

const insert = statement(
  `INSERT INTO tasks (id, token_id, request_id, attempt_id, provider, key_id, model, upstream_model, wishes, terms,
     created_at_ms, deadline_at_ms, callback_url, due_at_ms, state, guessed, percent, facts, results, asked, faults, version, leased)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, 'queued', 0, 0, '{}', '[]', 0, 0, 1, 0)`,
);
const lockOwner = statement(
  `INSERT INTO task_owners (token_id) VALUES ($1) ON CONFLICT (token_id) DO UPDATE SET token_id = excluded.token_id`,
);
const countOfToken = statement(`SELECT COUNT(*) FROM tasks WHERE token_id = $1 AND ${isOpenSql}`);
const countAll = statement(`SELECT COUNT(*) FROM tasks WHERE ${isOpenSql}`);
/** A task that somebody took or that a worker took over is not its request's any more. */
const move = statement(
  `UPDATE tasks SET attempt_id = $3, provider = $4, key_id = $5, upstream_model = $6, terms = $7, version = version + 1
   WHERE id = $1 AND attempt_id = $2 AND state = 'queued' AND ticket IS NULL AND leased = 0 RETURNING id`,
);
const remove = statement('DELETE FROM tasks WHERE id = $1');
const removeUntaken = statement(
  `DELETE FROM tasks WHERE id = $1 AND ticket IS NULL AND ${isOpenSql} RETURNING attempt_id`,
);
const get = statement(`SELECT ${taskColumns} FROM tasks WHERE id = $2 AND token_id = $1 AND deleted_at_ms IS NULL`);
const getByRequest = statement(
  `SELECT ${taskColumns} FROM tasks WHERE request_id = $2 AND token_id = $1 AND deleted_at_ms IS NULL
   ORDER BY created_at_ms, id LIMIT 1`,
);
const find = statement(`SELECT ${taskColumns} FROM tasks WHERE id = $1`);
const markDeleted = statement(
  'UPDATE tasks SET deleted_at_ms = $3 WHERE id = $2 AND token_id = $1 AND deleted_at_ms IS NULL RETURNING id',
);

/** What refuses a task of a token that has as many open as it may. */
const openTasksScope = 'open-tasks';
/** What refuses to move a task that is no longer its request's. */
const takenScope = 'task';

export const cellsOf = (row: Row): TaskCells => row.map((cell) => (typeof cell === 'bigint' ? Number(cell) : cell));

function first(rows: readonly Row[]): TaskCells | null {
  const row = rows[0];
  return row === undefined ? null : cellsOf(row);
}

/** Null where the task and its attempt were made; else what refused, and then neither was. */
export function* createTask(task: NewTaskCells, openMax: number, ...opening: Opening): Operation<string | null> {
  const tokenId = task[1];
  yield step(lockOwner, tokenId);
  if (asNumber((yield step(countOfToken, tokenId))[0]?.[0]) >= openMax) return openTasksScope;
  const refusing = yield* openAttemptWithin(...opening);
  if (refusing !== null) return refusing;
  yield step(insert, ...task);
  return null;
}

/** Null where it moved. Where a budget refuses the next attempt, the one before is closed and the task is gone. */
export function* moveTask(id: string, to: MoveCells, closing: Closing, opening: Opening): Operation<string | null> {
  if ((yield step(move, id, closing[0], ...to)).length === 0) return takenScope;
  yield* closeAttempt(...closing);
  const refusing = yield* openAttemptWithin(...opening);
  if (refusing !== null) yield step(remove, id);
  return refusing;
}

/** Closes the attempt that the row names: a caller that never learnt whether its move was done cannot know which it is. */
export function* discardTask(id: string, ...[, ...rest]: Closing): Operation<null> {
  const row = (yield step(removeUntaken, id))[0];
  if (row !== undefined) yield* closeAttempt(asText(row[0]), ...rest);
  return null;
}

export function* getTask(tokenId: string, id: string): Operation<TaskCells | null> {
  return first(yield step(get, tokenId, id));
}

export function* taskByRequest(tokenId: string, requestId: string): Operation<TaskCells | null> {
  return first(yield step(getByRequest, tokenId, requestId));
}

export function* findTask(id: string): Operation<TaskCells | null> {
  return first(yield step(find, id));
}

export type TaskOrder = 'asc' | 'desc';

const listing = (order: TaskOrder, after: string): string =>
  `SELECT ${taskColumns} FROM tasks WHERE token_id = $1 AND deleted_at_ms IS NULL ${after}
   ORDER BY created_at_ms ${order}, id ${order} LIMIT $2`;
const firstPage = { asc: statement(listing('asc', '')), desc: statement(listing('desc', '')) };
const laterPage = {
  asc: statement(listing('asc', 'AND (created_at_ms, id) > ($3, $4)')),
  desc: statement(listing('desc', 'AND (created_at_ms, id) < ($3, $4)')),
};

export function* listTasks(
  tokenId: string,
  order: TaskOrder,
  most: number,
  afterMs: number | null,
  afterId: string | null,
): Operation<readonly TaskCells[]> {
  const rows = yield afterMs === null
    ? step(firstPage[order], tokenId, most)
    : step(laterPage[order], tokenId, most, afterMs, afterId);
  return rows.map(cellsOf);
}

export function* countOpenTasks(): Operation<number> {
  return asNumber((yield step(countAll))[0]?.[0]);
}

export function* markTaskDeleted(tokenId: string, id: string, atMs: number): Operation<boolean> {
  return (yield step(markDeleted, tokenId, id, atMs)).length > 0;
}

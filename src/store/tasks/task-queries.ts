/** The table `tasks`: how a video task begins together with the attempt that holds its money, and how tasks are read. */

import type { VideoFacts, VideoTicket } from '../../operations/video.ts';
import type { RequestedVideo, TaskError, TaskResult, TaskState, TaskTerms } from '../../tasks/task.ts';
import { closeAttempt, openAttemptWithin } from '../attempts/attempt-queries.ts';
import { type ClosingCells, closingTable, type OpeningCells } from '../attempts/attempt-table.ts';
import type { ScopeRow } from '../attempts/scope-rows.ts';
import { read, single, transaction } from '../sql/query.ts';
import { asNumber, asText, type Row, type Steps, statement, statementsBy, step } from '../sql/statement.ts';
import {
  type Codec,
  flag,
  freeText,
  integer,
  json,
  type NewRowIn,
  name,
  optional,
  type RowIn,
  table,
  text,
  textOf,
  time,
} from '../sql/table.ts';

const percent: Codec<number> = {
  type: 'BIGINT',
  bind: (value) => Math.min(100, Math.max(0, Math.round(value) || 0)),
  read: integer.read,
};

export const tasks = table('tasks', {
  id: text,
  tokenId: text,
  requestId: text,
  attemptId: text,
  state: textOf<TaskState>(),
  guessed: flag,
  provider: name,
  keyId: name,
  model: name,
  upstreamModel: name,
  percent,
  ticket: optional(json<VideoTicket>()),
  /** The column of `Task.requested`. */
  wishes: json<RequestedVideo>(),
  facts: json<VideoFacts>(),
  results: json<readonly TaskResult[]>(),
  error: optional(json<TaskError>()),
  terms: json<TaskTerms>(),
  createdAtMs: time,
  endedAtMs: optional(time),
  deadlineAtMs: time,
  expiresAtMs: optional(time),
  deletedAtMs: optional(time),
  callbackUrl: optional(freeText),
  asked: integer,
  faults: integer,
  version: integer,
});
export type TaskRow = RowIn<typeof tasks>;

/** Written out in every statement: a partial index serves only queries that repeat its condition. */
export const isOpenSql = "state IN ('queued', 'in_progress')";

const newTasks = table('tasks', {
  ...tasks.pick(
    ...([
      'id',
      'tokenId',
      'requestId',
      'attemptId',
      'provider',
      'keyId',
      'model',
      'upstreamModel',
      'wishes',
      'terms',
    ] as const),
    ...(['createdAtMs', 'deadlineAtMs', 'callbackUrl', 'deletedAtMs'] as const),
  ).columns,
  /** When a worker takes it up. */
  dueAtMs: time,
});
const insert = statement(
  `INSERT INTO tasks (${newTasks.list}, state, guessed, percent, facts, results, asked, faults, version, leased)
   VALUES (${newTasks.places()}, 'queued', 0, 0, '{}', '[]', 0, 0, 1, 0)`,
);
const lockOwner = statement(
  `INSERT INTO task_owners (token_id) VALUES ($1) ON CONFLICT (token_id) DO UPDATE SET token_id = excluded.token_id`,
);
const countOfToken = statement(`SELECT COUNT(*) FROM tasks WHERE token_id = $1 AND ${isOpenSql}`);

/** The scope that refuses a task of a token that has as many open as it may. */
const openTasksScope = 'open-tasks';
/** The scope that refuses to move a task that no longer belongs to its request. */
const takenScope = 'task';

/** An attempt with the budgets that it counts against. */
export interface Opening {
  readonly scopes: readonly ScopeRow[];
  readonly cells: OpeningCells;
}

/** Null where the task and its attempt were made; else the scope that refused, and then neither was. */
export const createTask = transaction(function* (
  task: NewRowIn<typeof newTasks>,
  openMax: number,
  opening: Opening,
): Steps<string | null> {
  yield step(lockOwner, task.tokenId);
  if (asNumber((yield step(countOfToken, task.tokenId))[0]?.[0]) >= openMax) return openTasksScope;
  const refusing = yield* openAttemptWithin.steps(opening.scopes, opening.cells);
  if (refusing !== null) return refusing;
  yield step(insert, ...newTasks.values(task));
  return null;
});

/** The next provider of a task that its provider did not accept. */
const targets = tasks.pick('attemptId', 'provider', 'keyId', 'upstreamModel', 'terms');
/** A task that a provider or a worker took no longer belongs to its request. */
const move = statement(
  `UPDATE tasks SET ${targets.assignments(3)}, version = version + 1
   WHERE id = $1 AND attempt_id = $2 AND state = 'queued' AND ticket IS NULL AND leased = 0 RETURNING id`,
);
const remove = statement('DELETE FROM tasks WHERE id = $1');

/** Null where it moved. Where a budget refuses the next attempt, the one before is closed and the task is removed. */
export const moveTask = transaction(function* (
  id: string,
  to: NewRowIn<typeof targets>,
  closing: ClosingCells,
  opening: Opening,
): Steps<string | null> {
  const moved = yield step(move, id, closingTable.get(closing, 'id'), ...targets.values(to));
  if (moved.length === 0) return takenScope;
  yield* closeAttempt.steps(closing);
  const refusing = yield* openAttemptWithin.steps(opening.scopes, opening.cells);
  if (refusing !== null) yield step(remove, id);
  return refusing;
});

const removeUntaken = statement(
  `DELETE FROM tasks WHERE id = $1 AND ticket IS NULL AND ${isOpenSql} RETURNING attempt_id`,
);

/** Closes the attempt that the row names: a caller that does not know whether its move was done cannot know which it is. */
export const discardTask = transaction(function* (id: string, closing: ClosingCells): Steps<null> {
  const row = (yield step(removeUntaken, id))[0];
  if (row === undefined) return null;
  yield* closeAttempt.steps(closingTable.cells({ ...closingTable.named(closing), id: asText(row[0]) }));
  return null;
});

const get = statement(`SELECT ${tasks.list} FROM tasks WHERE id = $2 AND token_id = $1 AND deleted_at_ms IS NULL`);
const getByRequest = statement(
  `SELECT ${tasks.list} FROM tasks WHERE request_id = $2 AND token_id = $1 AND deleted_at_ms IS NULL
   ORDER BY created_at_ms, id LIMIT 1`,
);
const find = statement(`SELECT ${tasks.list} FROM tasks WHERE id = $1`);

const first = ([row]: readonly Row[]): TaskRow | null => (row === undefined ? null : tasks.read(row));

export const getTask = read(function* (tokenId: string, id: string): Steps<TaskRow | null> {
  return first(yield step(get, tokenId, id));
});

export const taskByRequest = read(function* (tokenId: string, requestId: string): Steps<TaskRow | null> {
  return first(yield step(getByRequest, tokenId, requestId));
});

export const findTask = read(function* (id: string): Steps<TaskRow | null> {
  return first(yield step(find, id));
});

type TaskOrder = 'asc' | 'desc';

const listing = (order: TaskOrder) =>
  statementsBy((isLater: boolean) => {
    const after = isLater ? `AND (created_at_ms, id) ${order === 'asc' ? '>' : '<'} ($3, $4)` : '';
    return `SELECT ${tasks.list} FROM tasks WHERE token_id = $1 AND deleted_at_ms IS NULL ${after}
      ORDER BY created_at_ms ${order}, id ${order} LIMIT $2`;
  });
const lists = { asc: listing('asc'), desc: listing('desc') };

interface TaskListing {
  readonly limit: number;
  readonly after?: { readonly atMs: number; readonly id: string } | undefined;
  readonly order: TaskOrder;
}

export const listTasks = read(function* (
  tokenId: string,
  { limit, after, order }: TaskListing,
): Steps<readonly TaskRow[]> {
  const place = after === undefined ? [] : [after.atMs, after.id];
  const rows = yield step(lists[order](after !== undefined), tokenId, limit, ...place);
  return rows.map((row) => tasks.read(row));
});

const countAll = statement(`SELECT COUNT(*) FROM tasks WHERE ${isOpenSql}`);
const markDeleted = statement(
  'UPDATE tasks SET deleted_at_ms = $3 WHERE id = $2 AND token_id = $1 AND deleted_at_ms IS NULL RETURNING id',
);

export const countOpenTasks = read(function* (): Steps<number> {
  return asNumber((yield step(countAll))[0]?.[0]);
});

export const markTaskDeleted = single(function* (tokenId: string, id: string, atMs: number): Steps<boolean> {
  return (yield step(markDeleted, tokenId, id, atMs)).length > 0;
});

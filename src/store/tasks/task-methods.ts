/** The store's methods for video tasks. */

import type { AttemptOpening } from '../../ledger/ledger.ts';
import type { Task } from '../../tasks/task.ts';
import type { TaskEnd, TaskStore } from '../../tasks/task-store.ts';
import { verdictOf } from '../attempts/attempt-store.ts';
import { closingTable, openingTable } from '../attempts/attempt-table.ts';
import { scopeRows } from '../attempts/scope-rows.ts';
import type { Driver } from '../sql/driver.ts';
import { claimCallbacks, endCallback, postponeCallback } from './task-callbacks.ts';
import { correctTask, type EndRow, endTask, settleTaskGuess } from './task-ends.ts';
import {
  countOpenTasks,
  createTask,
  discardTask,
  findTask,
  getTask,
  listTasks,
  markTaskDeleted,
  moveTask,
  type Opening,
  type TaskRow,
  taskByRequest,
} from './task-queries.ts';
import { claimTasks, dueProviders, expireTasks, forgetTasks, hastenTask, renewTask, stepTask } from './task-work.ts';

/** A task is held by the database alone: whichever process follows it, no sweep ends its attempt. */
const noInstance = '';

const openingOf = (opening: AttemptOpening): Opening => ({
  scopes: scopeRows(opening),
  cells: openingTable.pack(opening, noInstance),
});

const endRow = ({ atMs, ...end }: TaskEnd): EndRow => ({ ...end, endedAtMs: atMs });

export const taskRecord = ({ wishes, ...row }: TaskRow): Task => ({
  ...row,
  requested: wishes,
  ticket: row.ticket,
  error: row.error,
  endedAtMs: row.endedAtMs,
  expiresAtMs: row.expiresAtMs,
  deletedAtMs: row.deletedAtMs,
  callbackUrl: row.callbackUrl,
});

const found = (row: TaskRow | null): Task | undefined => (row === null ? undefined : taskRecord(row));

export function taskStore(driver: Driver, nowMs: () => number): TaskStore {
  return {
    ...beginnings(driver),
    ...reading(driver),
    ...work(driver, nowMs),
    ...ends(driver),
    ...callbacks(driver),
  };
}

function beginnings(driver: Driver): Pick<TaskStore, 'create' | 'move' | 'discard'> {
  return {
    create: async (opening, { requested, ...task }, openMax) =>
      verdictOf(await driver.run(createTask, { ...task, wishes: requested }, openMax, openingOf(opening))),
    async move(taskId, closing, opening, to) {
      const closed = closingTable.pack(closing, undefined);
      return verdictOf(await driver.run(moveTask, taskId, to, closed, openingOf(opening)));
    },
    async discard(taskId, closing) {
      await driver.run(discardTask, taskId, closingTable.pack(closing, undefined));
    },
  };
}

function reading(driver: Driver): Pick<TaskStore, 'get' | 'byRequest' | 'find' | 'list' | 'openCount' | 'remove'> {
  return {
    get: async (tokenId, id) => found(await driver.run(getTask, tokenId, id)),
    byRequest: async (tokenId, requestId) => found(await driver.run(taskByRequest, tokenId, requestId)),
    find: async (id) => found(await driver.run(findTask, id)),
    async list(tokenId, page) {
      // One more than was asked for shows whether there are more.
      const rows = await driver.run(listTasks, tokenId, { ...page, limit: page.limit + 1 });
      return { items: rows.slice(0, page.limit).map(taskRecord), hasMore: rows.length > page.limit };
    },
    openCount: () => driver.run(countOpenTasks),
    remove: (tokenId, id, atMs) => driver.run(markTaskDeleted, tokenId, id, Math.round(atMs)),
  };
}

function work(
  driver: Driver,
  nowMs: () => number,
): Pick<TaskStore, 'dueProviders' | 'claim' | 'renew' | 'step' | 'hasten' | 'expire' | 'forget'> {
  return {
    dueProviders: (atMs) => driver.run(dueProviders, Math.round(atMs)),
    async claim(provider, atMs, leaseMs, limit) {
      const now = Math.round(atMs);
      const rows = await driver.run(claimTasks, provider, now, Math.round(now + leaseMs), limit);
      return rows.map(taskRecord);
    },
    renew: (id, version, dueAtMs) => driver.run(renewTask, id, version, Math.round(dueAtMs)),
    step: (id, version, step) => driver.run(stepTask, id, version, step),
    // A task never gets ahead of those that have been waiting.
    hasten: (id, dueAtMs) => driver.run(hastenTask, id, Math.round(Math.max(dueAtMs, nowMs()))),
    expire: (atMs, limit) => driver.run(expireTasks, Math.round(atMs), limit),
    forget: (endedBeforeMs, limit) => driver.run(forgetTasks, Math.round(endedBeforeMs), limit),
  };
}

function ends(driver: Driver): Pick<TaskStore, 'end' | 'correct' | 'settleGuess'> {
  return {
    end: (id, version, end, closing, callback) =>
      driver.run(endTask, id, version, endRow(end), closingTable.pack(closing, undefined), callback ?? null),
    correct: (id, version, end, closing, callback) =>
      driver.run(correctTask, id, version, endRow(end), closingTable.pack(closing, undefined), callback ?? null),
    settleGuess: (id, version) => driver.run(settleTaskGuess, id, version),
  };
}

function callbacks(driver: Driver): Pick<TaskStore, 'claimCallbacks' | 'endCallback' | 'postponeCallback'> {
  return {
    claimCallbacks: (atMs, leaseMs, limit) =>
      driver.run(claimCallbacks, Math.round(atMs), Math.round(atMs + leaseMs), limit),
    async endCallback(taskId) {
      await driver.run(endCallback, taskId);
    },
    async postponeCallback(taskId, dueAtMs) {
      await driver.run(postponeCallback, taskId, Math.round(dueAtMs));
    },
  };
}

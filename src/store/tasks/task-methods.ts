/** The methods of video tasks over a driver. */

import type { TaskResult } from '../../tasks/task.ts';
import type { TaskStore } from '../../tasks/task-store.ts';
import { closingCells, openingCells, scopeCells, verdictOf } from '../attempts/attempt-forms.ts';
import type { Driver } from '../sql/driver.ts';
import {
  callbackRecord,
  endCells,
  moveCells,
  newCallbackCells,
  newTaskCells,
  stepCells,
  taskRecord,
} from './task-forms.ts';
import type { TaskCells } from './task-queries.ts';

/** A task is held by the database alone: whichever process follows it, its attempt is nobody's to sweep. */
const noInstance = '';

const found = (cells: TaskCells | null) => (cells === null ? undefined : taskRecord(cells));

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
    async create(opening, task, openMax) {
      const attempt = openingCells(opening, noInstance);
      return verdictOf(await driver.run('createTask', newTaskCells(task), openMax, scopeCells(opening), ...attempt));
    },
    async move(taskId, closing, opening, to) {
      const next = [scopeCells(opening), ...openingCells(opening, noInstance)] as const;
      return verdictOf(await driver.run('moveTask', taskId, moveCells(to), closingCells(closing), [...next]));
    },
    async discard(taskId, closing) {
      await driver.run('discardTask', taskId, ...closingCells(closing));
    },
  };
}

function reading(driver: Driver): Pick<TaskStore, 'get' | 'byRequest' | 'find' | 'list' | 'openCount' | 'remove'> {
  return {
    get: async (tokenId, id) => found(await driver.run('getTask', tokenId, id)),
    byRequest: async (tokenId, requestId) => found(await driver.run('taskByRequest', tokenId, requestId)),
    find: async (id) => found(await driver.run('findTask', id)),
    async list(tokenId, { limit, after, order }) {
      const place = [after?.atMs ?? null, after?.id ?? null] as const;
      // One more than was asked for tells whether there are more.
      const rows = await driver.run('listTasks', tokenId, order, limit + 1, ...place);
      return { items: rows.slice(0, limit).map(taskRecord), hasMore: rows.length > limit };
    },
    openCount: () => driver.run('countOpenTasks'),
    remove: (tokenId, id, atMs) => driver.run('markTaskDeleted', tokenId, id, Math.round(atMs)),
  };
}

function work(
  driver: Driver,
  nowMs: () => number,
): Pick<TaskStore, 'dueProviders' | 'claim' | 'renew' | 'step' | 'hasten' | 'expire' | 'forget'> {
  return {
    dueProviders: (atMs) => driver.run('dueProviders', Math.round(atMs)),
    async claim(provider, atMs, leaseMs, limit) {
      const now = Math.round(atMs);
      const rows = await driver.run('claimTasks', provider, now, Math.round(now + leaseMs), limit);
      return rows.map(taskRecord);
    },
    renew: (id, version, dueAtMs) => driver.run('renewTask', id, version, Math.round(dueAtMs)),
    step: (id, version, step) => driver.run('stepTask', id, version, stepCells(step)),
    // Nobody may push ahead of those that have been waiting.
    hasten: (id, dueAtMs) => driver.run('hastenTask', id, Math.round(Math.max(dueAtMs, nowMs()))),
    async expire(atMs, limit) {
      const rows = await driver.run('expireTasks', Math.round(atMs), limit);
      return rows.map(([id, results]) => ({ id, results: JSON.parse(results) as TaskResult[] }));
    },
    forget: (endedBeforeMs, limit) => driver.run('forgetTasks', Math.round(endedBeforeMs), limit),
  };
}

function ends(driver: Driver): Pick<TaskStore, 'end' | 'correct' | 'settleGuess'> {
  return {
    end: (id, version, end, closing, callback) =>
      driver.run('endTask', id, version, endCells(end), closingCells(closing), newCallbackCells(callback)),
    correct: (id, version, end, closing, callback) =>
      driver.run('correctTask', id, version, endCells(end), closingCells(closing), newCallbackCells(callback)),
    settleGuess: (id, version) => driver.run('settleTaskGuess', id, version),
  };
}

function callbacks(driver: Driver): Pick<TaskStore, 'claimCallbacks' | 'endCallback' | 'postponeCallback'> {
  return {
    async claimCallbacks(atMs, leaseMs, limit) {
      const rows = await driver.run('claimCallbacks', Math.round(atMs), Math.round(atMs + leaseMs), limit);
      return rows.map(callbackRecord);
    },
    async endCallback(taskId) {
      await driver.run('endCallback', taskId);
    },
    async postponeCallback(taskId, dueAtMs) {
      await driver.run('postponeCallback', taskId, Math.round(dueAtMs));
    },
  };
}

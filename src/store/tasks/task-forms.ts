/** How tasks look between their typed form and the cells that travel to the database. */

import type { Task, TaskState } from '../../tasks/task.ts';
import type { Callback, NewCallback, NewTask, TaskEnd, TaskStep } from '../../tasks/task-store.ts';
import { storableName } from '../usage/row-forms.ts';
import type { CallbackCells, NewCallbackCells } from './task-callbacks.ts';
import type { EndCells } from './task-ends.ts';
import type { MoveCells, NewTaskCells, TaskCells } from './task-queries.ts';
import type { StepCells } from './task-work.ts';

/** PostgreSQL takes no NUL; unlike a name, an address or a message is not cut. */
const storableText = (text: string): string => text.replaceAll('\0', '\u{fffd}').toWellFormed();
const timeOrNull = (ms: number | undefined): number | null => (ms === undefined ? null : Math.round(ms));
/** JSON writes what no text may hold as an escape, so that every object can be kept. */
const jsonOrNull = (value: unknown): string | null => (value === undefined ? null : JSON.stringify(value));
const percentCell = (percent: number): number => Math.min(100, Math.max(0, Math.round(percent) || 0));

export const newTaskCells = (task: NewTask): NewTaskCells => [
  task.id,
  task.tokenId,
  task.requestId,
  task.attemptId,
  storableName(task.provider),
  storableName(task.keyId),
  storableName(task.model),
  storableName(task.upstreamModel),
  JSON.stringify(task.wishes),
  JSON.stringify(task.terms),
  Math.round(task.createdAtMs),
  Math.round(task.deadlineAtMs),
  task.callbackUrl === undefined ? null : storableText(task.callbackUrl),
  Math.round(task.dueAtMs),
];

export const moveCells = (
  to: Pick<Task, 'attemptId' | 'provider' | 'keyId' | 'upstreamModel' | 'terms'>,
): MoveCells => [
  to.attemptId,
  storableName(to.provider),
  storableName(to.keyId),
  storableName(to.upstreamModel),
  JSON.stringify(to.terms),
];

export const stepCells = (step: TaskStep): StepCells => [
  step.state,
  percentCell(step.percent),
  jsonOrNull(step.ticket),
  Math.round(step.faults),
  Math.round(step.dueAtMs),
];

export const endCells = (end: TaskEnd): EndCells => [
  end.state,
  end.guessed ? 1 : 0,
  percentCell(end.percent),
  JSON.stringify(end.facts),
  JSON.stringify(end.results),
  jsonOrNull(end.error),
  Math.round(end.atMs),
  timeOrNull(end.expiresAtMs),
  timeOrNull(end.dueAtMs),
];

export const newCallbackCells = (callback: NewCallback | undefined): NewCallbackCells | null =>
  callback === undefined ? null : [storableText(callback.url), storableText(callback.body)];

export const callbackRecord = ([taskId, tokenId, url, body, tries, createdAtMs]: CallbackCells): Callback => ({
  taskId,
  tokenId,
  url,
  body,
  tries,
  createdAtMs,
});

/** Everything in a row was written from the same types by the functions above. */
export function taskRecord(cells: TaskCells): Task {
  const text = (at: number): string => String(cells[at] ?? '');
  const number = (at: number): number => Number(cells[at] ?? 0);
  const json = <Kind>(at: number): Kind => JSON.parse(text(at)) as Kind;
  const jsonIfAny = <Kind>(at: number): Kind | undefined => (cells[at] === null ? undefined : json<Kind>(at));
  const numberIfAny = (at: number): number | undefined => (cells[at] === null ? undefined : number(at));
  return {
    id: text(0),
    tokenId: text(1),
    requestId: text(2),
    attemptId: text(3),
    state: text(4) as TaskState,
    guessed: number(5) === 1,
    provider: text(6),
    keyId: text(7),
    model: text(8),
    upstreamModel: text(9),
    percent: number(10),
    ticket: jsonIfAny(11),
    wishes: json(12),
    facts: json(13),
    results: json(14),
    error: jsonIfAny(15),
    terms: json(16),
    createdAtMs: number(17),
    endedAtMs: numberIfAny(18),
    deadlineAtMs: number(19),
    expiresAtMs: numberIfAny(20),
    deletedAtMs: numberIfAny(21),
    callbackUrl: cells[22] === null ? undefined : text(22),
    asked: number(23),
    faults: number(24),
    version: number(25),
  };
}

/** The table of tasks in a few maps, too simple to be wrong: no SQL, no transactions, no other takers. */

import type { AttemptClosing, AttemptOpening, BudgetScope } from '../../src/ledger/ledger.ts';
import { isOpen, type Task } from '../../src/tasks/task.ts';
import type { NewTask, TaskEnd, TaskStep } from '../../src/tasks/task-store.ts';
import { chargedIn, refusingScope, reservedIn } from './budget-amounts.ts';

interface ModelAttempt {
  readonly opening: AttemptOpening;
  closing: AttemptClosing | undefined;
}

type Writable<Kind> = { -readonly [Key in keyof Kind]: Kind[Key] };
export type ModelTask = Writable<Task> & { dueAtMs: number | undefined; leased: boolean; ends: number };

const keyOf = ({ scope, windowStartMs }: BudgetScope): string => `${scope}@${windowStartMs}`;

export class TaskModel {
  readonly tasks = new Map<string, ModelTask>();
  readonly attempts = new Map<string, ModelAttempt>();
  /** The cost in each request's usage row. */
  readonly charged = new Map<string, bigint>();

  /** Summed again each time: there is no stored balance that could be wrong. */
  balance(scope: BudgetScope): { spent: bigint; held: bigint } {
    let [spent, held] = [0n, 0n];
    for (const { opening, closing } of this.attempts.values()) {
      if (!opening.scopes.some((each) => keyOf(each) === keyOf(scope))) continue;
      if (closing === undefined) held += reservedIn(scope.unit, opening);
      else spent += chargedIn(scope.unit, opening, closing);
    }
    return { spent, held };
  }

  open(): ModelTask[] {
    return [...this.tasks.values()].filter(isOpen);
  }

  /** The name of the scope that refuses, if any. */
  #refuses(opening: AttemptOpening): string | undefined {
    return refusingScope(opening, (scope) => {
      const { spent, held } = this.balance(scope);
      return spent + held;
    });
  }

  #close(attemptId: string, closing: AttemptClosing): void {
    const attempt = this.attempts.get(attemptId);
    if (attempt === undefined || attempt.closing !== undefined) return;
    attempt.closing = closing;
    if (closing.row !== undefined) this.charged.set(closing.row.requestId, closing.row.costNano);
  }

  create(opening: AttemptOpening, task: NewTask, openMax: number): string | undefined {
    if (this.open().filter(({ tokenId }) => tokenId === task.tokenId).length >= openMax) return 'open-tasks';
    const refusing = this.#refuses(opening);
    if (refusing !== undefined) return refusing;
    this.attempts.set(opening.attemptId, { opening, closing: undefined });
    const nothing = { ticket: undefined, error: undefined, endedAtMs: undefined, expiresAtMs: undefined };
    this.tasks.set(task.id, {
      ...task,
      ...nothing,
      ...{ state: 'queued', guessed: false, percent: 0, facts: {}, results: [], asked: 0, faults: 0, version: 1 },
      ...{ deletedAtMs: undefined, leased: false, ends: 0 },
    });
    return undefined;
  }

  move(id: string, closing: AttemptClosing, opening: AttemptOpening, to: Partial<Task>): string | undefined {
    const task = this.tasks.get(id);
    const isOurs = task?.state === 'queued' && task.ticket === undefined && !task.leased;
    if (task === undefined || !isOurs || task.attemptId !== closing.attemptId) return 'task';
    this.#close(closing.attemptId, closing);
    const refusing = this.#refuses(opening);
    if (refusing !== undefined) {
      this.tasks.delete(id);
      return refusing;
    }
    this.attempts.set(opening.attemptId, { opening, closing: undefined });
    Object.assign(task, to, { version: task.version + 1 });
    return undefined;
  }

  discard(id: string, closing: AttemptClosing): void {
    const task = this.tasks.get(id);
    if (task === undefined || task.ticket !== undefined || !isOpen(task)) return;
    this.tasks.delete(id);
    this.#close(task.attemptId, closing);
  }

  claim(provider: string, nowMs: number, leaseMs: number, limit: number): ModelTask[] {
    const due = [...this.tasks.values()].flatMap((task) =>
      task.provider === provider && task.dueAtMs !== undefined && task.dueAtMs <= nowMs
        ? [{ task, at: task.dueAtMs }]
        : [],
    );
    due.sort((a, b) => a.at - b.at || (a.task.id < b.task.id ? -1 : 1));
    return due.slice(0, limit).map(({ task }) => {
      Object.assign(task, { dueAtMs: nowMs + leaseMs, leased: true, version: task.version + 1 });
      return task;
    });
  }

  renew(id: string, version: number, dueAtMs: number): boolean {
    const task = this.tasks.get(id);
    if (task?.dueAtMs === undefined || task.version !== version) return false;
    task.dueAtMs = dueAtMs;
    return true;
  }

  step(id: string, version: number, { state, ticket, ...rest }: TaskStep): boolean {
    const task = this.tasks.get(id);
    if (task === undefined || task.version !== version || !isOpen(task)) return false;
    if (state === 'in_progress') task.state = state;
    if (ticket !== undefined) task.ticket = ticket;
    Object.assign(task, rest, { leased: false, asked: task.asked + 1, version: version + 1 });
    return true;
  }

  #end(task: ModelTask, { atMs, ...end }: TaskEnd): void {
    Object.assign(task, end, { endedAtMs: atMs, leased: false, version: task.version + 1 });
  }

  end(id: string, version: number, end: TaskEnd, closing: AttemptClosing): boolean {
    const task = this.tasks.get(id);
    if (task === undefined || task.version !== version || !isOpen(task)) return false;
    if (task.attemptId !== closing.attemptId) return false;
    this.#end(task, end);
    task.ends += 1;
    this.#close(task.attemptId, closing);
    return true;
  }

  correct(id: string, version: number, end: TaskEnd, closing: AttemptClosing): boolean {
    const task = this.tasks.get(id);
    if (task === undefined || task.version !== version || task.state !== 'failed' || !task.guessed) return false;
    if (task.attemptId !== closing.attemptId) return false;
    this.#end(task, end);
    const attempt = this.attempts.get(task.attemptId);
    if (attempt !== undefined) attempt.closing = closing;
    this.charged.set(task.requestId, closing.costNano);
    return true;
  }

  settleGuess(id: string, version: number): boolean {
    const task = this.tasks.get(id);
    if (task === undefined || task.version !== version || task.state !== 'failed' || !task.guessed) return false;
    Object.assign(task, { guessed: false, dueAtMs: undefined, leased: false, version: version + 1 });
    return true;
  }

  hasten(id: string, dueAtMs: number): boolean {
    const task = this.tasks.get(id);
    if (task === undefined || !isOpen(task)) return false;
    if (task.ticket !== undefined && !task.leased) task.dueAtMs = Math.min(task.dueAtMs ?? dueAtMs, dueAtMs);
    return true;
  }

  remove(tokenId: string, id: string, atMs: number): boolean {
    const task = this.tasks.get(id);
    if (task === undefined || task.tokenId !== tokenId || task.deletedAtMs !== undefined) return false;
    task.deletedAtMs = atMs;
    return true;
  }

  /** The names of those whose results go, the earliest first. */
  expire(nowMs: number, limit: number): string[] {
    const over = [...this.tasks.values()].flatMap((task) =>
      task.expiresAtMs !== undefined && task.expiresAtMs <= nowMs && task.results.length > 0
        ? [{ task, at: task.expiresAtMs }]
        : [],
    );
    over.sort((a, b) => a.at - b.at || (a.task.id < b.task.id ? -1 : 1));
    return over.slice(0, limit).map(({ task }) => {
      Object.assign(task, { results: [], version: task.version + 1 });
      return task.id;
    });
  }

  forget(endedBeforeMs: number, limit: number): number {
    const over = [...this.tasks.values()].flatMap((task) =>
      task.endedAtMs !== undefined && task.endedAtMs < endedBeforeMs ? [{ id: task.id, at: task.endedAtMs }] : [],
    );
    over.sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1));
    for (const { id } of over.slice(0, limit)) this.tasks.delete(id);
    return Math.min(limit, over.length);
  }
}

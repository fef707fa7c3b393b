/** The port for storing tasks. Every change is one transaction, and names the version that it is based on. */

import type { AttemptClosing, AttemptOpening, OpeningVerdict } from '../ledger/ledger.ts';
import type { VideoFacts, VideoTicket } from '../operations/video.ts';
import type { Task, TaskError, TaskResult, TaskState, TaskTerms } from './task.ts';

/** A new task: queued, without progress, due when its request should long have been answered. */
export type NewTask = Pick<
  Task,
  | 'id'
  | 'tokenId'
  | 'requestId'
  | 'attemptId'
  | 'provider'
  | 'keyId'
  | 'model'
  | 'upstreamModel'
  | 'requested'
  | 'terms'
  | 'createdAtMs'
  | 'deadlineAtMs'
  | 'callbackUrl'
  | 'deletedAtMs'
> & { readonly dueAtMs: number };

/** What a poll changed. A state never goes back: `queued` after `in_progress` leaves `in_progress`. */
export interface TaskStep {
  readonly state: 'queued' | 'in_progress';
  readonly percent: number;
  /** Undefined leaves the one that is there. */
  readonly ticket: VideoTicket | undefined;
  readonly faults: number;
  /** When it is polled next. */
  readonly dueAtMs: number;
}

export interface TaskEnd {
  readonly state: Extract<TaskState, 'completed' | 'failed'>;
  readonly guessed: boolean;
  readonly percent: number;
  readonly facts: VideoFacts;
  readonly results: readonly TaskResult[];
  readonly error: TaskError | undefined;
  readonly atMs: number;
  readonly expiresAtMs: number | undefined;
  /** When a guessed end is polled again; absent where it is final. */
  readonly dueAtMs: number | undefined;
}

/** One message to a caller's `callback_url`, until it is delivered or given up. */
export interface Callback {
  readonly taskId: string;
  readonly tokenId: string;
  readonly url: string;
  /** The body, written once: every delivery says the same. */
  readonly body: string;
  readonly tries: number;
  readonly createdAtMs: number;
}

export interface NewCallback {
  readonly url: string;
  readonly body: string;
}

interface TaskPageRequest {
  readonly limit: number;
  readonly after?: { readonly atMs: number; readonly id: string } | undefined;
  readonly order: 'asc' | 'desc';
}

export interface TaskStore {
  /**
   * Reservation, dispatch mark and task in one transaction. Not admitted: nothing was written. `openMax` is how many open tasks
   * the token may have; with as many already, `scope` is `'open-tasks'`.
   */
  create(opening: AttemptOpening, task: NewTask, openMax: number): Promise<OpeningVerdict>;
  /** Its provider did not accept it: that attempt is closed for nothing and the next one opened, with the task, in one transaction. */
  move(
    taskId: string,
    closing: AttemptClosing,
    opening: AttemptOpening,
    to: Pick<Task, 'attemptId' | 'provider' | 'keyId' | 'upstreamModel'> & { readonly terms: TaskTerms },
  ): Promise<OpeningVerdict>;
  /** No provider accepted it: the task is removed and its attempt closed in one transaction. */
  discard(taskId: string, closing: AttemptClosing): Promise<void>;

  /** Nothing where there is none, where it was deleted, and where it is another token's. */
  get(tokenId: string, id: string): Promise<Task | undefined>;
  byRequest(tokenId: string, requestId: string): Promise<Task | undefined>;
  /** Of any token, deleted or not: for Weir's own work. */
  find(id: string): Promise<Task | undefined>;
  /** A token's own, without the deleted ones. */
  list(tokenId: string, page: TaskPageRequest): Promise<{ readonly items: readonly Task[]; readonly hasMore: boolean }>;

  /** The providers that have tasks due, each once. */
  dueProviders(nowMs: number): Promise<readonly string[]>;
  /**
   * Takes tasks that are due, the longest due first: each is due again only after `leaseMs`, so no other worker takes it meanwhile and
   * one does when its worker died. The records have the version under which the worker may write.
   */
  claim(provider: string, nowMs: number, leaseMs: number, limit: number): Promise<readonly Task[]>;
  /** Renews a lease. False where the task changed meanwhile. */
  renew(id: string, version: number, dueAtMs: number): Promise<boolean>;
  /** Counts one poll, grows the version by one. False where the task changed meanwhile: then nothing was written. */
  step(id: string, version: number, step: TaskStep): Promise<boolean>;
  /** The end and its settlement, and the callback where the caller wants one, in one transaction. False where it changed meanwhile. */
  end(
    id: string,
    version: number,
    end: TaskEnd,
    closing: AttemptClosing,
    callback: NewCallback | undefined,
  ): Promise<boolean>;
  /**
   * Replaces a guessed end by what the provider reported later, and its estimated charge by the true one: the budget, the attempt
   * and the usage row change by the difference, in one transaction. Only once; false where there is no guessed end to correct.
   */
  correct(
    id: string,
    version: number,
    end: TaskEnd,
    closing: AttemptClosing,
    callback: NewCallback | undefined,
  ): Promise<boolean>;
  /** Makes a guessed end final. */
  settleGuess(id: string, version: number): Promise<boolean>;
  /** Makes it due now. False where it is not open. */
  hasten(id: string, dueAtMs: number): Promise<boolean>;
  /** Marks it as unwanted; false where there is none of this token's. Does not grow the version: its worker continues. */
  remove(tokenId: string, id: string, atMs: number): Promise<boolean>;
  /** Ended tasks whose results have expired: their names, and the results are forgotten by the rows. At most `limit`. */
  expire(
    nowMs: number,
    limit: number,
  ): Promise<readonly { readonly id: string; readonly results: readonly TaskResult[] }[]>;
  /** Removes rows of tasks that ended before then, with their callbacks. At most `limit`; how many there were. */
  forget(endedBeforeMs: number, limit: number): Promise<number>;
  openCount(): Promise<number>;

  claimCallbacks(nowMs: number, leaseMs: number, limit: number): Promise<readonly Callback[]>;
  /** Delivered or given up. */
  endCallback(taskId: string): Promise<void>;
  postponeCallback(taskId: string, dueAtMs: number): Promise<void>;
}

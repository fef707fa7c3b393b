/** What the ledger needs of a store: ports that the store implements, so that the ledger imports no store. */

import type { AttemptClosing, AttemptOpening, AttemptRow, OpeningVerdict, RequestError, UsageRow } from './ledger.ts';

/** The database cannot be reached or cannot write now; nothing is known to be recorded. A retry may succeed. */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError';
}

/**
 * What became of a closing that ended no attempt: it ended one after all, it was written before, it was written now with its
 * opening, or nothing is known of its attempt.
 */
export type RecoveryVerdict = 'ended' | 'repeated' | 'recovered' | 'unknown';

export interface AttemptStore {
  /** The same as `open` and `close`, where they can be made durable without waiting; undefined and false where not. */
  openNow(opening: AttemptOpening): OpeningVerdict | undefined;
  closeNow(closing: AttemptClosing): boolean;
  open(opening: AttemptOpening): Promise<OpeningVerdict>;
  /** True where this call ended the attempt or corrected a sweep of it, false where it had ended before or never began. */
  close(closing: AttemptClosing): Promise<boolean>;
  checkpointMany(costs: Iterable<readonly [attemptId: string, costNano: bigint]>): Promise<void>;
  /** For a closing that ended no attempt. `opening`: what its process knows of it. Whatever is repeated is charged once. */
  recover(closing: AttemptClosing, opening: AttemptOpening | undefined): Promise<RecoveryVerdict>;
  /**
   * Settles the open attempts of an instance, but for those that it still runs, and returns how many there were. One that is known
   * to be dead runs none.
   */
  sweep(instanceId: string, atMs: number, runs?: (attemptId: string) => boolean): Promise<number>;
  /** All attempts of a request, in the order in which they were made. */
  ofRequest(requestId: string): Promise<readonly AttemptRow[]>;
}

interface Instance {
  readonly id: string;
  readonly pid: number;
  readonly startedAtMs: number;
  readonly heartbeatMs: number;
}

/** An instance that has a heartbeat, or attempts open, or idempotency keys in use. */
export interface SeenInstance {
  readonly id: string;
  /** -1 where it has none. */
  readonly heartbeatMs: number;
  /** It has attempts open or keys in use. */
  readonly holds: boolean;
}

export interface InstanceStore {
  /** Called by a process that serves; refused where another one serves from a SQLite folder. */
  register(): Promise<void>;
  heartbeat(): Promise<void>;
  others(): Promise<readonly Instance[]>;
  /** This one too. */
  seen(): Promise<readonly SeenInstance[]>;
  /** True where no other process can be serving from these data, so that every other instance is dead. */
  alone(): boolean;
  forget(instanceId: string): Promise<void>;
}

export interface HeldKey {
  readonly tokenId: string;
  readonly key: string;
  readonly requestId: string;
}

/** Idempotency keys that instances hold. */
export interface HeldKeyStore {
  /** Some of the keys that an instance has in use. */
  heldBy(instanceId: string, limit: number): Promise<readonly HeldKey[]>;
  /** The request failed without an effect: the key may be used again. A lost key stays lost. */
  forget(tokenId: string, key: string, requestId: string): Promise<void>;
  /** The process died, and the outcome of its request is unknown: the key is used up, and says so. */
  lose(tokenId: string, key: string, requestId: string): Promise<void>;
}

/** Prices that requests were charged at, each as the ledger wrote it. */
export interface PriceTextStore {
  /** One that is there already stays as it is. */
  put(name: string, text: string, atMs: number): Promise<void>;
}

export interface LedgerStore {
  /** The name under which this process holds attempts. */
  readonly instanceId: string;
  /** The database is a server that another may replace, which may lack the last that was written. */
  readonly failsOver: boolean;
  readonly attempts: AttemptStore;
  readonly instances: InstanceStore;
  readonly idempotency: HeldKeyStore;
  readonly prices: PriceTextStore;
  readonly usage: { insertMany(rows: readonly UsageRow[]): Promise<void> };
  readonly requestErrors: { insertMany(rows: readonly RequestError[]): Promise<void> };
}

/** The background work on sums of usage; repeating it, or doing it in two replicas at once, changes nothing. */
export interface RollupStore {
  /** True where this replica is to do the next pass. */
  claim(nowMs: number, nextMs: number): Promise<boolean>;
  /** Takes back what a wrong clock summed and removed ahead of now. True where there was something. */
  bringBack(nowMs: number): Promise<boolean>;
  /**
   * Sums a slice of the next hour, day or week that is over, or of one that changed since; with the last slice the sums are written.
   * False where there is nothing to do.
   */
  step(nowMs: number): Promise<boolean>;
  /** Allows rows before this hour to be removed, as far as they are summed. */
  retainFrom(fromMs: number): Promise<void>;
  /** The first hour from which on there are at most so many rows; undefined where there are no more than that. */
  hourOfNewest(rowsMax: number): Promise<number | undefined>;
  /** Removes some of the rows that may be removed and returns how many. */
  removeRows(limit: number): Promise<number>;
  /** Reads so many attempts after this id, removes those that may be removed, and returns where to continue; undefined at the end. */
  removeAttempts(
    afterId: string,
    limit: number,
  ): Promise<{ readonly removed: number; readonly nextId: string | undefined }>;
  /** Removes some of the errors whose requests may be removed and returns how many. */
  removeErrors(limit: number): Promise<number>;
}

/** Closings that another process wrote to its spill file. */
export interface SpilledClosings {
  readonly path: string;
  /** The instance that wrote it. */
  readonly owner: string;
  readonly closings: readonly AttemptClosing[];
  /** Lines that cannot be read. */
  readonly damaged: number;
}

/** A file for closings that the database could not take, so that they outlive the process. */
export interface ClosingSpill {
  readonly path: string;
  /** Resolves when it is on the disk. */
  append(closing: AttemptClosing): Promise<void>;
  /** Removes the file if, when its turn comes, everything in it is written elsewhere. */
  removeWhere(isDone: () => boolean): Promise<void>;
  /** What this process has spilled so far. */
  own(): Promise<readonly AttemptClosing[]>;
  /** What other processes left, dead or alive. */
  ofOthers(): Promise<readonly SpilledClosings[]>;
  /** Removes a file whose closings are in the database; one with damaged lines is kept for the operator. */
  discard(file: SpilledClosings): Promise<void>;
}

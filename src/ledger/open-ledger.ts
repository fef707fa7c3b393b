/**
 * The ledger over a store. Reservation and dispatch mark are one commit, because nothing happens between them: a process
 * that dies after the commit and before the first byte is charged as estimated, never for nothing unseen. A reservation is
 * an upper bound, so budgets hold; a provider that bills more than the bound is charged truthfully all the same.
 */

import { type Store, StoreUnavailableError } from '../store/store.ts';
import type { AttemptClosing, Ledger, UsageRow } from './ledger.ts';
import { makeSweeper } from './sweeper.ts';

export interface LedgerOptions {
  readonly store: Store;
  readonly nowMs: () => number;
  /** How long a heartbeat may stand still before its instance counts as dead. */
  readonly leaseMs?: number;
  readonly heartbeatMs?: number;
  readonly sweepMs?: number;
  /** How often checkpoints and refused requests are written. */
  readonly checkpointMs?: number;
  /** Faults of the background work; the ledger goes on and tries again. */
  readonly onFault?: (what: string, error: unknown) => void;
}

export interface RunningLedger extends Ledger {
  /** Registers this process, ends what earlier ones left, begins the heartbeat. */
  start(): Promise<void>;
  /** Writes what is waiting and leaves; attempts that are still open stay for a sweeper. */
  stop(): Promise<void>;
  /** One round of all background work except the heartbeat. Returns how many lost attempts were ended. */
  sweepOnce(): Promise<number>;
  /** Writes checkpoints and refused requests now. */
  flush(): Promise<void>;
}

/** What may wait in memory for a database that is away. */
const closingsMax = 20_000;
const recordsMax = 50_000;
const recordsPerWrite = 512;

export function openLedger(options: LedgerOptions): RunningLedger {
  const { store, nowMs, leaseMs = 15_000, heartbeatMs = 5_000, sweepMs = 5_000, checkpointMs = 1_000 } = options;
  const onFault = options.onFault ?? (() => undefined);
  const sweeper = makeSweeper({ store, nowMs, leaseMs });
  const checkpoints = new Map<string, bigint>();
  const closings = makeClosings(store);
  let records: UsageRow[] = [];
  let timers: Timer[] = [];
  let flushing: Promise<void> | undefined;

  async function writeCheckpoints(): Promise<void> {
    if (checkpoints.size === 0) return;
    const batch = [...checkpoints];
    checkpoints.clear();
    try {
      await store.attempts.checkpointMany(batch);
    } catch (error) {
      // A newer figure may have come meanwhile; an older one must not overwrite it.
      for (const [id, costNano] of batch) if (!checkpoints.has(id)) checkpoints.set(id, costNano);
      throw error;
    }
  }

  async function writeRecords(): Promise<void> {
    while (records.length > 0) {
      const batch = records.slice(0, recordsPerWrite);
      await store.usage.insertMany(batch);
      records = records.slice(batch.length);
    }
  }

  /** One at a time: two would write the same records. */
  function flush(): Promise<void> {
    flushing ??= Promise.all([writeCheckpoints(), writeRecords()])
      .then(() => undefined)
      .finally(() => {
        flushing = undefined;
      });
    return flushing;
  }

  async function sweepOnce(): Promise<number> {
    await closings.retry(nowMs());
    return sweeper.sweep();
  }

  function every(periodMs: number, what: string, work: () => Promise<unknown>): Timer {
    let running = false;
    return setInterval(() => {
      if (running) return;
      running = true;
      void work()
        .catch((error: unknown) => onFault(what, error))
        .finally(() => {
          running = false;
        });
    }, periodMs);
  }

  return {
    async open(opening) {
      try {
        return await store.attempts.open(opening);
      } catch (error) {
        // Perhaps it was recorded and only the answer was lost; then it holds money for a call that is never made.
        closings.releaseLater(opening.attemptId, nowMs());
        throw error;
      }
    },
    close(closing) {
      checkpoints.delete(closing.attemptId);
      return closings.close(closing);
    },
    checkpoint(attemptId, costNano) {
      checkpoints.set(attemptId, costNano);
    },
    record(row) {
      if (records.length < recordsMax) records.push(row);
      else onFault('record', new StoreUnavailableError('Too many usage rows wait for the database; one was dropped.'));
    },
    async start() {
      await store.instances.register();
      await sweeper.sweep();
      timers = [
        every(heartbeatMs, 'heartbeat', store.instances.heartbeat),
        every(sweepMs, 'sweep', sweepOnce),
        every(checkpointMs, 'flush', flush),
      ];
    },
    async stop() {
      for (const timer of timers) clearInterval(timer);
      timers = [];
      await closings.finish(nowMs());
      await flushing?.catch(() => undefined);
      await flush();
      // Attempts that are still open belong to no living process from here on; others see that at once.
      await store.instances.forget(store.instanceId);
    },
    sweepOnce,
    flush,
  };
}

interface Closings {
  close(closing: AttemptClosing): Promise<void>;
  /** An opening whose outcome is unknown is released as soon as the database can be asked. */
  releaseLater(attemptId: string, nowMs: number): void;
  retry(nowMs: number): Promise<void>;
  /** Tries a last time and gives up on what still fails. */
  finish(nowMs: number): Promise<void>;
}

/** An opening that timed out here may still be committed by the server; afterwards the server has given up too. */
const lateCommitMs = 60_000;

/** Closings that the database could not take: the cost is known, so it is kept and tried again until it is written. */
function makeClosings(store: Store): Closings {
  const waiting = new Map<string, { closing: AttemptClosing; resolve: () => void; reject: (error: unknown) => void }>();
  const releases = new Map<string, number>();

  async function retry(nowMs: number): Promise<void> {
    for (const [attemptId, { closing, resolve }] of waiting) {
      await store.attempts.close(closing);
      waiting.delete(attemptId);
      resolve();
    }
    for (const [attemptId, sinceMs] of releases) {
      const found = await store.attempts.close({ attemptId, costNano: 0n, estimated: false, atMs: nowMs });
      if (found || nowMs - sinceMs > lateCommitMs) releases.delete(attemptId);
    }
  }

  return {
    async close(closing) {
      try {
        await store.attempts.close(closing);
      } catch (error) {
        if (!(error instanceof StoreUnavailableError) || waiting.size >= closingsMax) throw error;
        await new Promise<void>((resolve, reject) => {
          waiting.set(closing.attemptId, { closing, resolve, reject });
        });
      }
    },
    releaseLater(attemptId, nowMs) {
      if (releases.size < closingsMax) releases.set(attemptId, nowMs);
    },
    retry,
    async finish(nowMs) {
      await retry(nowMs).catch(() => undefined);
      for (const [attemptId, { reject }] of waiting) {
        reject(new StoreUnavailableError(`The closing of attempt ${attemptId} could not be written.`));
      }
      waiting.clear();
    },
  };
}

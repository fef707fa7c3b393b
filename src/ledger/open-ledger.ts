/**
 * The ledger over a store. Reservation and dispatch mark are one commit, because nothing happens between them: a process
 * that dies after the commit and before the first byte is charged as estimated, never for nothing unseen. A reservation is
 * an upper bound, so budgets hold; a provider that bills more than the bound is charged truthfully all the same.
 */

import { createChargedPrices } from './charged-prices.ts';
import { makeClosings, type Unwritten } from './closings/closings.ts';
import { LedgerCounts, type LedgerFigures } from './closings/ledger-counts.ts';
import { makeDeferredWrites } from './deferred-writes.ts';
import { createLease } from './lease.ts';
import type { Ledger } from './ledger.ts';
import type { ClosingSpill, LedgerStore } from './ledger-store.ts';
import { makeSweeper } from './sweeper.ts';

interface LedgerOptions {
  readonly store: LedgerStore;
  readonly nowMs: () => number;
  /** How long a heartbeat may be unchanged before its instance counts as dead. */
  readonly leaseMs?: number;
  readonly heartbeatMs?: number;
  readonly sweepMs?: number;
  /** How often checkpoints and refused requests are written. */
  readonly checkpointMs?: number;
  /** Keeps settlements that the database cannot take; absent: only memory does. */
  readonly spill?: ClosingSpill | undefined;
  /** Faults of the background work; the ledger continues and tries again. */
  readonly onFault?: (what: string, error: unknown) => void;
  /** Lines of the log about what was lost or written again. */
  readonly tell?: (level: 'error' | 'warn', message: string, details: Readonly<Record<string, unknown>>) => void;
  /** What could not be written, while it is to be shown. */
  readonly condition?: (text: string | undefined) => void;
}

export interface RunningLedger extends Ledger {
  /** Registers this process, writes and ends what earlier ones left, begins the heartbeat. */
  start(): Promise<void>;
  /**
   * Writes what is waiting and ends; attempts that are still open stay for a sweeper. Waits up to `patienceMs` for a
   * database that is unavailable and returns what could not be written.
   */
  stop(patienceMs?: number): Promise<Unwritten | undefined>;
  /** Writes this process's own heartbeat now. */
  heartbeat(): Promise<void>;
  /** One round of all background work except the heartbeat. Returns how many lost attempts were ended. */
  sweepOnce(): Promise<number>;
  /** Ends what another process, which is known to have ended, left open. */
  endInstance(instanceId: string): Promise<number>;
  /** Writes checkpoints and refused requests now. */
  flush(): Promise<void>;
  /**
   * True where no replica can have considered this process dead since then. Checked for what others would take over.
   */
  livedSince(atMs: number): boolean;
  readonly figures: LedgerFigures;
}

const nothing = (): void => undefined;

/** How often a process compares what the database has open in its name with what it runs. */
const compareMs = 60_000;

export function openLedger(options: LedgerOptions): RunningLedger {
  const { store, nowMs, leaseMs = 15_000, heartbeatMs = 5_000, sweepMs = 5_000, checkpointMs = 1_000 } = options;
  const { onFault = nothing, tell = nothing, condition = nothing } = options;
  const lease = createLease({ instances: store.instances, nowMs, leaseMs });
  const sweeper = makeSweeper({ store, nowMs, leaseMs, livedSince: lease.livedSince });
  const counts = new LedgerCounts({ nowMs, tell, condition });
  /** When what is open was last compared; undefined where there was an outage since. */
  let comparedAtMs: number | undefined = nowMs();
  const onDoubt = (): void => {
    comparedAtMs = undefined;
  };
  const closings = makeClosings({ store, onFault, nowMs, spill: options.spill, counts, onDoubt });
  const writes = makeDeferredWrites(store, onFault);
  const chargedPrices = createChargedPrices(store.prices, nowMs, onFault);
  let timers: Timer[] = [];

  async function sweepOnce(): Promise<number> {
    try {
      await closings.retry(nowMs());
      const swept = await sweeper.sweep();
      return swept + (await endOwn());
    } catch (error) {
      onDoubt();
      throw error;
    } finally {
      counts.report();
    }
  }

  /** A database that lost the end of an attempt has it open for as long as this process lives. */
  async function endOwn(): Promise<number> {
    const atMs = nowMs();
    if (!store.failsOver) return 0;
    if (comparedAtMs !== undefined && Math.abs(atMs - comparedAtMs) < compareMs) return 0;
    comparedAtMs = atMs;
    const ended = await sweeper.endOwn(closings.has);
    counts.ended(ended);
    return ended;
  }

  async function heartbeat(): Promise<void> {
    try {
      await lease.renew();
    } catch (error) {
      sweeper.forget();
      onDoubt();
      throw error;
    }
  }

  return {
    openNow: (opening) => store.attempts.openNow(opening),
    closeNow(closing) {
      if (!store.attempts.closeNow(closing)) return false;
      writes.dropCheckpoint(closing.attemptId);
      return true;
    },
    open(opening) {
      if (store.failsOver) closings.begin(opening);
      const opened = store.attempts.open(opening);
      opened.then(
        ({ admitted }) => {
          if (!admitted) closings.forget(opening.attemptId);
        },
        () => {
          // Perhaps it was recorded and only the answer was lost; then it holds money for a call that is never made.
          closings.releaseLater(opening.attemptId, nowMs());
          closings.forget(opening.attemptId);
        },
      );
      return opened;
    },
    close(closing) {
      writes.dropCheckpoint(closing.attemptId);
      return closings.close(closing);
    },
    checkpoint: writes.checkpoint,
    record: writes.record,
    recordError: writes.recordError,
    nameOf: chargedPrices.nameOf,
    async start() {
      await lease.begin();
      // Before the sweep: what is known of an attempt needs no estimate.
      await closings.recover();
      await sweeper.sweep();
      timers = [
        repeat(heartbeatMs, heartbeat, (error) => onFault('heartbeat', error)),
        repeat(sweepMs, sweepOnce, (error) => onFault('sweep', error)),
        repeat(checkpointMs, writes.flush, (error) => onFault('flush', error)),
        // Where it fails, the flush above reports it.
        repeat(checkpointMs / rowFlushes, writes.flushRows, () => undefined),
        repeat(checkpointMs, chargedPrices.flush, (error) => onFault('write a price', error)),
      ];
    },
    async stop(patienceMs = 0) {
      for (const timer of timers) clearInterval(timer);
      timers = [];
      const unwritten = await closings.finish(patienceMs);
      await Promise.all([writes.finish(), chargedPrices.flush()]).catch((error: unknown) => onFault('stop', error));
      await store.instances.forget(store.instanceId).catch((error: unknown) => onFault('stop', error));
      return unwritten;
    },
    heartbeat,
    sweepOnce,
    endInstance: sweeper.end,
    flush: writes.flush,
    livedSince: lease.livedSince,
    get figures() {
      return counts.figures;
    },
  };
}

/** How often rows are written for each time that checkpoints are: a failed request is found by its id within a second. */
const rowFlushes = 4;

/** Runs the work again and again, never twice at a time. */
function repeat(periodMs: number, work: () => Promise<unknown>, onFault: (error: unknown) => void): Timer {
  let running = false;
  return setInterval(() => {
    if (running) return;
    running = true;
    void work()
      .catch(onFault)
      .finally(() => {
        running = false;
      });
  }, periodMs);
}

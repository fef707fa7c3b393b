/**
 * PostgreSQL in simulated time: a batch needs a connection, CPU time before its locks, the rows of its budgets one after
 * another in a fixed order, CPU time and a disk flush while it holds them.
 */

import type { Batch } from './batches.ts';
import { type Clock, type Cores, Line, type Thread } from './clock.ts';
import type { BatchCost } from './costs.ts';

export interface DatabaseOptions {
  readonly roundTripMs: number;
  /** Batches that the server, or PgBouncer, runs at a time. */
  readonly connections: number;
  readonly cost: BatchCost;
  /** How long a commit waits for the disk. */
  readonly flushMs: number;
  /** The share of a batch's CPU time that is spent while its budgets are locked. */
  readonly lockedShare: number;
  /** `clocks.database_timeout_ms`. */
  readonly timeoutMs: number;
}

/** As in `src/store/engines/postgres-driver.ts`: the server ends what Weir gave up on. */
const serverTimeoutShare = 1.6;

interface Running {
  readonly batch: Batch;
  readonly budgets: readonly number[];
  /** How many of its budgets it has locked. */
  locked: number;
  waitsFor: number | undefined;
  isGivenUp: boolean;
}

interface Row {
  holder: Running | undefined;
  sinceMs: number;
  heldMs: number;
  readonly waiting: Line<Running>;
}

export class SimulatedDatabase {
  timeouts = 0;
  connectionMs = 0;
  readonly #clock: Clock;
  readonly #cores: Cores;
  readonly #options: DatabaseOptions;
  readonly #rows = new Map<number, Row>();
  readonly #queue = new Line<Running>();
  #connectionsFree: number;

  constructor(clock: Clock, cores: Cores, options: DatabaseOptions) {
    this.#clock = clock;
    this.#cores = cores;
    this.#options = options;
    this.#connectionsFree = options.connections;
  }

  /** How long the busiest budget's row has been locked. */
  get lockedMsMost(): number {
    return Math.max(0, ...[...this.#rows.values()].map(({ heldMs }) => heldMs));
  }

  send(batch: Batch): void {
    const budgets = new Set(batch.items.flatMap(({ budget }) => (budget === undefined ? [] : [budget])));
    const sorted = [...budgets].sort((left, right) => left - right);
    const running: Running = { batch, budgets: sorted, locked: 0, waitsFor: undefined, isGivenUp: false };
    let isAnswered = false;
    this.#clock.after(this.#options.timeoutMs, () => {
      if (isAnswered) return;
      running.isGivenUp = true;
      this.timeouts += 1;
      batch.failed();
    });
    const answer = (): void => {
      if (running.isGivenUp) return;
      isAnswered = true;
      batch.answered();
    };
    this.#replies.set(running, answer);
    this.#clock.after(this.#options.roundTripMs / 2, () => {
      this.#queue.add(running);
      this.#connect();
    });
  }

  readonly #replies = new WeakMap<Running, () => void>();

  #connect(): void {
    while (this.#connectionsFree > 0) {
      const running = this.#queue.take();
      if (running === undefined) return;
      // Its client has closed the connection.
      if (running.isGivenUp) continue;
      this.#connectionsFree -= 1;
      this.#start(running, this.#clock.nowMs);
    }
  }

  #start(running: Running, sinceMs: number): void {
    const { cost, lockedShare, flushMs, timeoutMs } = this.#options;
    const costMs = (cost.fixedMicros + cost.itemMicros * running.batch.items.length) / 1_000;
    const end = (isCommitted: boolean): void => {
      this.#release(running);
      this.#connectionsFree += 1;
      this.connectionMs += this.#clock.nowMs - sinceMs;
      if (isCommitted) this.#clock.after(this.#options.roundTripMs / 2, () => this.#replies.get(running)?.());
      this.#connect();
    };
    const commit = (): void => this.#clock.after(flushMs, () => end(true));
    this.#cores.run(costMs * (1 - lockedShare), () => {
      this.#lock(running, () => this.#cores.run(costMs * lockedShare, commit));
    });
    if (running.budgets.length === 0) return;
    this.#clock.after(timeoutMs * serverTimeoutShare, () => {
      if (running.waitsFor === undefined) return;
      this.#rowOf(running.waitsFor).waiting.remove(running);
      running.waitsFor = undefined;
      end(false);
    });
  }

  /** Row by row; those that it has stay locked while it waits for the next. */
  #lock(running: Running, then: () => void): void {
    for (let next = running.budgets[running.locked]; next !== undefined; next = running.budgets[running.locked]) {
      const row = this.#rowOf(next);
      if (row.holder !== undefined && row.holder !== running) {
        running.waitsFor = next;
        this.#continuations.set(running, then);
        row.waiting.add(running);
        return;
      }
      if (row.holder === undefined) row.sinceMs = this.#clock.nowMs;
      row.holder = running;
      running.locked += 1;
    }
    then();
  }

  readonly #continuations = new WeakMap<Running, () => void>();

  #release(running: Running): void {
    const woken: Running[] = [];
    for (const budget of running.budgets.slice(0, running.locked)) {
      const row = this.#rowOf(budget);
      row.heldMs += this.#clock.nowMs - row.sinceMs;
      row.sinceMs = this.#clock.nowMs;
      const next = row.waiting.take();
      row.holder = next;
      if (next !== undefined) woken.push(next);
    }
    for (const next of woken) {
      next.waitsFor = undefined;
      const then = this.#continuations.get(next);
      if (then !== undefined) this.#lock(next, then);
    }
  }

  #rowOf(budget: number): Row {
    const known = this.#rows.get(budget);
    if (known !== undefined) return known;
    const row: Row = { holder: undefined, sinceMs: 0, heldMs: 0, waiting: new Line() };
    this.#rows.set(budget, row);
    return row;
  }
}

/** Redis: one thread, a script for each batch. */
export class SimulatedRedis {
  readonly #clock: Clock;
  readonly #thread: Thread;
  readonly #options: Pick<DatabaseOptions, 'roundTripMs' | 'cost'>;

  constructor(clock: Clock, thread: Thread, options: Pick<DatabaseOptions, 'roundTripMs' | 'cost'>) {
    this.#clock = clock;
    this.#thread = thread;
    this.#options = options;
  }

  send(batch: Batch): void {
    const { roundTripMs, cost } = this.#options;
    const costMs = (cost.fixedMicros + cost.itemMicros * batch.items.length) / 1_000;
    this.#clock.after(roundTripMs / 2, () =>
      this.#thread.run(costMs, () => this.#clock.after(roundTripMs / 2, () => batch.answered())),
    );
  }
}

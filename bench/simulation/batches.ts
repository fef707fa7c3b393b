/** The batch queue of a replica (`src/store/batching/batch-queue.ts`) in simulated time: the same rules and limits. */

import { batchLimits } from '../../src/store/batching/batch-queue.ts';
import type { Clock, Thread } from './clock.ts';

export interface Item {
  /** Undefined where it counts against no budget. */
  readonly budget: number | undefined;
  answered(): void;
  failed(): void;
}

export interface Batch {
  readonly items: readonly Item[];
  answered(): void;
  failed(): void;
}

interface QueueParts {
  readonly clock: Clock;
  /** The replica's event loop. */
  readonly loop: Thread;
  /** Of Weir, for a batch of any size. */
  readonly batchMs: number;
  send(batch: Batch): void;
}

export class SimulatedQueue {
  batches = 0;
  items = 0;
  inFlightMs = 0;
  readonly #parts: QueueParts;
  #waiting: Item[] = [];
  #inFlight = false;
  #isLeaving = false;
  /** A timer that was replaced does nothing. */
  #timer = 0;
  #hasTimer = false;
  #leftAtMs = Number.NEGATIVE_INFINITY;
  #rate = 0;

  constructor(parts: QueueParts) {
    this.#parts = parts;
  }

  add(item: Item): void {
    this.#waiting.push(item);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#inFlight || this.#isLeaving) return;
    const { clock, loop, batchMs } = this.#parts;
    const { gatherMsMax, gatherMsPerRate, soonMs, fullAt } = batchLimits;
    const waitMs = this.#leftAtMs + Math.min(gatherMsMax, this.#rate * gatherMsPerRate) - clock.nowMs;
    if (waitMs > soonMs && this.#waiting.length < fullAt) {
      if (this.#hasTimer) return;
      this.#hasTimer = true;
      const timer = ++this.#timer;
      clock.after(waitMs, () => {
        if (this.#timer === timer && this.#hasTimer) this.#leaveSoon(loop, batchMs);
      });
      return;
    }
    this.#leaveSoon(loop, batchMs);
  }

  /** Behind what the event loop already has to do, which therefore travels along. */
  #leaveSoon(loop: Thread, batchMs: number): void {
    if (this.#isLeaving) return;
    this.#isLeaving = true;
    loop.run(batchMs, () => this.#leave());
  }

  #leave(): void {
    this.#hasTimer = false;
    this.#isLeaving = false;
    if (this.#inFlight || this.#waiting.length === 0) return;
    const { nowMs } = this.#parts.clock;
    this.#rate = this.#waiting.length / Math.max(1, nowMs - this.#leftAtMs);
    this.#leftAtMs = nowMs;
    this.#inFlight = true;
    const items = this.#waiting.splice(0, batchLimits.itemsMax);
    this.batches += 1;
    this.items += items.length;
    this.#parts.send({
      items,
      answered: () => this.#end(nowMs, items, (item) => item.answered()),
      failed: () => this.#end(nowMs, [...items, ...this.#waiting.splice(0)], (item) => item.failed()),
    });
  }

  #end(sinceMs: number, items: readonly Item[], tell: (item: Item) => void): void {
    for (const item of items) tell(item);
    this.#inFlight = false;
    this.inFlightMs += this.#parts.clock.nowMs - sinceMs;
    if (this.#waiting.length > 0) this.#schedule();
  }
}

/** Encoded records that wait for the collector: bounded in number and bytes; beyond the bound the oldest are dropped and counted. */

import type { Batch } from './encoding.ts';
import type { Signal } from './records.ts';

/** What one export holds at most. */
const batchCountMax = 512;
const batchBytesMax = 1_048_576;

interface QueueOptions {
  readonly signal: Signal;
  newBatch(): Batch;
  readonly bytesMax: number;
  /** A batch is full: it need not wait for the timer. */
  onFull(): void;
  onDropped(count: number): void;
}

export class BatchQueue {
  readonly #options: QueueOptions;
  #filling: Batch | undefined;
  #full: Batch[] = [];
  #fullBytes = 0;

  constructor(options: QueueOptions) {
    this.#options = options;
  }

  get isEmpty(): boolean {
    return this.#full.length === 0 && this.#filling === undefined;
  }

  /** Has it no room for one more batch? */
  get isFull(): boolean {
    return this.#full.length > 0 && this.#fullBytes + batchBytesMax > this.#options.bytesMax;
  }

  /** The batch that takes the next record; `added` is called after each. */
  get filling(): Batch {
    this.#filling ??= this.#options.newBatch();
    return this.#filling;
  }

  added(): void {
    const { count, bytes } = this.filling;
    if (count >= batchCountMax || bytes >= batchBytesMax) {
      this.#seal();
      this.#options.onFull();
    }
    while (this.#fullBytes + (this.#filling?.bytes ?? 0) > this.#options.bytesMax && this.#full.length > 0)
      this.#drop();
  }

  #seal(): void {
    if (this.#filling === undefined) return;
    // From now on it takes as much memory as it has bytes, and what it was written with is free for the next.
    this.#filling.body(this.#options.signal);
    this.#full.push(this.#filling);
    this.#fullBytes += this.#filling.bytes;
    this.#filling = undefined;
  }

  #drop(): void {
    const oldest = this.#full.shift();
    if (oldest === undefined) return;
    this.#fullBytes -= oldest.bytes;
    this.#options.onDropped(oldest.count);
  }

  /** The oldest batch, also one that is not full; it leaves the queue. */
  take(): Batch | undefined {
    if (this.#full.length === 0) this.#seal();
    const oldest = this.#full.shift();
    if (oldest !== undefined) this.#fullBytes -= oldest.bytes;
    return oldest;
  }

  /** A batch that could not be sent comes first again. */
  putBack(batch: Batch): void {
    this.#full.unshift(batch);
    this.#fullBytes += batch.bytes;
    while (this.#fullBytes > this.#options.bytesMax && this.#full.length > 0) this.#drop();
  }

  /** At the end. */
  dropAll(): void {
    this.#seal();
    while (this.#full.length > 0) this.#drop();
  }
}

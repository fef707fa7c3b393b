/** Exports one kind of records in batches: when one is full, on a timer, and at the end. One export at a time. */

import { BatchQueue } from './batch-queue.ts';
import type { Collector } from './collector.ts';
import type { Encoding } from './encoding.ts';
import type { LogRecord, Signal, SpanRecord } from './records.ts';

/** Why records were not exported. */
type DropReason = 'queue_full' | 'refused' | 'shutdown';

/** How many records of a signal were sent, and how many were dropped and why. */
export class ExportCounts {
  sent = 0;
  readonly dropped: Record<DropReason, number> = { queue_full: 0, refused: 0, shutdown: 0 };
}

/** Spans that wait to be encoded together. */
const spansMax = 64;

interface SignalExporterOptions {
  readonly signal: Signal;
  readonly encoding: Encoding;
  readonly collector: Collector;
  readonly bytesMax: number;
  readonly batchMs: number;
}

export class SignalExporter {
  readonly counts = new ExportCounts();
  readonly #options: SignalExporterOptions;
  readonly #queue: BatchQueue;
  readonly #timer: Timer;
  /** Not encoded yet: many at once take a third of the time that they take one by one between other work. */
  #spans: SpanRecord[] = [];
  #exporting: Promise<void> | undefined;
  #dropsFor: DropReason = 'queue_full';

  constructor(options: SignalExporterOptions) {
    this.#options = options;
    this.#queue = new BatchQueue({
      signal: options.signal,
      newBatch: () => options.encoding.newBatch(),
      bytesMax: options.bytesMax,
      onFull: () => this.#export(),
      onDropped: (count) => {
        this.counts.dropped[this.#dropsFor] += count;
      },
    });
    this.#timer = setInterval(() => this.#export(), options.batchMs);
    this.#timer.unref();
  }

  /** A queue that is full while the collector is away stays as it is: what comes then is dropped and counted. */
  #drops(): boolean {
    if (!this.#queue.isFull || !this.#options.collector.isResting) return false;
    this.counts.dropped.queue_full++;
    return true;
  }

  addSpan(span: SpanRecord): void {
    if (this.#drops()) return;
    this.#spans.push(span);
    if (this.#spans.length >= spansMax) this.#encode();
  }

  #encode(): void {
    const spans = this.#spans;
    this.#spans = [];
    for (const span of spans) {
      this.#queue.filling.addSpan(span);
      this.#queue.added();
    }
  }

  addLog(log: LogRecord): void {
    if (this.#drops()) return;
    this.#queue.filling.addLog(log);
    this.#queue.added();
  }

  #export(): void {
    this.#encode();
    if (this.#exporting !== undefined || this.#queue.isEmpty || this.#options.collector.isResting) return;
    this.#exporting = this.#exportAll().finally(() => {
      this.#exporting = undefined;
    });
  }

  async #exportAll(limitMs?: number): Promise<void> {
    const { collector, signal } = this.#options;
    for (let batch = this.#queue.take(); batch !== undefined; batch = this.#queue.take()) {
      const sent = await collector.send(signal, batch.body(signal), limitMs);
      if (sent === 'again') {
        this.#queue.putBack(batch);
        return;
      }
      if (sent === 'sent') this.counts.sent += batch.count;
      else this.counts.dropped.refused += batch.count;
    }
  }

  /** Sends what waits within this time; the rest is dropped. */
  async stop(withinMs: number): Promise<void> {
    clearInterval(this.#timer);
    this.#encode();
    const ending = Promise.resolve(this.#exporting).then(() => this.#exportAll(withinMs));
    await Promise.race([ending, Bun.sleep(withinMs)]);
    this.#dropsFor = 'shutdown';
    this.#queue.dropAll();
  }
}

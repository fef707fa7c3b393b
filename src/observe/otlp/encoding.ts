/** How a batch of records becomes the body of an export: the contract of both encodings. */

import type { Attributes, LogRecord, MetricRecord, Signal, SpanRecord } from './records.ts';

/** Who exports: the same in every body. */
export interface Resource {
  readonly attributes: Attributes;
  /** Of the instrumentation, which is Weir itself. */
  readonly scope: { readonly name: string; readonly version: string };
}

/** Records are encoded as they are added, so that the size of what waits is known and no objects are kept. */
export interface Batch {
  readonly count: number;
  readonly bytes: number;
  addSpan(span: SpanRecord): void;
  addLog(log: LogRecord): void;
  addMetric(metric: MetricRecord): void;
  /** The body of a request that exports it; nothing is added from then on. */
  body(signal: Signal): Uint8Array<ArrayBuffer>;
}

export interface Encoding {
  readonly contentType: string;
  newBatch(): Batch;
}

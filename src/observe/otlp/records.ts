/** What is exported, before it is encoded: spans, log records and metrics with their attributes. */

/** A number that is a floating-point one even where it has no fraction: backends keep one type per attribute. */
export interface Double {
  readonly double: number;
}

/** A plain number is an integer. */
export type AttributeValue = string | boolean | number | Double | readonly string[];

/** Undefined values are left out; of one kind of record the keys are always the same, which makes them cheap to walk. */
export type Attributes = Readonly<Record<string, AttributeValue | undefined>>;

/** Numbers of the protocol's definitions. */
export const spanKinds = { internal: 1, server: 2, client: 3 } as const;
export const errorStatus = 2;

export interface SpanEvent {
  /** Milliseconds since 1970, with a fraction. */
  readonly atMs: number;
  readonly name: string;
  readonly attributes: Attributes;
}

export interface SpanRecord {
  /** In hexadecimal, as in `traceparent`. */
  readonly traceId: string;
  readonly spanId: string;
  /** Empty for the first span of a trace. */
  readonly parentSpanId: string;
  readonly traceState: string;
  readonly flags: number;
  readonly name: string;
  readonly kind: (typeof spanKinds)[keyof typeof spanKinds];
  readonly startMs: number;
  readonly endMs: number;
  /** Those that other spans have too: a frozen object is encoded once. */
  readonly shared: Attributes;
  readonly attributes: Attributes;
  readonly events: readonly SpanEvent[];
  /** Why it failed; undefined where it did not. */
  readonly fault: string | undefined;
}

export interface LogRecord {
  readonly atMs: number;
  readonly severity: number;
  readonly severityText: string;
  readonly body: string;
  /** Present for an event with a name of its own. */
  readonly eventName?: string;
  readonly attributes: Attributes;
  /** Present where it belongs to a request. */
  readonly trace?: { readonly traceId: string; readonly spanId: string; readonly flags: number } | undefined;
}

export interface NumberPoint {
  readonly attributes: Attributes;
  readonly value: number;
}

export interface HistogramPoint {
  readonly attributes: Attributes;
  readonly count: number;
  readonly sum: number;
  /** Of each bucket alone; one more than there are bounds. */
  readonly buckets: readonly number[];
  readonly bounds: readonly number[];
}

interface MetricName {
  readonly name: string;
  readonly description: string;
  readonly unit: string;
}

/** Counters and histograms are cumulative: they count since the process started. */
export type MetricRecord = MetricName & { readonly startMs: number; readonly atMs: number } & (
    | { readonly kind: 'counter' | 'gauge'; readonly points: readonly NumberPoint[] }
    | { readonly kind: 'histogram'; readonly points: readonly HistogramPoint[] }
  );

export type Signal = 'traces' | 'metrics' | 'logs';

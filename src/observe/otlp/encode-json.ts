/** OpenTelemetry protocol in JSON: https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding (read 2026-11-17). */

import type { Batch, Encoding, Resource } from './encoding.ts';
import {
  type Attributes,
  type AttributeValue,
  errorStatus,
  type LogRecord,
  type MetricRecord,
  type Signal,
  type SpanRecord,
} from './records.ts';

const cumulative = 2;
const encoder = new TextEncoder();

/** How the three levels of an export are called. */
const levels = {
  traces: ['resourceSpans', 'scopeSpans', 'spans'],
  metrics: ['resourceMetrics', 'scopeMetrics', 'metrics'],
  logs: ['resourceLogs', 'scopeLogs', 'logRecords'],
} as const satisfies Record<Signal, readonly [string, string, string]>;

export function createJsonEncoding(resource: Resource): Encoding {
  const head: Head = {
    resource: JSON.stringify({ attributes: attributesOf(resource.attributes) }),
    scope: JSON.stringify(resource.scope),
  };
  return { contentType: 'application/json', newBatch: () => new JsonBatch(head) };
}

/** As JSON texts. */
interface Head {
  readonly resource: string;
  readonly scope: string;
}

class JsonBatch implements Batch {
  readonly #head: Head;
  #records: string[] = [];
  #body: Uint8Array<ArrayBuffer> | undefined;
  count = 0;
  bytes = 0;

  constructor(head: Head) {
    this.#head = head;
  }

  addSpan(span: SpanRecord): void {
    this.#add(spanOf(span));
  }

  addLog(log: LogRecord): void {
    this.#add(logOf(log));
  }

  addMetric(metric: MetricRecord): void {
    this.#add(metricOf(metric));
  }

  #add(record: object): void {
    const text = JSON.stringify(record);
    this.#records.push(text);
    this.count++;
    this.bytes += text.length;
  }

  body(signal: Signal): Uint8Array<ArrayBuffer> {
    if (this.#body !== undefined) return this.#body;
    const [ofResource, ofScope, records] = levels[signal];
    const { resource, scope } = this.#head;
    const inside = `{"scope":${scope},"${records}":[${this.#records.join(',')}]}`;
    this.#body = encoder.encode(`{"${ofResource}":[{"resource":${resource},"${ofScope}":[${inside}]}]}`);
    this.bytes = this.#body.length;
    this.#records = [];
    return this.#body;
  }
}

function spanOf(span: SpanRecord): object {
  const { traceId, spanId, parentSpanId, traceState, flags, name, kind } = span;
  return {
    traceId,
    spanId,
    ...(parentSpanId !== '' && { parentSpanId }),
    ...(traceState !== '' && { traceState }),
    flags,
    name,
    kind,
    startTimeUnixNano: nanosOf(span.startMs),
    endTimeUnixNano: nanosOf(span.endMs),
    attributes: [...attributesOf(span.shared), ...attributesOf(span.attributes)],
    events: span.events.map((event) => ({
      timeUnixNano: nanosOf(event.atMs),
      name: event.name,
      attributes: attributesOf(event.attributes),
    })),
    ...(span.fault !== undefined && { status: { message: span.fault, code: errorStatus } }),
  };
}

function logOf(log: LogRecord): object {
  const timeUnixNano = nanosOf(log.atMs);
  return {
    timeUnixNano,
    observedTimeUnixNano: timeUnixNano,
    severityNumber: log.severity,
    severityText: log.severityText,
    body: { stringValue: log.body },
    attributes: attributesOf(log.attributes),
    ...(log.trace !== undefined && { traceId: log.trace.traceId, flags: log.trace.flags }),
    ...(log.trace !== undefined && log.trace.spanId !== '' && { spanId: log.trace.spanId }),
    ...(log.eventName !== undefined && { eventName: log.eventName }),
  };
}

function metricOf(metric: MetricRecord): object {
  const { name, description, unit } = metric;
  const times = { startTimeUnixNano: nanosOf(metric.startMs), timeUnixNano: nanosOf(metric.atMs) };
  const named = { name, description, unit };
  if (metric.kind === 'histogram') {
    const dataPoints = metric.points.map(({ attributes, count, sum, buckets, bounds }) => ({
      ...times,
      count: String(count),
      sum,
      bucketCounts: buckets.map(String),
      explicitBounds: bounds,
      attributes: attributesOf(attributes),
    }));
    return { ...named, histogram: { dataPoints, aggregationTemporality: cumulative } };
  }
  const dataPoints = metric.points.map(({ attributes, value }) => ({
    ...times,
    asDouble: value,
    attributes: attributesOf(attributes),
  }));
  if (metric.kind === 'gauge') return { ...named, gauge: { dataPoints } };
  return { ...named, sum: { dataPoints, aggregationTemporality: cumulative, isMonotonic: true } };
}

function attributesOf(attributes: Attributes): object[] {
  return Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: anyValueOf(value) }],
  );
}

function anyValueOf(value: AttributeValue): object {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'number') return { intValue: String(value) };
  if (typeof value === 'boolean') return { boolValue: value };
  if ('double' in value) return { doubleValue: value.double };
  return { arrayValue: { values: value.map((stringValue) => ({ stringValue })) } };
}

/** Whole nanoseconds as text: no number holds them exactly. */
function nanosOf(atMs: number): string {
  const seconds = Math.floor(atMs / 1_000);
  const nanos = Math.round((atMs - seconds * 1_000) * 1e6);
  return nanos === 1e9 ? `${seconds + 1}000000000` : `${seconds}${String(nanos).padStart(9, '0')}`;
}

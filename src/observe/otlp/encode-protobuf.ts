/** OpenTelemetry protocol 1.x in protobuf: https://github.com/open-telemetry/opentelemetry-proto (read 2026-11-17). */

import type { Batch, Encoding, Resource } from './encoding.ts';
import { ProtobufWriter } from './protobuf-writer.ts';
import {
  type Attributes,
  type AttributeValue,
  errorStatus,
  type HistogramPoint,
  type LogRecord,
  type MetricRecord,
  type NumberPoint,
  type SpanEvent,
  type SpanRecord,
} from './records.ts';

/** The wire types, as the lower three bits of a tag. */
const varint = 0;
const bits64 = 1;
const bytes = 2;
const bits32 = 5;
const field = (number: number, type: number): number => number * 8 + type;
const cumulative = 2;
/** Fields 1 and 2 as bytes are what every level of an export has: what is exported for, and what is exported. */
const first = field(1, bytes);
const second = field(2, bytes);

export function createProtobufEncoding(resource: Resource): Encoding {
  const head = headOf(resource);
  // A batch that has its body needs no writer any more: the next one gets it, with the room that it grew to.
  let free: ProtobufWriter | undefined;
  const release = (writer: ProtobufWriter): void => {
    writer.clear();
    free = writer;
  };
  return {
    contentType: 'application/x-protobuf',
    newBatch() {
      const writer = free ?? new ProtobufWriter();
      free = undefined;
      return new ProtobufBatch(head, writer, release);
    },
  };
}

interface Head {
  /** The resource and the scope as fields of the messages that hold them. */
  readonly resource: Uint8Array;
  readonly scope: Uint8Array;
}

function headOf({ attributes, scope }: Resource): Head {
  const resource = new ProtobufWriter();
  resource.tag(first);
  const opened = resource.open();
  writeAttributes(resource, first, attributes);
  resource.close(opened);
  const named = new ProtobufWriter();
  named.tag(first);
  const inside = named.open();
  writeText(named, 1, scope.name);
  writeText(named, 2, scope.version);
  named.close(inside);
  return { resource: resource.bytes(), scope: named.bytes() };
}

class ProtobufBatch implements Batch {
  readonly #head: Head;
  readonly #writer: ProtobufWriter;
  readonly #release: (writer: ProtobufWriter) => void;
  #body: Uint8Array<ArrayBuffer> | undefined;
  count = 0;

  constructor(head: Head, writer: ProtobufWriter, release: (writer: ProtobufWriter) => void) {
    this.#head = head;
    this.#writer = writer;
    this.#release = release;
  }

  get bytes(): number {
    return this.#body?.length ?? this.#writer.length;
  }

  addSpan(span: SpanRecord): void {
    const opened = this.#open();
    writeSpan(this.#writer, span);
    this.#close(opened);
  }

  addLog(log: LogRecord): void {
    const opened = this.#open();
    writeLog(this.#writer, log);
    this.#close(opened);
  }

  addMetric(metric: MetricRecord): void {
    const opened = this.#open();
    writeMetric(this.#writer, metric);
    this.#close(opened);
  }

  #open(): number {
    this.#writer.tag(second);
    return this.#writer.openLong();
  }

  #close(opened: number): void {
    this.#writer.closeLong(opened);
    this.count++;
  }

  /** All signals have the same three levels, under the same field numbers: resource, scope, records. */
  body(): Uint8Array<ArrayBuffer> {
    if (this.#body !== undefined) return this.#body;
    const { resource, scope } = this.#head;
    const { written } = this.#writer;
    const ofScope = lengthTag(second, scope.length + written.length);
    const ofResource = lengthTag(first, resource.length + ofScope.length + scope.length + written.length);
    this.#body = Buffer.concat([ofResource, resource, ofScope, scope, written]);
    this.#release(this.#writer);
    return this.#body;
  }
}

function lengthTag(tag: number, length: number): Uint8Array {
  const writer = new ProtobufWriter();
  writer.tag(tag);
  writer.varint(length);
  return writer.bytes();
}

function writeSpan(writer: ProtobufWriter, span: SpanRecord): void {
  writer.tag(field(1, bytes));
  writer.id(span.traceId);
  writer.tag(field(2, bytes));
  writer.id(span.spanId);
  if (span.traceState !== '') writeText(writer, 3, span.traceState);
  if (span.parentSpanId !== '') {
    writer.tag(field(4, bytes));
    writer.id(span.parentSpanId);
  }
  writeText(writer, 5, span.name);
  writer.tag(field(6, varint));
  writer.varint(span.kind);
  writer.tag(field(7, bits64));
  writer.nanos(span.startMs);
  writer.tag(field(8, bits64));
  writer.nanos(span.endMs);
  writer.append(sharedBytes(span.shared));
  writeAttributes(writer, field(9, bytes), span.attributes);
  for (const event of span.events) writeEvent(writer, event);
  if (span.fault !== undefined) {
    writer.tag(field(15, bytes));
    const opened = writer.open();
    if (span.fault !== '') writeText(writer, 2, span.fault);
    writer.tag(field(3, varint));
    writer.varint(errorStatus);
    writer.close(opened);
  }
  writer.varint(field(16, bits32));
  writer.fixed32(span.flags);
}

const encoded = new WeakMap<Attributes, Uint8Array>();

function sharedBytes(shared: Attributes): Uint8Array {
  const known = encoded.get(shared);
  if (known !== undefined) return known;
  const writer = new ProtobufWriter();
  writeAttributes(writer, field(9, bytes), shared);
  const made = writer.bytes();
  if (Object.isFrozen(shared)) encoded.set(shared, made);
  return made;
}

function writeEvent(writer: ProtobufWriter, { atMs, name, attributes }: SpanEvent): void {
  writer.tag(field(11, bytes));
  const opened = writer.open();
  writer.tag(field(1, bits64));
  writer.nanos(atMs);
  writeText(writer, 2, name);
  writeAttributes(writer, field(3, bytes), attributes);
  writer.close(opened);
}

function writeLog(writer: ProtobufWriter, log: LogRecord): void {
  writer.tag(field(1, bits64));
  writer.nanos(log.atMs);
  writer.tag(field(2, varint));
  writer.varint(log.severity);
  writeText(writer, 3, log.severityText);
  writer.tag(field(5, bytes));
  const opened = writer.open();
  writeText(writer, 1, log.body);
  writer.close(opened);
  writeAttributes(writer, field(6, bytes), log.attributes);
  if (log.trace !== undefined) {
    writer.tag(field(8, bits32));
    writer.fixed32(log.trace.flags);
    writer.tag(field(9, bytes));
    writer.id(log.trace.traceId);
    if (log.trace.spanId !== '') {
      writer.tag(field(10, bytes));
      writer.id(log.trace.spanId);
    }
  }
  writer.tag(field(11, bits64));
  writer.nanos(log.atMs);
  if (log.eventName !== undefined) writeText(writer, 12, log.eventName);
}

/** The field that holds the points of each kind. */
const pointFields = { gauge: 5, counter: 7, histogram: 9 } as const;

function writeMetric(writer: ProtobufWriter, metric: MetricRecord): void {
  writeText(writer, 1, metric.name);
  writeText(writer, 2, metric.description);
  writeText(writer, 3, metric.unit);
  writer.tag(field(pointFields[metric.kind], bytes));
  const opened = writer.open();
  if (metric.kind === 'histogram') for (const point of metric.points) writeHistogram(writer, metric, point);
  else for (const point of metric.points) writeNumber(writer, metric, point);
  if (metric.kind !== 'gauge') {
    writer.tag(field(2, varint));
    writer.varint(cumulative);
  }
  if (metric.kind === 'counter') {
    writer.tag(field(3, varint));
    writer.varint(1);
  }
  writer.close(opened);
}

function openPoint(writer: ProtobufWriter, { startMs, atMs }: MetricRecord): number {
  writer.tag(first);
  const opened = writer.open();
  writer.tag(field(2, bits64));
  writer.nanos(startMs);
  writer.tag(field(3, bits64));
  writer.nanos(atMs);
  return opened;
}

function writeNumber(writer: ProtobufWriter, metric: MetricRecord, { attributes, value }: NumberPoint): void {
  const opened = openPoint(writer, metric);
  writer.tag(field(4, bits64));
  writer.double(value);
  writeAttributes(writer, field(7, bytes), attributes);
  writer.close(opened);
}

function writeHistogram(writer: ProtobufWriter, metric: MetricRecord, point: HistogramPoint): void {
  const opened = openPoint(writer, metric);
  writer.tag(field(4, bits64));
  writer.fixed64(point.count);
  writer.tag(field(5, bits64));
  writer.double(point.sum);
  writer.tag(field(6, bytes));
  writer.varint(point.buckets.length * 8);
  for (const count of point.buckets) writer.fixed64(count);
  writer.tag(field(7, bytes));
  writer.varint(point.bounds.length * 8);
  for (const bound of point.bounds) writer.double(bound);
  writeAttributes(writer, field(9, bytes), point.attributes);
  writer.close(opened);
}

function writeText(writer: ProtobufWriter, number: number, text: string): void {
  writer.tag(field(number, bytes));
  writer.text(text);
}

function writeAttributes(writer: ProtobufWriter, tag: number, attributes: Attributes): void {
  for (const key in attributes) {
    const value = attributes[key];
    if (value === undefined || writeShort(writer, tag, key, value)) continue;
    writer.tag(tag);
    const opened = writer.open();
    writer.tag(first);
    writer.text(key);
    writer.tag(second);
    const inside = writer.open();
    writeValue(writer, value);
    writer.close(inside);
    writer.close(opened);
  }
}

function writeShort(writer: ProtobufWriter, tag: number, key: string, value: AttributeValue): boolean {
  if (typeof value === 'string') return writer.textAttribute(tag, key, value);
  if (typeof value === 'number') return writer.numberAttribute(tag, key, value);
  return typeof value === 'object' && 'double' in value && writer.doubleAttribute(tag, key, value.double);
}

function writeValue(writer: ProtobufWriter, value: AttributeValue): void {
  if (typeof value === 'string') {
    writeText(writer, 1, value);
  } else if (typeof value === 'number') {
    writer.tag(field(3, varint));
    writer.varint(value);
  } else if (typeof value === 'boolean') {
    writer.tag(field(2, varint));
    writer.varint(value ? 1 : 0);
  } else if (isList(value)) {
    writer.tag(field(5, bytes));
    const opened = writer.open();
    for (const text of value) {
      writer.tag(first);
      const inside = writer.open();
      writeText(writer, 1, text);
      writer.close(inside);
    }
    writer.close(opened);
  } else {
    writer.tag(field(4, bits64));
    writer.double(value.double);
  }
}

function isList(value: AttributeValue): value is readonly string[] {
  return Array.isArray(value);
}

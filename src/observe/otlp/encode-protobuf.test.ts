/** Both encodings, decoded with the official definitions: every field arrives as it was given. */

import { describe, expect, test } from 'bun:test';
import { decodeExport } from '../../../test/harness/otlp-definitions.ts';
import { createJsonEncoding } from './encode-json.ts';
import { createProtobufEncoding } from './encode-protobuf.ts';
import type { Encoding, Resource } from './encoding.ts';
import type { LogRecord, MetricRecord, Signal, SpanRecord } from './records.ts';

const resource: Resource = {
  attributes: { 'service.name': 'weir', 'service.instance.id': 'one', 'process.pid': 7 },
  scope: { name: 'weir', version: '1.2.3' },
};
const encodings: Readonly<Record<string, Encoding>> = {
  protobuf: createProtobufEncoding(resource),
  json: createJsonEncoding(resource),
};

const ids = (value: string): string => Buffer.from(value, 'hex').toString('base64');

function decode(signal: Signal, encoding: Encoding, body: Uint8Array): Record<string, never> {
  return decodeExport(signal, encoding.contentType === 'application/json', body) as Record<string, never>;
}

const span: SpanRecord = {
  traceId: '0af7651916cd43dd8448eb211c80319c',
  spanId: 'b7ad6b7169203331',
  parentSpanId: '00f067aa0ba902b7',
  traceState: 'vendor=1',
  flags: 0x3_01,
  name: 'POST /v1/chat/completions',
  kind: 2,
  startMs: 1_794_000_000_123.25,
  endMs: 1_794_000_000_999.999_5,
  shared: Object.freeze({ common: 'to all' }),
  attributes: {
    text: 'ünïcode €',
    ключ: 'ascii',
    edge: 'y'.repeat(117),
    beyond: 'z'.repeat(116),
    long: 'x'.repeat(70_000),
    int: 12_345_678_901,
    negative: -5,
    zero: 0,
    yes: true,
    no: false,
    double: { double: 0.25 },
    whole: { double: 3 },
    list: ['one', 'zwölf'],
    none: [],
    absent: undefined,
  },
  events: [
    { atMs: 1_794_000_000_500, name: 'weir.fallback', attributes: { 'weir.from': 'a/b', count: 200 } },
    { atMs: 1_794_000_000_600.5, name: 'weir.retry', attributes: {} },
  ],
  fault: 'upstream_error',
};

const log: LogRecord = {
  atMs: 1_794_000_000_001,
  severity: 13,
  severityText: 'WARN',
  body: 'An attempt failed.',
  eventName: 'weir.request.content',
  attributes: { provider: 'one', 'weir.request.id': undefined },
  trace: { traceId: span.traceId, spanId: span.spanId, flags: 1 },
};

const times = { startMs: 1_794_000_000_000, atMs: 1_794_000_060_000 };
const metrics: readonly MetricRecord[] = [
  {
    ...{ ...times, name: 'weir_cost_usd_total', description: 'Cost.', unit: '{USD}', kind: 'counter' },
    points: [{ attributes: { model: 'm' }, value: 0.5 }],
  },
  {
    ...{ ...times, name: 'weir_requests_in_flight', description: 'In flight.', unit: '1', kind: 'gauge' },
    points: [{ attributes: {}, value: 3 }],
  },
  {
    ...{ ...times, name: 'gen_ai.client.token.usage', description: 'Tokens.', unit: '{token}', kind: 'histogram' },
    points: [{ attributes: { a: 'b' }, count: 300, sum: 12.5, buckets: [100, 200, 0], bounds: [1, 2.5] }],
  },
];

const string = (key: string, stringValue: string) => ({ key, value: { stringValue } });
const nanos = (ms: number): string =>
  (BigInt(Math.floor(ms)) * 1_000_000n + BigInt(Math.round((ms % 1) * 1e6))).toString();
const head = {
  resource: {
    attributes: [
      string('service.name', 'weir'),
      string('service.instance.id', 'one'),
      { key: 'process.pid', value: { intValue: '7' } },
    ],
  },
};

for (const [name, encoding] of Object.entries(encodings)) {
  describe(name, () => {
    test('spans', () => {
      const batch = encoding.newBatch();
      batch.addSpan(span);
      batch.addSpan({
        ...span,
        parentSpanId: '',
        traceState: '',
        events: [],
        attributes: {},
        fault: undefined,
        kind: 3,
      });
      expect(batch.count).toBe(2);
      const { bytes } = batch;
      const body = batch.body('traces');
      expect(body.length).toBeGreaterThan(bytes);
      expect(batch.body('traces')).toEqual(body);
      const plain = {
        traceId: ids(span.traceId),
        spanId: ids(span.spanId),
        flags: 0x3_01,
        name: span.name,
        startTimeUnixNano: nanos(span.startMs),
        endTimeUnixNano: nanos(span.endMs),
      };
      const attributes = [
        string('common', 'to all'),
        string('text', 'ünïcode €'),
        string('ключ', 'ascii'),
        string('edge', 'y'.repeat(117)),
        string('beyond', 'z'.repeat(116)),
        string('long', 'x'.repeat(70_000)),
        { key: 'int', value: { intValue: '12345678901' } },
        { key: 'negative', value: { intValue: '-5' } },
        { key: 'zero', value: { intValue: '0' } },
        { key: 'yes', value: { boolValue: true } },
        { key: 'no', value: { boolValue: false } },
        { key: 'double', value: { doubleValue: 0.25 } },
        { key: 'whole', value: { doubleValue: 3 } },
        { key: 'list', value: { arrayValue: { values: [{ stringValue: 'one' }, { stringValue: 'zwölf' }] } } },
        { key: 'none', value: { arrayValue: expect.anything() } },
      ];
      const events = [
        {
          timeUnixNano: nanos(1_794_000_000_500),
          name: 'weir.fallback',
          attributes: [string('weir.from', 'a/b'), { key: 'count', value: { intValue: '200' } }],
        },
        { timeUnixNano: nanos(1_794_000_000_600.5), name: 'weir.retry' },
      ];
      const [first, second] = spansOf(decode('traces', encoding, body));
      expect(first).toMatchObject({
        ...{ ...plain, kind: 2, attributes, events, parentSpanId: ids(span.parentSpanId), traceState: 'vendor=1' },
        status: { message: 'upstream_error', code: 2 },
      });
      expect(second).toMatchObject({ ...plain, kind: 3 });
      for (const absent of ['parentSpanId', 'traceState', 'status']) expect(second).not.toHaveProperty(absent);
    });

    test('logs', () => {
      const batch = encoding.newBatch();
      batch.addLog(log);
      batch.addLog({ ...log, trace: undefined });
      const decoded = decode('logs', encoding, batch.body('logs'));
      const found = decoded['resourceLogs']?.[0] as unknown as {
        scopeLogs: [{ scope: object; logRecords: Record<string, unknown>[] }];
      };
      expect(found).toMatchObject(head);
      expect(found.scopeLogs[0].scope).toEqual({ name: 'weir', version: '1.2.3' });
      const [first, second] = found.scopeLogs[0].logRecords;
      expect(first).toMatchObject({
        ...{ timeUnixNano: nanos(log.atMs), observedTimeUnixNano: nanos(log.atMs), severityNumber: 13 },
        ...{ severityText: 'WARN', body: { stringValue: 'An attempt failed.' }, eventName: 'weir.request.content' },
        ...{ attributes: [string('provider', 'one')], flags: 1, traceId: ids(span.traceId), spanId: ids(span.spanId) },
      });
      expect(second).not.toHaveProperty('traceId');
    });

    test('metrics', () => {
      const batch = encoding.newBatch();
      for (const metric of metrics) batch.addMetric(metric);
      const decoded = decode('metrics', encoding, batch.body('metrics'));
      const found = decoded['resourceMetrics']?.[0] as unknown as { scopeMetrics: [{ metrics: object[] }] };
      const at = { startTimeUnixNano: nanos(times.startMs), timeUnixNano: nanos(times.atMs) };
      expect(found.scopeMetrics[0].metrics).toMatchObject([
        {
          ...{ name: 'weir_cost_usd_total', description: 'Cost.', unit: '{USD}' },
          sum: {
            ...{ aggregationTemporality: 2, isMonotonic: true },
            dataPoints: [{ ...at, asDouble: 0.5, attributes: [string('model', 'm')] }],
          },
        },
        { name: 'weir_requests_in_flight', gauge: { dataPoints: [{ ...at, asDouble: 3 }] } },
        {
          name: 'gen_ai.client.token.usage',
          histogram: {
            aggregationTemporality: 2,
            dataPoints: [
              {
                ...{ ...at, count: '300', sum: 12.5, bucketCounts: ['100', '200', '0'], explicitBounds: [1, 2.5] },
                attributes: [string('a', 'b')],
              },
            ],
          },
        },
      ]);
    });
  });
}

function spansOf(decoded: Record<string, never>): readonly Record<string, unknown>[] {
  const found = decoded['resourceSpans']?.[0] as unknown as {
    scopeSpans: [{ scope: object; spans: Record<string, unknown>[] }];
  };
  expect(found).toMatchObject(head);
  expect(found.scopeSpans[0].scope).toEqual({ name: 'weir', version: '1.2.3' });
  return found.scopeSpans[0].spans;
}

/** Spans wait to be encoded and sent together; each is sent once, also where a batch fills up in between. */

import { afterAll, expect, test } from 'bun:test';
import { startCollector } from '../../../test/harness/collector.ts';
import { until } from '../../../test/harness/until.ts';
import { createEgressRoutes } from '../../upstream/egress-routes.ts';
import { Collector } from './collector.ts';
import { createProtobufEncoding } from './encode-protobuf.ts';
import { SignalExporter } from './signal-exporter.ts';
import { RandomIds } from './trace-context.ts';

const egress = { proxy: { http: undefined, https: undefined }, noProxy: [], ca: undefined };
const routes = createEgressRoutes({ connectTimeoutMs: 5_000, egress });
const ids = new RandomIds();
afterAll(() => routes.close());

function exporterTo(endpoint: string, bytesMax: number): SignalExporter {
  const encoding = createProtobufEncoding({ attributes: {}, scope: { name: 'weir', version: '1' } });
  const collector = new Collector({
    config: { endpoint, headers: {}, gzip: false, timeoutMs: 5_000 },
    ...{ contentType: encoding.contentType, transport: routes.of({}).transport },
    logger: { warn: () => undefined, info: () => undefined },
    ...{ nowMs: () => performance.now(), random: Math.random },
  });
  return new SignalExporter({ signal: 'traces', encoding, collector, bytesMax, batchMs: 60_000 });
}

function add(exporter: SignalExporter, spanId: string, name = 'chat m'): void {
  exporter.addSpan({
    ...{ traceId: ids.trace(), spanId, parentSpanId: '', traceState: '', flags: 1, name, kind: 3 },
    ...{ startMs: 1, endMs: 2, shared: {}, attributes: {}, events: [], fault: undefined },
  });
}

test('each of 1,100 spans is sent once, in batches, the last ones at the end', async () => {
  const receiver = startCollector();
  const exporter = exporterTo(receiver.url, 10_000_000);
  const spanIds = Array.from({ length: 1_100 }, () => ids.span());
  for (const spanId of spanIds) add(exporter, spanId);
  await exporter.stop(10_000);
  expect(receiver.spans.map(({ spanId }) => spanId).toSorted()).toEqual(spanIds.toSorted());
  expect(receiver.requests.length).toBe(3);
  expect(exporter.counts.sent).toBe(1_100);
  expect(exporter.counts.dropped).toEqual({ queue_full: 0, refused: 0, shutdown: 0 });
  await receiver.stop();
});

test('while the collector is away the queue fills up, then spans are dropped; all are counted', async () => {
  const receiver = startCollector();
  receiver.answer = { status: 503, headers: { 'retry-after': '60' } };
  const exporter = exporterTo(receiver.url, 2_000_000);
  for (let nth = 0; nth < 3_000; nth++) {
    add(exporter, ids.span(), 'x'.repeat(1_000));
    // The first full batch is refused before the others come.
    if (nth === 1_000) await until(() => receiver.requests.length > 0);
  }
  await exporter.stop(5_000);
  const { queue_full: full, shutdown } = exporter.counts.dropped;
  expect(full).toBeGreaterThan(0);
  expect(shutdown).toBeGreaterThan(0);
  expect(full + shutdown).toBe(3_000);
  await receiver.stop();
});

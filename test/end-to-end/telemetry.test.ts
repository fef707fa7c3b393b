/** OpenTelemetry, black box: what a collector and the providers get of requests with a fallback, and what its absence costs. */

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { headerOf } from '../fake-upstream/invoice.ts';
import { type CollectedSpan, type RunningCollector, startCollector } from '../harness/collector.ts';
import { freePort } from '../harness/ports.ts';
import { until } from '../harness/until.ts';
import { type RunningUpstream, startUpstream } from '../harness/upstream.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

setDefaultTimeout(300_000);

const traceId = '0af7651916cd43dd8448eb211c80319c';
const parentId = 'b7ad6b7169203331';
const headerSecret = 'collector-credential-canary';
const server = 2;
const client = 3;
const failing = { status: 500, body: '{"error":{"message":"broken","type":"server_error"}}' };

let broken: RunningUpstream;
let serving: RunningUpstream;
let collector: RunningCollector;
let weir: RunningWeir;

const yamlOf = (telemetry: object) => ({
  providers: {
    first: { kind: 'openai', base_url: broken.base, keys: [{ id: 'one', key: 'sk-first' }], models: ['gpt-4.1'] },
    second: { kind: 'openai', base_url: serving.base, keys: [{ id: 'two', key: 'sk-second' }], models: ['gpt-4.1'] },
  },
  models: {
    both: {
      targets: [
        { provider: 'first', model: 'gpt-4.1', tier: 0 },
        { provider: 'second', model: 'gpt-4.1', tier: 1 },
      ],
    },
    strange: { targets: [{ provider: 'second', model: 'unpriced-model' }] },
  },
  telemetry: { batch_ms: 50, metrics_ms: 200, ...telemetry },
});

beforeAll(async () => {
  [broken, serving] = await Promise.all([startUpstream(), startUpstream()]);
  collector = startCollector();
  weir = await startWeir({
    yaml: yamlOf({ endpoint: collector.url, resource_attributes: ['deployment.environment.name=test'] }),
    env: { WEIR_TELEMETRY_HEADERS: `authorization=Bearer%20${headerSecret}`, OTEL_SERVICE_NAME: 'weir-test' },
  });
});
afterAll(async () => {
  await weir.remove();
  await Promise.all([broken.stop(), serving.stop(), collector.stop()]);
});

async function ask(to: RunningWeir, model: string, stream: boolean, headers: Record<string, string> = {}) {
  const reply = await fetch(`${to.base}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${to.token}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ model, stream, messages: [{ role: 'user', content: 'Good day, secret-content-canary' }] }),
  });
  return { status: reply.status, requestId: reply.headers.get('x-request-id') ?? '', text: await reply.text() };
}

async function spansOf(requestId: string, count: number): Promise<readonly CollectedSpan[]> {
  const found = () => {
    const own = collector.spans.find(
      ({ kind, attributes }) => kind === server && attributes['weir.request.id'] === requestId,
    );
    return collector.spans.filter((span) => own !== undefined && span.traceId === own.traceId);
  };
  await until(() => found().length >= count);
  return found().toSorted((one, other) => one.startMs - other.startMs);
}

for (const stream of [false, true]) {
  test(`a request with a fallback, ${stream ? 'streamed' : 'whole'}: spans, parents, events, and what the providers saw`, async () => {
    await Promise.all([broken.reset(), serving.reset()]);
    await broken.queue([failing]);
    const trace = stream ? traceId.replace('0a', '0b') : traceId;
    const headers = { traceparent: `00-${trace}-${parentId}-01`, tracestate: 'vendor=1' };
    const { status, requestId } = await ask(weir, 'both', stream, headers);
    expect(status).toBe(200);
    const spans = await spansOf(requestId, 3);
    const [request, ...attempts] = spans;
    expect(request).toMatchObject({
      ...{ traceId: trace, parentSpanId: parentId, traceState: 'vendor=1', kind: server },
      name: 'POST /v1/chat/completions',
      status: undefined,
      attributes: {
        'http.request.method': 'POST',
        'http.route': '/v1/chat/completions',
        'http.response.status_code': 200,
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': 'openai',
        'gen_ai.request.model': 'both',
        'gen_ai.response.model': 'gpt-4.1',
        'gen_ai.usage.input_tokens': expect.any(Number),
        'gen_ai.usage.output_tokens': expect.any(Number),
        'weir.provider': 'second',
        'weir.attempts': 2,
        'weir.token.name': 'first token',
        'weir.cost.state': 'exact',
      },
      events: [
        { name: 'weir.route', attributes: { 'weir.candidates': ['first/gpt-4.1', 'second/gpt-4.1'] } },
        {
          name: 'weir.fallback',
          attributes: { 'weir.from': 'first/gpt-4.1', 'weir.to': 'second/gpt-4.1', 'weir.reason': 'uncertain' },
        },
      ],
      resource: { 'service.name': 'weir-test', 'deployment.environment.name': 'test' },
    });
    expect(Number(request?.attributes['weir.cost.usd'])).toBeGreaterThan(0);
    expect(request?.attributes['gen_ai.response.time_to_first_chunk'] !== undefined).toBe(stream);
    expect(attempts.map(({ parentSpanId, kind }) => [parentSpanId, kind])).toEqual([
      [request?.spanId ?? '', client],
      [request?.spanId ?? '', client],
    ]);
    const [failed, served] = attempts;
    expect(failed).toMatchObject({
      name: 'chat gpt-4.1',
      status: { code: 2 },
      attributes: {
        'http.response.status_code': 500,
        'weir.provider': 'first',
        'weir.key.id': 'one',
        'weir.attempt': 1,
        'server.address': '127.0.0.1',
        'server.port': broken.port,
        'error.type': expect.any(String),
      },
    });
    expect(failed?.attributes).not.toHaveProperty('gen_ai.usage.input_tokens');
    expect(served?.status).toBeUndefined();
    expect(served?.attributes).toMatchObject({
      'weir.attempt': 2,
      'weir.verdict': 'served',
      'gen_ai.usage.input_tokens': request?.attributes['gen_ai.usage.input_tokens'],
      'weir.cost.usd': request?.attributes['weir.cost.usd'],
    });
    for (const [provider, span] of [
      [broken, failed],
      [serving, served],
    ] as const) {
      const [entry] = await provider.invoice();
      if (entry === undefined) throw new Error('a provider saw no request');
      expect(headerOf(entry, 'traceparent')).toBe(`00-${trace}-${span?.spanId}-01`);
      expect(headerOf(entry, 'tracestate')).toBe('vendor=1');
    }
  });
}

test('without a valid traceparent the trace is a new one, and only headers of it leave', async () => {
  await serving.reset();
  const { requestId } = await ask(weir, 'second/gpt-4.1', false, { traceparent: 'canary', tracestate: 'canary=1' });
  const [request, attempt] = await spansOf(requestId, 2);
  expect([request?.parentSpanId, request?.events]).toEqual(['', []]);
  const [entry] = await serving.invoice();
  if (entry === undefined) throw new Error('the provider saw no request');
  expect(headerOf(entry, 'traceparent')).toBe(`00-${request?.traceId}-${attempt?.spanId}-01`);
  expect(headerOf(entry, 'tracestate')).toBeUndefined();
  expect(Buffer.from(entry.bodyBase64, 'base64').toString()).not.toContain('trace');
});

test('a trace that its client does not sample is passed on and not exported', async () => {
  await serving.reset();
  const unsampled = 'c'.repeat(32);
  await ask(weir, 'second/gpt-4.1', false, { traceparent: `00-${unsampled}-${parentId}-00` });
  const { requestId } = await ask(weir, 'second/gpt-4.1', false);
  await spansOf(requestId, 2);
  expect(collector.spans.filter((span) => span.traceId === unsampled)).toEqual([]);
  const [entry] = await serving.invoice();
  expect(entry && headerOf(entry, 'traceparent')).toStartWith(`00-${unsampled}-${parentId}-00`);
});

test('a refused request has a span; an unknown cost is absent and marked', async () => {
  const refused = await ask(weir, 'no-such-model', false, { traceparent: `00-${'d'.repeat(32)}-${parentId}-01` });
  const [refusal] = await spansOf(refused.requestId, 1);
  expect(refusal).toMatchObject({
    ...{ traceId: 'd'.repeat(32), parentSpanId: parentId, kind: server, status: undefined },
    attributes: { 'http.response.status_code': 404, 'error.type': 'model_not_found', 'weir.attempts': 0 },
  });
  await until(() => collector.logs.some((log) => log.attributes['weir.request.id'] === refused.requestId));
  const line = collector.logs.find((log) => log.attributes['weir.request.id'] === refused.requestId);
  expect(line).toMatchObject({ traceId: 'd'.repeat(32), spanId: refusal?.spanId, severityText: 'INFO' });
  const strange = await ask(weir, 'strange', false);
  const [span] = await spansOf(strange.requestId, 2);
  expect(span?.attributes['weir.cost.state']).toBe('unknown');
  expect(span?.attributes).not.toHaveProperty('weir.cost.usd');
});

test('metrics are those of /metrics and the GenAI histograms; content and credentials are nowhere', async () => {
  const named = (name: string) => collector.metrics.findLast((metric) => metric.name === name);
  await until(() => named('gen_ai.client.token.usage') !== undefined);
  await until(() => (named('weir_telemetry_exported_total')?.points.length ?? 0) > 0);
  const shown = await (
    await fetch(`${weir.url}/metrics`, { headers: { authorization: `Bearer ${weir.token}` } })
  ).text();
  const seconds = collector.metrics.length;
  await until(() => collector.metrics.length > seconds);
  const total = (name: string) => named(name)?.points.reduce((sum, { value }) => sum + value, 0);
  const inText = shown.split('\n').filter((line) => line.startsWith('weir_requests_total{'));
  expect(inText.length).toBeGreaterThan(0);
  expect(total('weir_requests_total')).toBe(inText.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0));
  for (const name of ['gen_ai.client.operation.duration', 'gen_ai.server.request.duration']) {
    expect(total(name)).toBeGreaterThan(0);
  }
  expect(total('gen_ai.server.time_to_first_token')).toBe(1);
  const usage = named('gen_ai.client.token.usage');
  expect(new Set(usage?.points.map(({ attributes }) => attributes['gen_ai.token.type']))).toEqual(
    new Set(['input', 'output']),
  );
  expect(new Set(collector.metrics.map(({ resource }) => resource['service.instance.id'])).size).toBe(1);
  const all = JSON.stringify([collector.spans, collector.logs, collector.metrics]);
  for (const canary of ['secret-content-canary', weir.token, 'sk-first', headerSecret])
    expect(all).not.toContain(canary);
  expect(weir.output()).not.toContain(headerSecret);
  expect(collector.requests.every(({ headers }) => headers.get('authorization') === `Bearer ${headerSecret}`)).toBe(
    true,
  );
});

test('a collector that is away or busy: requests are served, drops are counted, one line is logged, and it recovers', async () => {
  const port = await freePort();
  const alone = await startWeir({
    yaml: yamlOf({
      endpoint: `http://127.0.0.1:${port}`,
      queue_bytes_max: 1,
      protocol: 'http/json',
      compression: 'gzip',
    }),
  });
  let late: RunningCollector | undefined;
  try {
    const exported = async (name: string): Promise<number> => {
      const headers = { authorization: `Bearer ${alone.token}` };
      const text = await (await fetch(`${alone.url}/metrics`, { headers })).text();
      const lines = text.split('\n').filter((line) => line.startsWith(`weir_telemetry_${name}_total{signal="traces"`));
      return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
    };
    const askOne = async () => expect((await ask(alone, 'second/gpt-4.1', false)).status).toBe(200);
    await askOne();
    await until(async () => (await exported('dropped')) >= 2);
    expect(await exported('exported')).toBe(0);
    late = startCollector(port);
    late.answer = { status: 503, headers: { 'retry-after': '0' } };
    await until(async () => {
      await askOne();
      return (late?.requests.length ?? 0) > 1;
    });
    late.answer = { status: 200 };
    await until(async () => {
      await askOne();
      return (late?.spans.length ?? 0) > 1 && (await exported('exported')) > 0;
    });
    await until(() => alone.output().includes('accepts exports again'));
    const lines = alone
      .output()
      .split('\n')
      .filter((line) => line.includes('does not accept exports'));
    expect(lines.length).toBe(1);
    expect(late.requests[0]?.headers.get('content-encoding')).toBe('gzip');
    // What is left is exported at the end.
    const { requestId } = await ask(alone, 'second/gpt-4.1', false);
    expect(await alone.stop()).toBe(0);
    expect(late.spans.some((span) => span.attributes['weir.request.id'] === requestId)).toBe(true);
  } finally {
    await alone.remove();
    await late?.stop();
  }
});

test('content is exported only where both settings say so; each worker exports for itself, and nothing twice', async () => {
  const telling = await startWeir({
    yaml: {
      ...yamlOf({ endpoint: collector.url, content: true, propagate: false }),
      content_storage: { requests: true },
    },
    env: { WEIR_SERVER_WORKERS: '2', OTEL_SERVICE_NAME: 'two-workers' },
  });
  try {
    await serving.reset();
    const { requestId } = await ask(telling, 'second/gpt-4.1', true);
    const found = () =>
      collector.logs.find(
        (log) => log.eventName === 'weir.request.content' && log.attributes['weir.request.id'] === requestId,
      );
    await until(() => found() !== undefined);
    const [span] = await spansOf(requestId, 2);
    expect(found()).toMatchObject({ traceId: span?.traceId, spanId: span?.spanId });
    expect(String(found()?.attributes['weir.request.content'])).toContain('secret-content-canary');
    expect(String(found()?.attributes['weir.response.content'])).toContain('data: ');
    const [entry] = await serving.invoice();
    expect(entry && headerOf(entry, 'traceparent')).toBeUndefined();
    const requests = 8;
    for (let sent = 1; sent < requests; sent++) await ask(telling, 'second/gpt-4.1', false);
    // Each instance counts from its own start: the last figures of both add up.
    const counted = () => {
      const own = collector.metrics.filter(({ resource }) => resource['service.name'] === 'two-workers');
      const instances = Map.groupBy(own, ({ resource }) => resource['service.instance.id']);
      const last = [...instances.values()].map((all) => all.findLast(({ name }) => name === 'weir_requests_total'));
      const points = last.flatMap((metric) => metric?.points ?? []);
      return { instances: instances.size, requests: points.reduce((sum, { value }) => sum + value, 0) };
    };
    await until(() => counted().instances === 2 && counted().requests >= requests);
    expect(counted().requests).toBe(requests);
  } finally {
    await telling.remove();
  }
});

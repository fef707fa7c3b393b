import { expect, test } from 'bun:test';
import { createLogger } from './logger.ts';
import { Metrics } from './metrics.ts';

function logged(format: 'text' | 'json', write: (log: ReturnType<typeof createLogger>) => void): string[] {
  const lines: string[] = [];
  const secrets = ['provider-key-123456', 'abc'];
  write(createLogger({ level: 'info', format, secrets, nowMs: () => 0, write: (line) => lines.push(line) }));
  return lines;
}

test('no secret, token or control character gets into a line', () => {
  for (const format of ['text', 'json'] as const) {
    const [line = ''] = logged(format, (log) =>
      log.warn('provider-key-123456 failed\nforged', {
        url: '/v1beta/x?key=tok-secret-tok&alt=sse',
        header: 'Bearer some-token',
        secret: 'ek_short-lived_secret',
        proxy: 'no way through http://user:short@proxy.example:3128/',
        protocols: 'realtime, openai-insecure-api-key.browser-token, other',
        cause: new Error('inner', { cause: new Error('weir_abcdefghijklmnop') }),
      }),
    );
    for (const hidden of [
      'provider-key',
      'tok-secret',
      'some-token',
      'lived_secret',
      'short@',
      'browser-token',
      'abcdefghijklmnop',
      '\n',
    ]) {
      expect(line).not.toContain(hidden);
    }
    expect(line).toContain('alt=sse');
  }
});

test('levels, shapes, and short secrets that would hit ordinary words', () => {
  expect(logged('text', (log) => log.debug('quiet'))).toEqual([]);
  expect(logged('text', (log) => log.info('abc', { n: 1n }))).toEqual(['1970-01-01T00:00:00.000Z info  abc n=1']);
  expect(JSON.parse(logged('json', (log) => log.error('abc', { a: { b: 1n } }))[0] ?? '')).toEqual({
    at: '1970-01-01T00:00:00.000Z',
    level: 'error',
    message: 'abc',
    a: '{"b":"1"}',
  });
});

const seen = {
  endpoint: 'chat',
  provider: 'up',
  model: 'm',
  status: 200,
  code: '',
  totalMs: 300,
  firstEventMs: 80,
  inputTokens: 10,
  outputTokens: 5,
  costNano: 60_000n,
  unpriced: false,
};

test('metrics add up, and histograms are cumulative', async () => {
  const metrics = new Metrics();
  metrics.setGauges(() => ({ requestsInFlight: 2, attemptsRunning: 3 }));
  metrics.observe(seen);
  metrics.observe({ ...seen, status: 502, code: 'upstream_failed', firstEventMs: undefined, model: 'a"b\n' });
  metrics.observe({ ...seen, totalMs: 20 });
  metrics.observe({ ...seen, model: 'dark', costNano: 0n, unpriced: true });
  metrics.answered(200);
  const text = await metrics.text();
  const home = 'endpoint="chat",provider="up",model="m"';
  for (const line of [
    `weir_requests_total{${home},status="200",code=""} 2`,
    'weir_requests_total{endpoint="chat",provider="up",model="a_b_",status="502",code="upstream_failed"} 1',
    `weir_tokens_total{${home},class="input"} 20`,
    `weir_cost_usd_total{${home}} 0.00012`,
    `weir_unpriced_requests_total{${home}} 0`,
    'weir_unpriced_requests_total{endpoint="chat",provider="up",model="dark"} 1',
    `weir_request_seconds_bucket{${home},le="0.01"} 0`,
    `weir_request_seconds_bucket{${home},le="0.025"} 1`,
    `weir_request_seconds_bucket{${home},le="0.05"} 1`,
    `weir_request_seconds_bucket{${home},le="0.5"} 2`,
    `weir_request_seconds_bucket{${home},le="+Inf"} 2`,
    'weir_attempts_running 3',
    'weir_http_responses_total{status="200"} 1',
  ]) {
    expect(text).toContain(`${line}\n`);
  }
});

test('a value on a bound belongs to its bucket, and one above all of them to the last', async () => {
  const metrics = new Metrics();
  for (const totalMs of [5, 600_000, 600_001]) metrics.observe({ ...seen, totalMs });
  const text = await metrics.text();
  const counts = [...text.matchAll(/^weir_request_seconds_bucket\{.*le="(.*)"\} (\d)$/gm)];
  expect(counts.map(([, bound, count]) => `${bound}: ${count}`)).toEqual([
    ...['0.005: 1', '0.01: 1', '0.025: 1', '0.05: 1', '0.1: 1', '0.25: 1', '0.5: 1', '1: 1', '2.5: 1', '5: 1'],
    ...['10: 1', '30: 1', '60: 1', '120: 1', '300: 1', '600: 2', '+Inf: 3'],
  ]);
});

test('version, start, database and Redis are gauges; without Redis there is none of it', async () => {
  const metrics = new Metrics({ version: '1.2.3', startedAtMs: 1_700_000_000_500 });
  let redisUp: boolean | undefined = false;
  metrics.setGauges(() => {
    return { requestsInFlight: 0, attemptsRunning: 0, dependencies: { databaseUp: true, redisUp } };
  });
  const text = await metrics.text();
  for (const line of [
    'weir_build_info{version="1.2.3"} 1',
    'process_start_time_seconds 1700000000.5',
    'weir_database_up 1',
    'weir_redis_up 0',
  ]) {
    expect(text).toContain(`${line}\n`);
  }
  redisUp = undefined;
  expect(await metrics.text()).not.toMatch(/^weir_redis_up/m);
});

test('names that have one label are one series', async () => {
  const metrics = new Metrics();
  for (const model of ['a"b', 'a_b', 'a\nb']) metrics.observe({ ...seen, model });
  const text = await metrics.text();
  expect(text.match(/^weir_requests_total\{.*/gm)).toEqual([
    'weir_requests_total{endpoint="chat",provider="up",model="a_b",status="200",code=""} 3',
  ]);
});

test("callers' names cannot grow it without bound", async () => {
  const metrics = new Metrics();
  for (let index = 0; index < 5_000; index++) metrics.observe({ ...seen, model: `m${index}` });
  const text = await metrics.text();
  expect(text.match(/weir_requests_total\{/g)?.length).toBeLessThan(2_100);
  expect(text).toContain('endpoint="others"');
});

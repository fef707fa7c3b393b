/** Replicas that share a Redis spare each other the experience of a dead target or key, and go on alone where Redis is away. */

import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { firstTurn } from '../../src/routing/breaker.ts';
import { Catalogue } from '../../src/routing/catalogue.ts';
import type { Health } from '../../src/routing/health.ts';
import { HealthExchange, healthsOf, shareHealth } from '../../src/routing/health-exchange.ts';
import { KeyRing } from '../../src/routing/keys.ts';
import { scriptedProvider } from '../../src/routing/scripted-targets.ts';
import { createRedisNoticeBoard } from '../../src/store/redis/redis-health.ts';
import { type RedisServer, startRedis } from '../harness/redis.ts';
import { until } from '../harness/until.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

let redis: RedisServer;
const stops: (() => void)[] = [];

beforeAll(async () => {
  redis = await startRedis();
});
afterEach(async () => {
  for (const stop of stops.splice(0)) stop();
  const client = new Bun.RedisClient(redis.url);
  await client.send('FLUSHALL', []);
  client.close();
});
afterAll(() => redis.kill());

interface Replica {
  readonly target: Health;
  /** Of the first of two keys. */
  readonly key: Health;
  /** Can the first key be picked? */
  usesKey(): boolean;
}

/** Its clock begins where it likes: nobody compares it with another's. */
async function startReplica(aheadMs: number): Promise<Replica & { nowMs(): number }> {
  const provider = scriptedProvider({ name: 'up', keys: ['one', 'two'] });
  const catalogue = new Catalogue([provider], []);
  const keys = new KeyRing();
  const board = createRedisNoticeBoard({ url: redis.url, commandTimeoutMs: 2_000, connectTimeoutMs: 2_000 });
  await board.tried;
  const nowMs = (): number => performance.now() + aheadMs;
  const stop = shareHealth(new HealthExchange(healthsOf(catalogue, keys)), board, nowMs);
  stops.push(stop, () => board.close());
  const target = catalogue.home('up', 'm')?.health;
  const [first] = provider.keys;
  if (target === undefined || first === undefined) throw new Error('nothing to look at');
  return {
    target,
    key: keys.healthOf(provider, first),
    usesKey: () => keys.pick({ provider }, new Set([`up two`]), nowMs)?.id === 'one',
    nowMs,
  };
}

async function startTwo() {
  const [a, b] = await Promise.all([startReplica(0), startReplica(1e9)]);
  const isReady = (): boolean => b.target.state(b.nowMs()) === 'ready';
  return { a, b, isReady };
}

function open(replica: { target: Health; nowMs(): number }): void {
  for (let failures = 0; failures < 5; failures++) replica.target.failed(firstTurn, replica.nowMs());
}

describe('what one replica learns, the others know within two seconds', () => {
  test('a target that opened, though their clocks differ by days', async () => {
    const { a, b, isReady } = await startTwo();
    const earlier = b.target.enter(b.nowMs());
    open(a);
    await until(() => b.target.state(b.nowMs()) === 'open', 2_000);
    // What B had under way says nothing about a target that A has seen die.
    b.target.answered(earlier);
    b.target.abandoned(earlier);
    expect(b.target.admits(b.nowMs())).toBe(false);
    const left = b.target.readyAtMs(b.nowMs()) - b.nowMs();
    expect(left).toBeLessThan(1_100);
    // It runs out: then one request of B's own finds out, and closes it again.
    await until(() => b.target.state(b.nowMs()) === 'half-open', 2_000);
    const probe = b.target.enter(b.nowMs());
    expect(b.target.admits(b.nowMs())).toBe(false);
    b.target.succeeded(earlier, b.nowMs());
    expect(isReady()).toBe(false);
    b.target.succeeded(probe, b.nowMs());
    expect(isReady()).toBe(true);
  });

  test('a target that asked to wait', async () => {
    const { a, b, isReady } = await startTwo();
    a.target.coolUntil(a.nowMs() + 1_500);
    await until(() => b.target.isCooling(b.nowMs()), 2_000);
    await until(isReady, 3_000);
  });

  test('a key that was refused, and that it works again', async () => {
    const { a, b } = await startTwo();
    a.key.trip(firstTurn, a.nowMs());
    await until(() => !b.usesKey(), 2_000);
    expect(b.key.readyAtMs(b.nowMs()) - b.nowMs()).toBeGreaterThan(50_000);
    // A minute later, as A sees it: its probe is answered.
    const probe = a.key.enter(a.nowMs() + 60_000);
    a.key.succeeded(probe, a.nowMs());
    await until(() => b.usesKey(), 2_000);
    expect(a.usesKey()).toBe(true);
  });
});

test('a replica that starts later hears it too', async () => {
  const a = await startReplica(0);
  a.key.trip(firstTurn, a.nowMs());
  await Bun.sleep(300);
  const late = await startReplica(5);
  await until(() => !late.usesKey(), 2_000);
});

test('whoever serves here is not left alone because another cannot reach it', async () => {
  const { a, b } = await startTwo();
  open(a);
  for (let round = 0; round < 10; round++) {
    b.target.succeeded(firstTurn, b.nowMs());
    expect(b.target.admits(b.nowMs())).toBe(true);
    await Bun.sleep(50);
  }
});

test('Redis dies and comes back empty: each goes on alone, then they share again', async () => {
  const { a, b } = await startTwo();
  a.key.trip(firstTurn, a.nowMs());
  await until(() => !b.usesKey(), 2_000);
  const port = Number(new URL(redis.url).port);
  await redis.kill();
  // What was heard holds; what happens now stays with who saw it.
  a.target.coolUntil(a.nowMs() + 60_000);
  await Bun.sleep(400);
  expect([b.usesKey(), b.target.admits(b.nowMs())]).toEqual([false, true]);
  redis = await startRedis(port);
  await until(() => !b.target.admits(b.nowMs()), 5_000);
  expect(b.usesKey()).toBe(false);
});

test('two processes: what one was told, the other shows in its metrics and acts by', async () => {
  let asked = 0;
  const upstream = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch() {
      asked++;
      return Response.json({ error: { message: 'busy' } }, { status: 503, headers: { 'retry-after': '60' } });
    },
  });
  const up = { kind: 'openai-chat', base_url: `http://127.0.0.1:${upstream.port}/v1`, key: 'sk-up', models: ['m'] };
  const options = { yaml: { providers: { up } }, env: { REDIS_URL: redis.url, WEIR_LOG_LEVEL: 'error' } };
  const [a, b] = await Promise.all([startWeir(options), startWeir(options)]);
  const say = (weir: RunningWeir): Promise<Response> =>
    fetch(`${weir.base}/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${weir.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'hi' }] }),
    });
  const metrics = async (weir: RunningWeir): Promise<string> => (await fetch(`${weir.url}/metrics`)).text();
  try {
    expect((await say(a)).status).toBe(503);
    const cooling = 'weir_target_state{provider="up",model="m"} 1\n';
    await until(async () => (await metrics(b)).includes(cooling), 2_000);
    const refused = await say(b);
    expect([refused.status, asked]).toEqual([503, 1]);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(50);
    expect(await metrics(a)).toContain('weir_attempts_total{provider="up",verdict="target-cooling"} 1\n');
  } finally {
    await Promise.all([a.remove(), b.remove(), upstream.stop(true)]);
  }
});

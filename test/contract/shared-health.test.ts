/** Replicas that use one Redis share open circuits and cooldowns, and each continues alone where Redis is away. */

import { expect } from 'bun:test';
import { firstTurn } from '../../src/routing/breaker.ts';
import { Catalogue } from '../../src/routing/catalogue.ts';
import type { Health } from '../../src/routing/health.ts';
import { HealthExchange, healthsOf, type NoticeStore, shareHealth } from '../../src/routing/health-exchange.ts';
import { KeyRing } from '../../src/routing/keys.ts';
import { createRedisNotices } from '../../src/store/redis/redis-health.ts';
import { needing } from '../harness/needs.ts';
import { type RedisServer, startRedis } from '../harness/redis.ts';
import { scriptedProvider } from '../harness/scripted-targets.ts';
import { until } from '../harness/until.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

const { afterAll, afterEach, beforeAll, describe, test } = needing('redis');

let redis: RedisServer;
const stops: (() => void)[] = [];

beforeAll(async () => {
  redis = await startRedis();
});
afterEach(async () => {
  for (const stop of stops.splice(0)) stop();
  await forget();
});

async function forget(): Promise<void> {
  const client = new Bun.RedisClient(redis.url);
  await client.send('FLUSHALL', []);
  client.close();
}
afterAll(() => redis.kill());

interface Replica {
  readonly target: Health;
  /** Of the first of two keys. */
  readonly key: Health;
  /** Can the first key be picked? */
  usesKey(): boolean;
  nowMs(): number;
  /** The test moves its clock, and with it its polls of the store. */
  pass(ms: number): void;
  /** Polls the store once more and applies the answer, or the lack of one. */
  ask(): Promise<void>;
  readonly counts: { readonly answered: number; readonly refused: number };
}

const askEveryMs = 500;

/** Its clock begins where it likes: no replica compares it with another's. */
async function startReplica(startMs: number): Promise<Replica> {
  const provider = scriptedProvider({ name: 'up', keys: ['one', 'two'] });
  const catalogue = new Catalogue([provider], []);
  const keys = new KeyRing();
  const store = createRedisNotices({ url: redis.url, timeoutMs: 60_000 });
  await store.tried;
  let clockMs = startMs;
  const nowMs = (): number => clockMs;
  const counts = { answered: 0, refused: 0 };
  const counted: NoticeStore = {
    async exchange(put, taken) {
      try {
        const answer = await store.exchange(put, taken);
        counts.answered++;
        return answer;
      } catch (error) {
        counts.refused++;
        throw error;
      }
    },
  };
  const stop = shareHealth(new HealthExchange(healthsOf(catalogue, keys)), counted, nowMs);
  stops.push(stop, () => store.close());
  const target = catalogue.home('up', 'm')?.health;
  const [first] = provider.keys;
  if (target === undefined || first === undefined) throw new Error('nothing to look at');
  const total = (): number => counts.answered + counts.refused;
  const pass = (ms: number): void => {
    clockMs += ms;
  };
  return {
    target,
    key: keys.healthOf(provider, first),
    usesKey: () => keys.pick({ provider }, new Set([`up two`]), nowMs)?.id === 'one',
    nowMs,
    pass,
    async ask() {
      const before = total();
      pass(askEveryMs);
      await until(() => total() > before);
      // What came is taken in right after it was counted.
      await Bun.sleep(0);
    },
    counts,
  };
}

async function startTwo() {
  const [a, b] = await Promise.all([startReplica(0), startReplica(1e9)]);
  await Promise.all([a.ask(), b.ask()]);
  return { a, b };
}

const onBoard = async (): Promise<number> => {
  const client = new Bun.RedisClient(redis.url);
  const count = Number(await client.send('ZCARD', ['weir:health']));
  client.close();
  return count;
};

/** Fails until it stays open for half a minute, which is longer than any test takes to tell the other replica. */
function open(replica: Replica): void {
  const { target } = replica;
  for (let failures = 0; failures < 5; failures++) target.failed(firstTurn, replica.nowMs());
  while (target.readyAtMs(replica.nowMs()) - replica.nowMs() < 30_000) {
    replica.pass(target.readyAtMs(replica.nowMs()) - replica.nowMs());
    target.failed(target.enter(replica.nowMs()), replica.nowMs());
  }
}

describe('what one replica learns, the others know at their next poll', () => {
  test('a target that opened, though their clocks differ by days', async () => {
    const { a, b } = await startTwo();
    const earlier = b.target.enter(b.nowMs());
    open(a);
    await until(async () => (await onBoard()) === 1);
    await b.ask();
    expect(b.target.state(b.nowMs())).toBe('open');
    // B's own requests in flight do not change a target that failed for A.
    b.target.answered(earlier);
    b.target.abandoned(earlier);
    expect(b.target.admits(b.nowMs())).toBe(false);
    const leftMs = b.target.readyAtMs(b.nowMs()) - b.nowMs();
    expect(leftMs).toBeLessThan(90_000);
    // It runs out: then one request of B's own finds out, and closes it again.
    await forget();
    a.pass(leftMs + 60_000);
    b.pass(leftMs);
    await b.ask();
    expect(b.target.state(b.nowMs())).toBe('half-open');
    const probe = b.target.enter(b.nowMs());
    expect(b.target.admits(b.nowMs())).toBe(false);
    b.target.succeeded(earlier, b.nowMs());
    expect(b.target.state(b.nowMs())).toBe('half-open');
    b.target.succeeded(probe, b.nowMs());
    expect(b.target.state(b.nowMs())).toBe('ready');
  });

  test('a target that is cooling down', async () => {
    const { a, b } = await startTwo();
    a.target.coolUntil(a.nowMs() + 60_000);
    await until(async () => (await onBoard()) === 1);
    await b.ask();
    expect(b.target.isCooling(b.nowMs())).toBe(true);
    b.pass(60_001);
    expect(b.target.state(b.nowMs())).toBe('ready');
  });

  test('a key that was refused, and that it works again', async () => {
    const { a, b } = await startTwo();
    a.key.trip(firstTurn, a.nowMs());
    await until(async () => (await onBoard()) === 1);
    await b.ask();
    expect(b.usesKey()).toBe(false);
    expect(b.key.readyAtMs(b.nowMs()) - b.nowMs()).toBeGreaterThan(10_000);
    // A minute later, as A sees it: its probe is answered.
    const probe = a.key.enter(a.nowMs() + 60_000);
    a.key.succeeded(probe, a.nowMs());
    await until(async () => (await onBoard()) === 0);
    await b.ask();
    expect([a.usesKey(), b.usesKey()]).toEqual([true, true]);
  });
});

test('a replica that starts later gets it too', async () => {
  const a = await startReplica(0);
  a.key.trip(firstTurn, a.nowMs());
  await until(async () => (await onBoard()) === 1);
  const late = await startReplica(5);
  await until(() => !late.usesKey());
});

test('a target that serves here stays in use although another replica cannot reach it', async () => {
  const { a, b } = await startTwo();
  open(a);
  await until(async () => (await onBoard()) === 1);
  for (let round = 0; round < 5; round++) {
    b.target.succeeded(firstTurn, b.nowMs());
    await b.ask();
    expect(b.target.admits(b.nowMs())).toBe(true);
  }
});

test('Redis dies and comes back empty: each replica continues on its own, then they share again', async () => {
  const { a, b } = await startTwo();
  a.key.trip(firstTurn, a.nowMs());
  await until(async () => (await onBoard()) === 1);
  await b.ask();
  expect(b.usesKey()).toBe(false);
  const port = Number(new URL(redis.url).port);
  await redis.kill();
  // What was received stays valid; what happens now stays with the replica that saw it.
  a.target.coolUntil(a.nowMs() + 60_000);
  await until(() => a.counts.refused > 0);
  await b.ask();
  expect(b.counts.refused).toBeGreaterThan(0);
  expect([b.usesKey(), b.target.admits(b.nowMs())]).toEqual([false, true]);
  redis = await startRedis(port);
  await until(async () => {
    await b.ask();
    return !b.target.admits(b.nowMs());
  });
  expect(b.usesKey()).toBe(false);
});

test('two processes: what one learned, the other shows in its metrics and applies', async () => {
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
    const cooling = 'weir_target_state{provider="up",model="m"} 2\n';
    await until(async () => (await metrics(b)).includes(cooling));
    const refused = await say(b);
    expect([refused.status, asked]).toEqual([503, 1]);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(50);
    expect(await metrics(a)).toContain(
      'weir_attempts_total{provider="up",model="m",outcome="failed",verdict="target-cooling"} 1\n',
    );
  } finally {
    await Promise.all([a.remove(), b.remove(), upstream.stop(true)]);
  }
});

/**
 * Replicas that use one Redis or one PostgreSQL share what they know of targets and keys, and each continues alone where
 * that is away.
 */

import { expect } from 'bun:test';
import { firstTurn } from '../../src/routing/breaker.ts';
import { Catalogue } from '../../src/routing/catalogue.ts';
import type { FleetState } from '../../src/routing/fleet/fleet-state.ts';
import { shareRouting } from '../../src/routing/fleet/share-routing.ts';
import type { Health } from '../../src/routing/health.ts';
import { KeyRing } from '../../src/routing/keys.ts';
import { LearnedRefusals } from '../../src/routing/learned-refusals.ts';
import { createRedisFleetState } from '../../src/store/redis/redis-fleet-state.ts';
import { needing } from '../harness/needs.ts';
import { type RedisServer, startRedis } from '../harness/redis.ts';
import { scriptedProvider } from '../harness/scripted-targets.ts';
import { engines, type StorePlace } from '../harness/store-places.ts';
import { until } from '../harness/until.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

interface Replica {
  readonly target: Health;
  /** Of the first of two keys. */
  readonly key: Health;
  readonly keys: KeyRing;
  /** Can the first key be picked? */
  usesKey(): boolean;
  nowMs(): number;
  readonly counts: { readonly answered: number; readonly refused: number };
  /** Two more readings have ended: what was there before is known. */
  readTwice(): Promise<void>;
  stop(): void;
}

/** Its clock begins where it likes: no replica compares it with another's. */
function startReplica(state: FleetState, startMs: number): Replica {
  const provider = scriptedProvider({ name: 'up', keys: ['one', 'two'] });
  const catalogue = new Catalogue([provider], []);
  const keys = new KeyRing();
  const nowMs = (): number => performance.now() + startMs;
  const counts = { answered: 0, refused: 0 };
  const counted: FleetState = {
    async exchange(changes, known) {
      try {
        const answer = await state.exchange(changes, known);
        counts.answered++;
        return answer;
      } catch (error) {
        counts.refused++;
        throw error;
      }
    },
  };
  const stop = shareRouting({ catalogue, keys, state: counted, nowMs, wallMs: Date.now });
  const target = catalogue.home('up', 'm')?.health;
  const [first] = provider.keys;
  if (target === undefined || first === undefined) throw new Error('nothing to look at');
  return {
    target,
    key: keys.healthOf(provider, first),
    keys,
    usesKey: () => keys.pick({ provider }, new Set([`up two`]), nowMs)?.id === 'one',
    nowMs,
    counts,
    async readTwice() {
      const before = counts.answered + counts.refused;
      await until(() => counts.answered + counts.refused > before + 2);
    },
    stop,
  };
}

function open({ target, nowMs }: Replica): void {
  for (let failures = 0; failures < 5; failures++) target.failed(firstTurn, nowMs());
}

const stateOf = ({ target, nowMs }: Replica): string => target.breakerState(nowMs());
const isReady = ({ target, nowMs }: Replica): boolean => target.state(nowMs()) === 'ready';
const admits = ({ target, nowMs }: Replica): boolean => target.admits(nowMs());

for (const kind of ['redis', 'postgres'] as const) {
  const { afterAll, afterEach, beforeAll, beforeEach, describe, test } = needing(kind);
  describe(`replicas share through ${kind}`, () => {
    let redis: RedisServer;
    let place: StorePlace;
    const stops: (() => void)[] = [];

    beforeAll(async () => {
      if (kind === 'redis') redis = await startRedis();
    });
    beforeEach(async () => {
      if (kind === 'postgres') place = await engines[1].place();
    });
    afterEach(async () => {
      for (const stop of stops.splice(0)) stop();
      if (kind === 'postgres') return await place.dispose();
      const client = new Bun.RedisClient(redis.url);
      await client.send('FLUSHALL', []);
      client.close();
    });
    afterAll(async () => {
      if (kind === 'redis') await redis.kill();
    });

    async function start(startMs: number): Promise<Replica> {
      let state: FleetState;
      if (kind === 'redis') {
        const made = createRedisFleetState({ url: redis.url, timeoutMs: 60_000 });
        await made.tried;
        stops.push(() => made.close());
        state = made;
      } else state = (await place.open()).fleetState;
      const replica = startReplica(state, startMs);
      stops.unshift(replica.stop);
      await until(() => replica.counts.answered > 0);
      return replica;
    }

    async function startTwo() {
      const [a, b] = await Promise.all([start(0), start(1e9)]);
      return { a, b };
    }

    test('an open circuit, though clocks differ by days; one probes, and its success closes it at both', async () => {
      const { a, b } = await startTwo();
      const earlier = b.target.enter(b.nowMs());
      open(a);
      await until(() => stateOf(b) !== 'closed');
      // B's own requests in flight do not change a target that failed for A.
      b.target.answered(earlier);
      b.target.succeeded(earlier, b.nowMs());
      expect(stateOf(b)).not.toBe('closed');
      await until(() => admits(b));
      const probe = b.target.enter(b.nowMs());
      expect([admits(a), admits(b)]).toEqual([false, false]);
      await a.readTwice();
      expect([admits(a), admits(b)]).toEqual([false, false]);
      b.target.succeeded(probe, b.nowMs());
      await until(() => isReady(a) && isReady(b));
    });

    test('a probe that fails opens it again at both, for longer', async () => {
      const { a, b } = await startTwo();
      open(a);
      await until(() => stateOf(b) !== 'closed' && admits(b));
      b.target.failed(b.target.enter(b.nowMs()), b.nowMs());
      await until(() => a.target.openings === 2);
      expect(b.target.openings).toBe(2);
      expect(stateOf(a)).not.toBe('closed');
    });

    test('a target that is cooling down', async () => {
      const { a, b } = await startTwo();
      a.target.coolUntil(a.nowMs() + 60_000);
      await until(() => b.target.isCooling(b.nowMs()));
      expect(b.target.state(b.nowMs() + 60_001)).toBe('ready');
    });

    test('a key that was refused, and that another has its name', async () => {
      const { a, b } = await startTwo();
      a.key.trip(firstTurn, a.nowMs());
      await until(() => !b.usesKey());
      expect(b.key.readyAtMs(b.nowMs()) - b.nowMs()).toBeGreaterThan(10_000);
      a.keys.forget('up', 'one');
      await until(() => b.usesKey());
    });

    test('refused parameters, what a model lacks, and latencies; also with a replica that starts later', async () => {
      const { a, b } = await startTwo();
      const taught = { profile: { refuses: ['temperature'] }, what: 'temperature' } as const;
      a.target.learned = new LearnedRefusals({ nowMs: a.nowMs, wallMs: Date.now });
      a.target.learned.learn(taught, {}, { 'x-beta': '1' });
      a.target.learnLack('image', a.nowMs());
      a.target.measured(900, a.nowMs());
      const knows = ({ target, nowMs }: Replica): boolean =>
        target.learned?.over({}, { 'x-beta': '1' }).refuses?.includes('temperature') === true &&
        target.lacks('image', nowMs()) &&
        target.firstEventMs(nowMs()) > 0;
      await until(() => knows(b));
      // Not for requests with other headers, and for no longer than where it was learned.
      expect(b.target.learned?.over({}, undefined)).toEqual({});
      expect(b.target.lacks('image', b.nowMs() + 3_600_000)).toBe(false);
      a.stop();
      const late = await start(5);
      await until(() => late.target.lacks('image', late.nowMs()));
      expect(late.target.learned?.over({}, { 'x-beta': '1' })).toEqual({ refuses: ['temperature'] });
    });

    test('a replica that starts later gets open circuits too', async () => {
      const a = await start(0);
      a.key.trip(firstTurn, a.nowMs());
      await a.readTwice();
      const late = await start(5);
      await until(() => !late.usesKey());
    });

    test('a target that serves here stays in use although another replica cannot reach it', async () => {
      const { a, b } = await startTwo();
      b.target.succeeded(firstTurn, b.nowMs());
      const serves = setInterval(() => b.target.succeeded(firstTurn, b.nowMs()), 5);
      stops.push(() => clearInterval(serves));
      open(a);
      await b.readTwice();
      b.target.succeeded(firstTurn, b.nowMs());
      expect(stateOf(b)).toBe('closed');
    });

    if (kind === 'redis')
      test('Redis dies and comes back empty: each continues and probes on its own, then they share again', async () => {
        const { a, b } = await startTwo();
        a.key.trip(firstTurn, a.nowMs());
        open(a);
        await until(() => !b.usesKey() && stateOf(b) !== 'closed');
        const port = Number(new URL(redis.url).port);
        await redis.kill();
        await until(() => a.counts.refused > 0 && b.counts.refused > 0);
        // What was received stays valid; what happens now stays with the replica that saw it.
        expect(b.usesKey()).toBe(false);
        await until(() => admits(a) && admits(b));
        a.target.coolUntil(a.nowMs() + 600_000);
        await b.readTwice();
        expect([b.usesKey(), b.target.isCooling(b.nowMs())]).toEqual([false, false]);
        redis = await startRedis(port);
        await until(() => b.target.isCooling(b.nowMs()));
        expect(b.usesKey()).toBe(false);
      });
  });
}

needing('redis').test('two processes: what one learned, the other shows in its metrics and applies', async () => {
  const redis = await startRedis();
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
    await Promise.all([a.remove(), b.remove(), upstream.stop(true), redis.kill()]);
  }
});

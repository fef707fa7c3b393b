/** How soon the gateway reacts: to revocations, clients that leave, providers that die, and stores that go away. */

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { callerOf } from '../../src/access/levels/caller-of.ts';
import { openStore } from '../../src/store/open-store.ts';
import { createRedisLimiter } from '../../src/store/redis/redis-limits.ts';
import { type RealtimeProvider, startRealtimeProvider } from '../fake-upstream/realtime/provider.ts';
import { post, scripted } from '../harness/chat.ts';
import { makeDoor } from '../harness/door.ts';
import { postgresUrl } from '../harness/postgres.ts';
import { chatHead, openSocket } from '../harness/raw-request.ts';
import { startRedis } from '../harness/redis.ts';
import { SocketClient } from '../harness/socket-client.ts';
import { anOpening } from '../harness/store-places.ts';
import { createToken, json } from '../harness/token.ts';
import { until } from '../harness/until.ts';
import { type RunningUpstream, startUpstream } from '../harness/upstream.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';
import { judge } from './figures.ts';

let upstream: RunningUpstream;
let live: RealtimeProvider;
let weir: RunningWeir;
beforeAll(async () => {
  upstream = await startUpstream();
  live = startRealtimeProvider();
  const openai = (base_url: string, model: string) => ({ kind: 'openai', base_url, key: 'sk-up', models: [model] });
  weir = await startWeir({
    yaml: {
      providers: { up: openai(upstream.base, 'gpt-4.1'), live: openai(live.base, 'up-realtime') },
      clocks: { read_on_ms: 0 },
    },
  });
});
afterAll(async () => {
  await weir.remove();
  await upstream.stop();
  live.stop();
});

async function msUntil(condition: () => boolean | Promise<boolean>): Promise<number> {
  const startedAtMs = performance.now();
  await until(condition);
  return performance.now() - startedAtMs;
}

test('a revocation by the command line', async () => {
  const token = await createToken(weir);
  expect((await post(token, scripted({}))).status).toBe(200);
  await json(weir, 'token', 'revoke', token.id);
  const headers = { authorization: `Bearer ${token.token}` };
  const refused = async () => (await fetch(`${weir.base}/models`, { headers })).status === 401;
  judge('a revocation acts after', await msUntil(refused), 1_500, 'ms');
});

test('100 clients leave their streams', async () => {
  await upstream.reset();
  const left = new Map<string, number>();
  const client = async (nonce: string): Promise<void> => {
    const socket = await openSocket(weir.base);
    const begun = Promise.withResolvers<void>();
    socket.on('data', () => begun.resolve());
    socket.on('error', () => begun.resolve());
    socket.write(chatHead(weir, JSON.stringify(scripted({ nonce, deltas: 5_000, paceMs: 5 }, { stream: true }))));
    await begun.promise;
    socket.destroy();
    left.set(nonce, Date.now());
  };
  await Promise.all(Array.from({ length: 100 }, (_, index) => client(`left-${index}`)));
  await until(async () => (await upstream.invoice()).every(({ outcome }) => outcome === 'left'));
  const delaysMs = (await upstream.invoice())
    .map(({ nonce, endedAtMs = 0 }) => endedAtMs - (left.get(nonce) ?? 0))
    .sort((a, b) => a - b);
  judge('p99 from a client’s end to its provider’s', delaysMs[Math.floor(delaysMs.length * 0.99)] ?? 0, 1_000, 'ms');
});

test('100 realtime clients die', async () => {
  const from = live.connections.length;
  const sockets = await Promise.all(
    Array.from({ length: 100 }, async () => {
      const socket = new SocketClient(`${weir.base}/realtime?model=up-realtime`, { token: weir.token });
      await socket.next();
      return socket;
    }),
  );
  for (const socket of sockets) socket.die();
  const all = () => live.connections.slice(from);
  judge('100 realtime providers are left after', await msUntil(() => all().every(({ closed }) => closed)), 1_000, 'ms');
});

test('a realtime provider dies', async () => {
  const socket = new SocketClient(`${weir.base}/realtime?model=up-realtime`, { token: weir.token });
  await socket.next();
  const startedAtMs = performance.now();
  await socket.send({ type: 'conversation.item.create', script: { vanish: true } });
  expect((await socket.closed).code).toBe(1011);
  judge('a realtime client learns of its provider’s end after', performance.now() - startedAtMs, 1_000, 'ms');
});

test('PostgreSQL goes away', async () => {
  const target = new URL(await postgresUrl());
  const door = makeDoor(target);
  const url = new URL(target);
  url.port = String(door.port);
  const store = await openStore({ databaseUrl: url.href, dataFolder: '', synchronous: 'normal', nowMs: Date.now });
  await store.attempts.open(anOpening());
  door.shut();
  const startedAtMs = performance.now();
  await Promise.allSettled([store.ping(), store.attempts.open(anOpening()), store.tokens.byId('x')]);
  judge('an outage of PostgreSQL is reported after', performance.now() - startedAtMs, 2_000, 'ms');
  await store.close();
});

test('Redis hangs', async () => {
  const server = await startRedis();
  const limiter = createRedisLimiter({ nowMs: Date.now, url: server.url });
  await limiter.tried;
  const caller = callerOf({ id: 'r', hint: '', createdAtMs: 0, terms: { name: 'r', rpm: 5 } });
  await limiter.enter(caller, 0, 'a');
  process.kill(server.pid, 'SIGSTOP');
  const startedAtMs = performance.now();
  await Promise.allSettled(Array.from({ length: 50 }, async () => limiter.enter(caller, 0, 'r')));
  judge('requests get through while Redis hangs after', performance.now() - startedAtMs, 1_000, 'ms');
  process.kill(server.pid, 'SIGCONT');
  limiter.close();
  await server.kill();
});

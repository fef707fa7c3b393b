/**
 * Four replicas while their Redis is a cluster, fails over, is demoted, paused and restarted empty: `rpm 40` serves exactly 40
 * wherever Redis takes writes, and at most 40 at each replica, with the reason named, wherever it does not.
 */

import { expect, setDefaultTimeout } from 'bun:test';
import { post, scripted } from '../harness/chat.ts';
import { type Door, makeDoor } from '../harness/door.ts';
import { needing } from '../harness/needs.ts';
import { type RedisServer, startRedis, tellRedis } from '../harness/redis.ts';
import { startCluster } from '../harness/redis-cluster.ts';
import { type Replicas, startReplicas } from '../harness/replicas.ts';
import { sized } from '../harness/size.ts';
import { createToken, type MadeToken } from '../harness/token.ts';
import { until } from '../harness/until.ts';
import { type RunningUpstream, startUpstream } from '../harness/upstream.ts';
import type { RunningWeir } from '../harness/weir.ts';

setDefaultTimeout(15 * 60_000);

const { afterAll, afterEach, beforeAll, test } = needing('postgres', 'redis');

const count = 4;
const rpm = 40;
const crowd = sized(200, 400);

let upstream: RunningUpstream;
let replicas: Replicas | undefined;
const ending: (() => unknown)[] = [];

beforeAll(async () => {
  upstream = await startUpstream();
});
afterEach(async () => {
  await replicas?.remove();
  for (const end of ending.splice(0)) await end();
});
afterAll(async () => {
  await upstream?.stop();
});

async function startOn(url: string, env: Readonly<Record<string, string>> = {}): Promise<Replicas> {
  const up = { kind: 'openai-chat', base_url: upstream.base, key: 'sk-up', models: ['gpt-4.1'] };
  replicas = await startReplicas(count, { yaml: { providers: { up } }, env: { REDIS_URL: url, ...env } });
  return replicas;
}

const limited = (fleet: Replicas): Promise<MadeToken> => createToken(fleet.at(0), '--rpm', String(rpm));

/** All at once, over all replicas in turn. */
async function served(fleet: Replicas, { token }: MadeToken, requests = crowd): Promise<number> {
  const statuses = Array.from({ length: requests }, async (_, index) => {
    const reply = await post({ base: fleet.at(index % count).base, token }, scripted({ deltas: 1 }));
    await reply.text();
    return reply.status;
  });
  return (await Promise.all(statuses)).filter((status) => status === 200).length;
}

async function servedOfMany(fleet: Replicas): Promise<void> {
  const tokens = await Promise.all(Array.from({ length: sized(3, 8) }, () => limited(fleet)));
  for (const token of tokens) expect(await served(fleet, token)).toBe(rpm);
}

async function redisUp({ url }: RunningWeir): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(/^weir_redis_up (\d)$/m.exec(text)?.[1]);
}

async function faultsOf({ url }: RunningWeir): Promise<unknown> {
  return ((await (await fetch(`${url}/readyz`)).json()) as { readonly faults?: unknown }).faults;
}

const linesOf = (weir: RunningWeir): readonly string[] =>
  weir
    .output()
    .split('\n')
    .filter((line) => /Redis cannot be used/.test(line) && !line.includes('This is over'));

async function allUp({ all }: Replicas): Promise<void> {
  await until(async () => (await Promise.all(all.map(redisUp))).every((up) => up === 1));
  expect(await Promise.all(all.map(faultsOf))).toEqual(all.map(() => undefined));
}

/** Every replica says so once, in these words, and serves what is left of a limit by itself. */
async function expectOutage(fleet: Replicas, outages: number, reason: RegExp): Promise<void> {
  await until(async () => (await Promise.all(fleet.all.map(faultsOf))).every(Array.isArray));
  for (const weir of fleet.all) {
    expect([await redisUp(weir), await faultsOf(weir)]).toEqual([0, ['redis']]);
    expect(linesOf(weir)).toHaveLength(outages);
    expect(linesOf(weir).at(-1)).toMatch(reason);
  }
  expect((await fleet.at(0).command('doctor')).stdout).toMatch(/redis +broken/);
  expect(await served(fleet, await limited(fleet))).toBe(count * rpm);
}

async function server(port?: number): Promise<RedisServer> {
  const started = await startRedis(port);
  ending.push(() => started.kill());
  return started;
}

test('a cluster of three masters, a moved slot and a follower that is promoted under load', async () => {
  const cluster = await startCluster();
  ending.push(() => cluster.kill());
  const fleet = await startOn(cluster.nodes[1]?.url ?? '');
  await allUp(fleet);
  await servedOfMany(fleet);
  expect((await fleet.at(0).command('doctor')).stdout).toMatch(/redis +ok/);

  const half = await limited(fleet);
  expect(await served(fleet, half, 20)).toBe(20);
  await cluster.moveSlot(await cluster.other());
  expect(await served(fleet, half)).toBe(rpm - 20);

  const follower = await cluster.follow(await cluster.owner());
  const token = await limited(fleet);
  const [first] = await Promise.all([served(fleet, token), cluster.promote(follower)]);
  expect(first).toBe(rpm);
  await servedOfMany(fleet);
  await allUp(fleet);
});

test('demoted, paused, killed, back empty, failed over behind a name', async () => {
  const [one, other] = [await server(), await server()];
  const port = Number(new URL(one.url).port);
  const target = new URL(one.url);
  const door: Door = makeDoor(target);
  ending.push(() => door.shut());
  const fleet = await startOn(`redis://127.0.0.1:${door.port}`, { WEIR_CLOCKS_REDIS_TIMEOUT_MS: '1000' });
  await allUp(fleet);
  await servedOfMany(fleet);

  await tellRedis(one.url, 'REPLICAOF', '127.0.0.1', new URL(other.url).port);
  await expectOutage(fleet, 1, /READONLY You can't write against a read only replica/);
  await tellRedis(one.url, 'REPLICAOF', 'NO', 'ONE');
  await allUp(fleet);
  await servedOfMany(fleet);

  process.kill(one.pid, 'SIGSTOP');
  await expectOutage(fleet, 2, /no reply within 1000 ms/);
  process.kill(one.pid, 'SIGCONT');
  await allUp(fleet);
  await servedOfMany(fleet);

  await one.kill();
  await expectOutage(fleet, 3, /closed|ECONNREFUSED|reply/);
  await server(port);
  await allUp(fleet);
  await servedOfMany(fleet);

  await tellRedis(other.url, 'REPLICAOF', '127.0.0.1', String(port));
  await until(async () => /master_link_status:up/.test(String(await tellRedis(other.url, 'INFO', 'replication'))));
  const half = await limited(fleet);
  expect(await served(fleet, half, 20)).toBe(20);
  await tellRedis(one.url, 'WAIT', '1', '10000');
  await tellRedis(other.url, 'REPLICAOF', 'NO', 'ONE');
  target.port = new URL(other.url).port;
  await tellRedis(one.url, 'REPLICAOF', '127.0.0.1', target.port);
  expect(await served(fleet, half)).toBe(rpm - 20);
  await allUp(fleet);
  for (const weir of fleet.all) expect(linesOf(weir)).toHaveLength(3);
});

/** A Redis that cannot be used, as the operator of a running Weir sees it: log, readiness, metrics and `weir doctor`. */

import { expect } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { post, scripted } from '../harness/chat.ts';
import { needing } from '../harness/needs.ts';
import { type RedisServer, startRedis, tellRedis } from '../harness/redis.ts';
import { startCluster } from '../harness/redis-cluster.ts';
import { createToken } from '../harness/token.ts';
import { until } from '../harness/until.ts';
import { type RunningUpstream, startUpstream } from '../harness/upstream.ts';
import { type RunningWeir, runWeir, startWeir } from '../harness/weir.ts';

const { afterAll, beforeAll, test } = needing('redis');

let upstream: RunningUpstream;
let redis: RedisServer;
let other: RedisServer;
let weir: RunningWeir;

beforeAll(async () => {
  [redis, other] = await Promise.all([startRedis(), startRedis()]);
  upstream = await startUpstream();
  const up = { kind: 'openai-chat', base_url: upstream.base, key: 'sk-up', models: ['gpt-4.1'] };
  weir = await startWeir({ yaml: { providers: { up } }, env: { REDIS_URL: redis.url } });
}, 120_000);
afterAll(async () => {
  await weir?.remove();
  await upstream?.stop();
  await Promise.all([redis?.kill(), other?.kill()]);
});

const faults = async (): Promise<unknown> => {
  const ready = await fetch(`${weir.url}/readyz`);
  return ((await ready.json()) as { readonly faults?: unknown }).faults;
};
async function metric(name: string): Promise<number> {
  const text = await (await fetch(`${weir.url}/metrics`)).text();
  return Number(
    text
      .split('\n')
      .find((line) => line.startsWith(`${name} `))
      ?.slice(name.length),
  );
}
const linesWith = (text: string): readonly string[] =>
  weir
    .output()
    .split('\n')
    .filter((line) => line.includes(text));
const doctor = async (): Promise<string> => (await weir.command('doctor')).stdout;

test('a demoted Redis: requests are served, and everything says why limits are those of each replica', async () => {
  expect([await metric('weir_redis_up'), await faults()]).toEqual([1, undefined]);
  expect(await doctor()).toMatch(/redis +ok +takes writes/);

  await tellRedis(redis.url, 'REPLICAOF', '127.0.0.1', new URL(other.url).port);
  const { token } = await createToken(weir, '--rpm', '2');
  const statuses = [1, 2, 3].map(async () => (await post({ base: weir.base, token }, scripted({ deltas: 1 }))).status);
  expect((await Promise.all(statuses)).sort()).toEqual([200, 200, 429]);
  await until(async () => (await faults()) !== undefined);
  expect([await metric('weir_redis_up'), await faults()]).toEqual([0, ['redis']]);
  expect(await metric('weir_replica_fault{kind="redis"}')).toBe(1);
  expect(linesWith('Redis cannot be used')).toEqual([
    expect.stringContaining("READONLY You can't write against a read only"),
  ]);
  expect(await doctor()).toMatch(/redis +broken +127\.0\.0\.1:\d+: READONLY You can't write/);

  await tellRedis(redis.url, 'REPLICAOF', 'NO', 'ONE');
  await until(async () => (await metric('weir_redis_up')) === 1);
  expect(await faults()).toBeUndefined();
  // One pair of lines; the second repeats what was.
  expect([linesWith('Redis cannot be used').length, linesWith('This is over').length]).toEqual([2, 1]);
}, 120_000);

test('what can never serve is refused at the start, in one sentence', async () => {
  const [sentinel, cluster] = [await startRedis(undefined, { isSentinel: true }), await startCluster(1)];
  const folder = mkdtempSync(join(tmpdir(), 'weir-refused-'));
  try {
    for (const [url, sentence] of [
      [sentinel.url, 'This server runs no scripts, as a Redis Sentinel does not'],
      [`${cluster.nodes[0]?.url}/1`, 'A Redis Cluster has no database but 0'],
    ] as const) {
      const { code, stderr } = await runWeir(['serve'], {
        WEIR_DATA: folder,
        WEIR_DISCOVERY_LOCAL: 'false',
        WEIR_PORT: '0',
        REDIS_URL: url,
      });
      expect(code).toBe(1);
      expect(stderr.trim().split('\n').at(-1)).toStartWith(`redis_url cannot be used: ${sentence}`);
      expect(stderr).not.toMatch(/^\s+at /m);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
    await Promise.all([sentinel.kill(), cluster.kill()]);
  }
}, 120_000);

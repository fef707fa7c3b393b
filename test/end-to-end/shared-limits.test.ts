/** Limits in Redis, with a real server: a busy token is counted ahead, and what is unused is back when Weir has stopped. */

import { expect } from 'bun:test';
import { limitKeys } from '../../src/store/redis/redis-keys.ts';
import { post, scripted } from '../harness/chat.ts';
import { needing } from '../harness/needs.ts';
import { redisUrl, stopRedis } from '../harness/redis.ts';
import { createToken } from '../harness/token.ts';
import { type RunningUpstream, startUpstream } from '../harness/upstream.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

const { afterAll, beforeAll, test } = needing('redis');

let upstream: RunningUpstream;
let weir: RunningWeir;

beforeAll(async () => {
  upstream = await startUpstream();
  const up = { kind: 'openai-chat', base_url: upstream.base, key: 'sk-up', models: ['gpt-4.1'] };
  weir = await startWeir({ yaml: { providers: { up } }, env: { REDIS_URL: await redisUrl() } });
}, 120_000);
afterAll(async () => {
  await weir?.remove();
  await upstream?.stop();
  await stopRedis();
});

interface Counted {
  readonly requests: number;
  readonly slots: number;
}

/** What Redis has of a token, with what is ahead. */
async function counted(client: Bun.RedisClient, id: string): Promise<Counted> {
  const fields = (await client.send('HGETALL', [limitKeys(id)[0]])) as Readonly<Record<string, string>>;
  const requests = Object.entries(fields).filter(([name]) => name.startsWith('r'));
  return {
    requests: requests.reduce((sum, [, value]) => sum + Number(value), 0),
    slots: Number(await client.send('ZCARD', [limitKeys(id)[1]])),
  };
}

test('a body that is refused is a request all the same, and one beyond the limit is refused', async () => {
  const { token } = await createToken(weir, '--rpm', '3', '--tpm', '100000');
  const target = { base: weir.base, token };
  expect((await post(target, { model: 'gpt-4.1', messages: 'none' })).status).toBe(400);
  const replies = await Promise.all([1, 2, 3, 4].map(() => post(target, scripted({ deltas: 1 }))));
  expect(replies.map(({ status }) => status).sort()).toEqual([200, 200, 429, 429]);
  const refused = replies.find(({ status }) => status === 429);
  expect(await refused?.json()).toMatchObject({ error: { code: 'rate_limited' } });
}, 120_000);

test('a busy token is counted ahead; after a stop Redis has its requests and no slot', async () => {
  const client = new Bun.RedisClient(await redisUrl());
  const { token, id } = await createToken(weir, '--rpm', '1000000', '--tpm', '1000000000', '--concurrency', '1000');
  const target = { base: weir.base, token };
  let requests = 0;
  let seen: Counted = { requests: 0, slots: 0 };
  // None is in flight when Redis is read: what it has more was counted ahead.
  while (seen.requests <= requests && requests < 20_000) {
    await Promise.all(Array.from({ length: 10 }, async () => (await post(target, scripted({ deltas: 1 }))).text()));
    requests += 10;
    seen = await counted(client, id);
  }
  expect(seen.requests).toBeGreaterThan(requests);
  expect(await weir.stop()).toBe(0);
  expect(await counted(client, id)).toEqual({ requests, slots: 0 });
  client.close();
}, 120_000);

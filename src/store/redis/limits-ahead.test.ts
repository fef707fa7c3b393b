/** What a replica counted ahead in a Redis that ends. */

import { expect } from 'bun:test';
import { needing } from '../../../test/harness/needs.ts';
import { startRedis, stopRedis } from '../../../test/harness/redis.ts';
import { until } from '../../../test/harness/until.ts';
import { callerOf } from '../../access/levels/caller-of.ts';
import { limitKeys } from './redis-keys.ts';
import { createRedisLimiter } from './redis-limits.ts';

const { afterAll, test } = needing('redis');
afterAll(stopRedis);

test('a server that ends takes what was ahead with it, and no slot stays behind', async () => {
  const server = await startRedis();
  let clockMs = 1_800_000_000_000;
  const limiter = createRedisLimiter({ url: server.url, nowMs: () => clockMs, clock: 'given' });
  await limiter.tried;
  const terms = { name: 'ahead', rpm: 10_000, concurrency: 100 };
  const caller = callerOf({ id: `ahead-${crypto.randomUUID()}`, hint: '', createdAtMs: 0, terms });
  const pass = async (times: number): Promise<void> => {
    for (let nth = 0; nth < times; nth += 1) (await limiter.enter(caller, 0, 'r')).leave(0);
  };
  await pass(50);
  clockMs += 1_000;
  await pass(10);
  const used = await limiter.enter(caller, 0, 'used');
  await server.kill();
  await until(() => !limiter.shared);
  const again = await startRedis(Number(new URL(server.url).port));
  await until(() => limiter.shared);
  await limiter.renew();
  const client = new Bun.RedisClient(again.url);
  const slots = () => client.send('ZCARD', [limitKeys(caller.tokenId)[1]]);
  expect(await slots()).toBe(1);
  used.leave();
  await limiter.finish();
  expect(await slots()).toBe(0);
  expect((await limiter.peek(caller)).requests?.left).toBe(10_000);
  client.close();
  limiter.close();
  await again.kill();
});

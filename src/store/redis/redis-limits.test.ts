/** What only the shared limiter does: several replicas, leases of dead ones, and life without Redis. */

import { expect } from 'bun:test';
import { needing } from '../../../test/harness/needs.ts';
import { redisUrl, startRedis, stopRedis } from '../../../test/harness/redis.ts';
import { until } from '../../../test/harness/until.ts';
import type { Caller, TokenTerms } from '../../access/caller.ts';
import { callerOf } from '../../access/levels/caller-of.ts';
import { limitKeys } from './redis-keys.ts';
import { createRedisLimiter, type RedisLimiter, type RedisLimiterOptions } from './redis-limits.ts';

const { afterAll, afterEach, describe, test } = needing('redis');

let tokens = 0;
const callerWith = (terms: Omit<TokenTerms, 'name'>): Caller => {
  const id = `shared-${process.pid}-${tokens++}`;
  return callerOf({ id, hint: '', createdAtMs: 0, terms: { name: id, ...terms } });
};

const opened: RedisLimiter[] = [];
async function replica(options: Partial<RedisLimiterOptions> & { readonly url: string }): Promise<RedisLimiter> {
  const limiter = createRedisLimiter({ nowMs: Date.now, ...options });
  opened.push(limiter);
  await limiter.tried;
  return limiter;
}

async function admitted(limiters: readonly RedisLimiter[], caller: Caller, timesEach: number): Promise<number> {
  const entries = limiters.flatMap((limiter) =>
    Array.from({ length: timesEach }, async () => limiter.enter(caller, 0, 'r')),
  );
  const outcomes = await Promise.allSettled(entries);
  return outcomes.filter((outcome) => outcome.status === 'fulfilled').length;
}

afterEach(() => {
  for (const limiter of opened.splice(0)) limiter.close();
});
afterAll(stopRedis);

describe('replicas', () => {
  test('four of them admit one limit together, by the server clock', async () => {
    const url = await redisUrl();
    const four = await Promise.all([1, 2, 3, 4].map(() => replica({ url, nowMs: () => 0 })));
    expect(await admitted(four, callerWith({ rpm: 20 }), 25)).toBe(20);
  });

  test('share slots, and a slot left on one is free on the other', async () => {
    const url = await redisUrl();
    const [first, second] = [await replica({ url }), await replica({ url })];
    const caller = callerWith({ concurrency: 1 });
    const admission = await first.enter(caller, 0, 'a');
    expect(await admitted([second], caller, 1)).toBe(0);
    admission.leave();
    // The reply of a later command on the same connection means that the release was carried out.
    await first.enter(callerWith({ concurrency: 1 }), 0, 'b');
    expect(await admitted([second], caller, 1)).toBe(1);
  });

  test('a dead one loses its slots when the lease runs out, a living one renews', async () => {
    const url = await redisUrl();
    let clockMs = 1_000_000;
    const given = { url, clock: 'given', nowMs: () => clockMs } as const;
    const [living, dying, third] = [await replica(given), await replica(given), await replica(given)];
    const caller = callerWith({ concurrency: 2 });
    await living.enter(caller, 0, 'a');
    await dying.enter(caller, 0, 'b');
    clockMs += 40_000;
    await living.renew();
    dying.close();
    clockMs += 19_999;
    expect(await admitted([third], caller, 1)).toBe(0);
    clockMs += 1;
    expect(await admitted([third], caller, 3)).toBe(1);
  });

  test('more slots than one batch are all renewed', async () => {
    const url = await redisUrl();
    let clockMs = 1_000_000;
    const limiter = await replica({ url, clock: 'given', nowMs: () => clockMs });
    const caller = callerWith({ concurrency: 1_101 });
    expect(await admitted([limiter], caller, 1_101)).toBe(1_101);
    clockMs += 59_000;
    await limiter.renew();
    clockMs += 59_000;
    expect(await admitted([limiter], caller, 1)).toBe(0);
  });
});

describe('without Redis', () => {
  test('connection refused: every replica counts for itself', async () => {
    const limiter = await replica({ url: 'redis://127.0.0.1:1' });
    expect(limiter.shared).toBe(false);
    expect(await admitted([limiter], callerWith({ rpm: 3 }), 9)).toBe(3);
  });

  test('a server that dies and comes back empty', async () => {
    const server = await startRedis();
    const changes: boolean[] = [];
    const limiter = await replica({ url: server.url, onChange: (available) => changes.push(available) });
    const caller = callerWith({ rpm: 5, concurrency: 10 });
    expect(await admitted([limiter], caller, 4)).toBe(4);
    await server.kill();
    expect(await admitted([limiter], caller, 8)).toBe(5);
    const again = await startRedis(Number(new URL(server.url).port));
    await until(() => limiter.shared);
    // The slots still in use are made known to the empty server at once.
    expect(await admitted([limiter], caller, 1)).toBe(1);
    const client = new Bun.RedisClient(again.url);
    expect(await client.send('ZCARD', [limitKeys(caller.tokenId)[1]])).toBe(5);
    client.close();
    expect(await admitted([limiter], caller, 8)).toBe(4);
    expect(changes).toEqual([true, false, true]);
    await again.kill();
  });

  test('scripts that were flushed from the server are sent again', async () => {
    const server = await startRedis();
    const limiter = await replica({ url: server.url });
    const client = new Bun.RedisClient(server.url);
    await client.send('SCRIPT', ['FLUSH']);
    client.close();
    expect(await admitted([limiter], callerWith({ rpm: 2 }), 5)).toBe(2);
    expect(limiter.shared).toBe(true);
    await server.kill();
  });

  test('a server that hangs: requests get through without it, and it is used again once it answers', async () => {
    const server = await startRedis();
    const limiter = await replica({ url: server.url });
    const caller = callerWith({ rpm: 5 });
    await limiter.enter(caller, 0, 'a');
    process.kill(server.pid, 'SIGSTOP');
    expect(await admitted([limiter], caller, 50)).toBe(5);
    expect(limiter.shared).toBe(false);
    process.kill(server.pid, 'SIGCONT');
    await until(() => limiter.shared);
    await server.kill();
  });
});

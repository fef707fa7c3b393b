/** The limiter's contract, run over the one in memory, the one of a machine's workers and the one in Redis: same decisions, headers and errors. */

import { describe, expect } from 'bun:test';
import type { Caller, TokenTerms } from '../../src/access/caller.ts';
import { callerOf } from '../../src/access/levels/caller-of.ts';
import { MachineLimits } from '../../src/access/limit-table.ts';
import { type Admission, type Limiter, openAdmission } from '../../src/access/limits.ts';
import { createMemoryLimiter } from '../../src/access/memory-limiter.ts';
import type { LevelTerms } from '../../src/access/organization.ts';
import { GatewayError } from '../../src/conversation/gateway-error.ts';
import { createRedisLimiter, type RedisLimiter } from '../../src/store/redis/redis-limits.ts';
import { needing } from '../harness/needs.ts';
import { redisUrl, stopRedis } from '../harness/redis.ts';
import { workerLimiter } from '../harness/worker-limiter.ts';

/** Starts in the middle of a slice, where the edges are easiest to get wrong. */
const startMs = 1_800_000_000_400;
let clockMs = startMs;

function callerWith(terms: Omit<TokenTerms, 'name'>): Caller {
  // Random, because a Redis keeps the callers of earlier rounds.
  const id = `contract-${crypto.randomUUID()}`;
  return callerOf({ id, hint: '', createdAtMs: 0, terms: { name: id, ...terms } });
}

async function denial(limiter: Limiter, caller: Caller, tokens = 0): Promise<GatewayError> {
  const outcome = await (async () => limiter.enter(caller, tokens, 'denied'))().catch((error: unknown) => error);
  if (outcome instanceof GatewayError) return outcome;
  throw new Error('expected a denial');
}

/** Enters `times` times at this instant and gives back how many got in. */
async function admitted(limiter: Limiter, caller: Caller, times: number, tokens = 0): Promise<number> {
  const entries = Array.from({ length: times }, async () => limiter.enter(caller, tokens, 'burst'));
  const outcomes = await Promise.allSettled(entries);
  return outcomes.filter((outcome) => outcome.status === 'fulfilled').length;
}

interface Subject {
  readonly name: string;
  readonly make: () => Promise<Limiter>;
  readonly end: () => Promise<void>;
}

const redisLimiters: RedisLimiter[] = [];
const subjects: readonly Subject[] = [
  { name: 'memory', make: async () => createMemoryLimiter({ nowMs: () => clockMs }), end: async () => {} },
  {
    name: 'table of the machine',
    make: async () => {
      return workerLimiter(new MachineLimits(() => clockMs), () => clockMs);
    },
    end: async () => {},
  },
  {
    name: 'redis',
    make: async () => {
      const limiter = createRedisLimiter({
        url: await redisUrl(),
        nowMs: () => clockMs,
        clock: 'given',
        // A busy machine is not a Redis that is gone.
        timeoutMs: 60_000,
      });
      redisLimiters.push(limiter);
      await limiter.tried;
      expect(limiter.shared).toBe(true);
      return limiter;
    },
    end: async () => {
      for (const limiter of redisLimiters) limiter.close();
      await stopRedis();
    },
  },
];

describe.each(subjects)('limiter in $name', ({ name, make, end }) => {
  const { afterAll, beforeAll, test } = needing(name === 'redis' ? 'redis' : 'sqlite');
  let limiter: Limiter;

  beforeAll(async () => {
    clockMs = startMs;
    limiter = await make();
  });
  afterAll(end);

  test('a caller without limits gets the shared admission, at once', () => {
    expect(limiter.enter(callerWith({}), 1e9, 'x')).toBe(openAdmission);
  });

  test('admits exactly the limit of a minute and no more', async () => {
    expect(await admitted(limiter, callerWith({ rpm: 5 }), 25)).toBe(5);
  });

  test('no span of 59 seconds holds more than the limit, and a minute on the clock never does', async () => {
    const caller = callerWith({ rpm: 7 });
    const grantedAtMs: number[] = [];
    for (let step = 0; step < 300; step++) {
      clockMs += 731;
      for (let count = await admitted(limiter, caller, 2); count > 0; count--) grantedAtMs.push(clockMs);
    }
    for (const fromMs of grantedAtMs) {
      expect(grantedAtMs.filter((atMs) => atMs >= fromMs && atMs < fromMs + 59_000).length).toBeLessThanOrEqual(7);
      const second = Math.floor(fromMs / 1_000) * 1_000;
      expect(grantedAtMs.filter((atMs) => atMs >= second && atMs < second + 60_000).length).toBeLessThanOrEqual(7);
    }
    // 219 seconds are three whole windows and more: the limit must also be reached, or nothing was shown.
    expect(grantedAtMs.length).toBeGreaterThanOrEqual(7 * 3);
  });

  test('a request is counted for the 60 seconds that begin with its own, and Retry-After says when they end', async () => {
    const caller = callerWith({ rpm: 1 });
    await limiter.enter(caller, 0, 'first');
    const error = await denial(limiter, caller);
    expect(error.code).toBe('rate_limited');
    const waitMs = error.retryAfterMs ?? 0;
    expect(waitMs).toBeGreaterThan(59_000);
    expect(waitMs).toBeLessThanOrEqual(60_000);
    clockMs += waitMs - 1;
    expect(await admitted(limiter, caller, 1)).toBe(0);
    clockMs += 1;
    expect(await admitted(limiter, caller, 1)).toBe(1);
  });

  test('a denied request counts nothing', async () => {
    const caller = callerWith({ rpm: 2, tpm: 100 });
    expect(await admitted(limiter, caller, 10, 60)).toBe(1);
    const { headers } = await limiter.enter(caller, 40, 'fits');
    expect(headers['x-ratelimit-remaining-requests']).toBe('0');
    expect(headers['x-ratelimit-remaining-tokens']).toBe('0');
  });

  test('headers name only the limits that the token has', async () => {
    const { headers } = await limiter.enter(callerWith({ rpm: 10 }), 5, 'a');
    expect(Object.keys(headers).sort()).toEqual([
      'x-ratelimit-limit-requests',
      'x-ratelimit-remaining-requests',
      'x-ratelimit-reset-requests',
    ]);
    expect(headers['x-ratelimit-limit-requests']).toBe('10');
    expect(headers['x-ratelimit-remaining-requests']).toBe('9');
    expect(headers['x-ratelimit-reset-requests']).toMatch(/^(59(\.\d{1,3})?s|1m0s)$/);
    expect(Object.keys((await limiter.enter(callerWith({ tpm: 10 }), 5, 'b')).headers)).toHaveLength(3);
    expect((await limiter.enter(callerWith({ concurrency: 1 }), 5, 'c')).headers).toEqual({});
  });

  test('a denial carries the headers', async () => {
    const caller = callerWith({ rpm: 1 });
    await limiter.enter(caller, 0, 'a');
    expect((await denial(limiter, caller)).headers).toMatchObject({
      'x-ratelimit-limit-requests': '1',
      'x-ratelimit-remaining-requests': '0',
    });
  });

  test('tokens are reserved by the estimate and corrected by what was used', async () => {
    const caller = callerWith({ tpm: 1_000 });
    const first = await limiter.enter(caller, 900, 'a');
    expect((await denial(limiter, caller, 101)).code).toBe('rate_limited');
    first.leave(100);
    const second = await limiter.enter(caller, 900, 'b');
    expect(second.headers['x-ratelimit-remaining-tokens']).toBe('0');
    second.leave(1_500);
    const error = await denial(limiter, caller, 1);
    expect(error.headers?.['x-ratelimit-remaining-tokens']).toBe('0');
  });

  test('tokens that are reserved later count as those reserved at once, and never more than the limit', async () => {
    const caller = callerWith({ rpm: 400, tpm: 10_000 });
    const outcomes = await Promise.allSettled(
      Array.from({ length: 300 }, async () => {
        const admission = await limiter.enter(caller, 0, 'late');
        await admission.reserve(4_000);
        return admission;
      }),
    );
    const entered = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
    expect(entered).toHaveLength(2);
    expect(entered.map(({ headers }) => headers['x-ratelimit-remaining-tokens']).sort()).toEqual(['2000', '6000']);
    // Those that did not fit stay counted as requests.
    expect(await limiter.peek(caller)).toEqual({
      requests: { limit: 400, left: 100 },
      tokens: { limit: 10_000, left: 2_000 },
    });
    entered[0]?.leave(1_000);
    expect((await limiter.peek(caller)).tokens?.left).toBe(5_000);
    entered[0]?.leave(0);
    entered[1]?.leave();
    expect((await limiter.peek(caller)).tokens?.left).toBe(5_000);
  });

  test('a short request is counted when it reserves its tokens, with the same decisions', async () => {
    const late = (caller: Caller) => limiter.enterOnReserve?.(caller, 'short');
    const caller = callerWith({ rpm: 4, tpm: 100, concurrency: 2 });
    expect(late(callerWith({ rpm: 4, concurrency: 2 }))).toBeUndefined();
    const first = late(caller);
    if (first === undefined) return;
    expect(await limiter.peek(caller)).toMatchObject({ requests: { left: 4 }, concurrency: { left: 2 } });
    await first.reserve(60);
    expect(first.headers).toMatchObject({
      'x-ratelimit-remaining-requests': '3',
      'x-ratelimit-remaining-tokens': '40',
    });
    expect(await limiter.peek(caller)).toMatchObject({ tokens: { left: 40 }, concurrency: { left: 1 } });
    // Too many tokens: a request all the same.
    await expect(late(caller)?.reserve(41)).rejects.toMatchObject({ code: 'rate_limited' });
    // Ended before it reserved, as one whose body is refused.
    late(caller)?.leave(0);
    expect(await limiter.peek(caller)).toMatchObject({ requests: { left: 1 }, concurrency: { left: 1 } });
    first.leave(10);
    first.leave(10);
    expect(await limiter.peek(caller)).toMatchObject({ tokens: { left: 90 }, concurrency: { left: 2 } });
    // Ended while the table was being asked.
    const second = late(caller);
    const reserving = second?.reserve(20);
    second?.leave(5);
    await reserving;
    expect(await limiter.peek(caller)).toEqual({
      requests: { limit: 4, left: 0 },
      tokens: { limit: 100, left: 85 },
      concurrency: { limit: 2, left: 2 },
    });
    await expect(late(caller)?.reserve(1)).rejects.toMatchObject({
      code: 'rate_limited',
      message: expect.stringContaining('4 requests per minute'),
    });
  });

  test('used tokens count where none were reserved', async () => {
    const caller = callerWith({ tpm: 100 });
    const admission = await limiter.enter(caller, 0, 'unknown');
    admission.leave(70);
    expect((await limiter.peek(caller)).tokens?.left).toBe(30);
    expect((await denial(limiter, caller, 31)).code).toBe('rate_limited');
  });

  test('a token without a limit of model tokens reserves nothing and waits for nothing', async () => {
    const admission = await limiter.enter(callerWith({ rpm: 3, concurrency: 1 }), 0, 'free');
    expect(admission.reserve(1e9)).toBeUndefined();
    admission.leave(5);
  });

  test('a denied reservation leaves the slot to the request that entered', async () => {
    const caller = callerWith({ tpm: 10, concurrency: 1 });
    const admission = await limiter.enter(caller, 0, 'a');
    const refused = await (async () => admission.reserve(11))().catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'rate_limited' });
    expect((await limiter.peek(caller)).concurrency?.left).toBe(0);
    admission.leave(0);
    expect((await limiter.peek(caller)).concurrency?.left).toBe(1);
  });

  test.each([
    'reads',
    'counting',
  ] as const)('%s have a window of their own, by the requests of the token', async (counted) => {
    const limitOf = { reads: 10, counting: 5 }[counted];
    const passes = async (caller: Caller, times: number): Promise<number> => {
      const entries = Array.from({ length: times }, async () => limiter.enter(caller, 0, 'burst', counted));
      return (await Promise.allSettled(entries)).filter(({ status }) => status === 'fulfilled').length;
    };
    const few = callerWith({ rpm: 1, concurrency: 1 });
    expect(await passes(few, 70)).toBe(60);
    expect(await passes(callerWith({ rpm: 40 }), 500)).toBe(40 * limitOf);
    expect(limiter.enter(callerWith({ tpm: 1, concurrency: 1 }), 0, 'x', counted)).toBe(openAdmission);
    // Neither slot nor request was taken, and requests have left the class alone.
    expect(await limiter.peek(few)).toEqual({ requests: { limit: 1, left: 1 }, concurrency: { limit: 1, left: 1 } });
    expect(await admitted(limiter, few, 3)).toBe(1);
    const error = await (async () => limiter.enter(few, 0, 'over', counted))().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'rate_limited', message: expect.stringContaining('60') });
    const waitMs = (error as GatewayError).retryAfterMs ?? 0;
    expect(waitMs).toBeGreaterThan(0);
    expect(waitMs).toBeLessThanOrEqual(60_000);
    clockMs += waitMs;
    expect(await passes(few, 1)).toBe(1);
  });

  test('leaving twice, or without a figure, changes nothing more', async () => {
    const caller = callerWith({ tpm: 100, concurrency: 2 });
    const first = await limiter.enter(caller, 50, 'a');
    first.leave(0);
    first.leave(0);
    const second = await limiter.enter(caller, 60, 'b');
    expect(second.headers['x-ratelimit-remaining-tokens']).toBe('40');
    second.leave();
    const third = await limiter.enter(caller, 40, 'c');
    expect(third.headers['x-ratelimit-remaining-tokens']).toBe('0');
  });

  test('a correction after the window has passed is ignored', async () => {
    const caller = callerWith({ tpm: 100 });
    const first = await limiter.enter(caller, 10, 'a');
    clockMs += 62_000;
    first.leave(5_000);
    expect((await limiter.enter(caller, 100, 'b')).headers['x-ratelimit-remaining-tokens']).toBe('0');
  });

  test('a request larger than the whole limit is refused with the reason', async () => {
    const caller = callerWith({ tpm: 100 });
    const error = await denial(limiter, caller, 101);
    expect(error.code).toBe('rate_limited');
    expect(error.message).toContain('101');
    expect(await admitted(limiter, caller, 1, 100)).toBe(1);
  });

  test.each([-5, Number.NaN, Number.NEGATIVE_INFINITY])('an estimate of %p reserves nothing', async (tokens) => {
    const { headers } = await limiter.enter(callerWith({ tpm: 10 }), tokens, 'a');
    expect(headers['x-ratelimit-remaining-tokens']).toBe('10');
  });

  test('holds at most the slots it has, and gives them back', async () => {
    const caller = callerWith({ concurrency: 3 });
    const open: Admission[] = [];
    for (let index = 0; index < 3; index++) open.push(await limiter.enter(caller, 0, 'same-id'));
    const error = await denial(limiter, caller);
    expect(error.code).toBe('concurrency_limited');
    expect(error.retryAfterMs).toBeGreaterThan(0);
    open[0]?.leave();
    open[0]?.leave();
    expect(await admitted(limiter, caller, 5)).toBe(1);
  });

  test('a read of the remaining limits names only those that the token has', async () => {
    expect(await limiter.peek(callerWith({}))).toEqual({});
    expect(await limiter.peek(callerWith({ rpm: 3 }))).toEqual({ requests: { limit: 3, left: 3 } });
    expect(await limiter.peek(callerWith({ rpm: 0, tpm: 7, concurrency: 2 }))).toEqual({
      requests: { limit: 0, left: 0 },
      tokens: { limit: 7, left: 7 },
      concurrency: { limit: 2, left: 2 },
    });
  });

  test('a read counts nothing, and shows what entering and leaving count', async () => {
    const caller = callerWith({ rpm: 2, tpm: 100, concurrency: 2 });
    const left = async (): Promise<unknown[]> => {
      const { requests, tokens, concurrency } = await limiter.peek(caller);
      return [requests?.left, tokens?.left, concurrency?.left];
    };
    const first = await limiter.enter(caller, 30, 'a');
    for (let look = 0; look < 5; look++) expect(await left()).toEqual([1, 70, 1]);
    first.leave(10);
    expect(await left()).toEqual([1, 90, 2]);
    const second = await limiter.enter(caller, 90, 'b');
    expect(await left()).toEqual([0, 0, 1]);
    second.leave(500);
    expect(await left()).toEqual([0, 0, 2]);
    clockMs += 61_000;
    expect(await left()).toEqual([2, 100, 2]);
    expect(await admitted(limiter, caller, 5)).toBe(2);
  });

  test('a read of a lowered limit shows zero left, not a negative number', async () => {
    const before = callerWith({ rpm: 10 });
    await admitted(limiter, before, 4);
    const after = callerOf({ id: before.tokenId, hint: '', createdAtMs: 0, terms: { name: 'x', rpm: 3 } });
    expect(await limiter.peek(after)).toEqual({ requests: { limit: 3, left: 0 } });
  });

  test('a limit that was lowered counts at once against what was used', async () => {
    const before = callerWith({ rpm: 10 });
    await admitted(limiter, before, 4);
    const after = callerOf({ id: before.tokenId, hint: '', createdAtMs: 0, terms: { name: 'x', rpm: 4 } });
    expect(await admitted(limiter, after, 1)).toBe(0);
  });

  describe('a request of several levels', () => {
    const below = (teamTerms: LevelTerms, terms: Omit<TokenTerms, 'name'> = {}) => {
      const team = `team_${crypto.randomUUID()}`;
      const levels = [{ kind: 'team' as const, id: team, name: 'Research', terms: teamTerms }];
      return () => {
        const id = `contract-${crypto.randomUUID()}`;
        return callerOf({ id, hint: '', createdAtMs: 0, terms: { name: id, ...terms } }, { levels, creators: [] });
      };
    };

    test('counts at each of them, exactly, and the error names the one that denied', async () => {
      const tokenOf = below({ rpm: 7 }, { rpm: 5 });
      const [one, two] = [tokenOf(), tokenOf()];
      expect(await admitted(limiter, one, 9)).toBe(5);
      expect(await admitted(limiter, two, 9)).toBe(2);
      expect((await denial(limiter, one)).message).toContain('The team "Research" reached its limit of 7 requests');
      expect(await limiter.peek(two)).toEqual({ requests: { limit: 7, left: 0 } });
    });

    test('that one of them denies counts at none', async () => {
      const tokenOf = below({ rpm: 10, concurrency: 10 }, { rpm: 1 });
      const [one, two] = [tokenOf(), tokenOf()];
      expect(await admitted(limiter, one, 8)).toBe(1);
      expect((await denial(limiter, one)).message).toContain('The token reached its limit of 1 requests');
      expect(await limiter.peek(two)).toMatchObject({ requests: { limit: 1, left: 1 }, concurrency: { left: 9 } });
    });

    test('takes a slot of each, and frees all of them', async () => {
      const tokenOf = below({ concurrency: 2 }, { concurrency: 2 });
      const [one, two] = [tokenOf(), tokenOf()];
      const first = await limiter.enter(one, 0, 'a');
      await limiter.enter(two, 0, 'b');
      expect((await denial(limiter, two)).code).toBe('concurrency_limited');
      first.leave();
      const again = await limiter.enter(two, 0, 'c');
      expect(await limiter.peek(one)).toEqual({ concurrency: { limit: 2, left: 0 } });
      again.leave();
    });

    test('reserves tokens at each, and what was used replaces them', async () => {
      const tokenOf = below({ tpm: 100 }, { tpm: 80 });
      const [one, two] = [tokenOf(), tokenOf()];
      const first = await limiter.enter(one, 0, 'a');
      await first.reserve(60);
      expect(first.headers).toMatchObject({
        'x-ratelimit-limit-tokens': '80',
        'x-ratelimit-remaining-tokens': '20',
      });
      const second = await limiter.enter(two, 0, 'b');
      const refused = await (async () => second.reserve(50))().catch((error: unknown) => error);
      expect(refused).toMatchObject({ code: 'rate_limited' });
      expect(String(refused)).toContain('The team "Research" reached its limit of 100 tokens');
      first.leave(10);
      await second.reserve(50);
      expect(await limiter.peek(two)).toEqual({ tokens: { limit: 80, left: 30 } });
      second.leave(50);
      expect(await limiter.peek(one)).toEqual({ tokens: { limit: 100, left: 40 } });
    });

    test('has the headers of the tightest limit', async () => {
      const caller = below({ rpm: 3 }, { rpm: 50 })();
      const { headers } = await limiter.enter(caller, 0, 'a');
      expect(headers).toMatchObject({ 'x-ratelimit-limit-requests': '3', 'x-ratelimit-remaining-requests': '2' });
    });

    test('reads have windows at each level', async () => {
      const tokenOf = below({ rpm: 7 }, { rpm: 50 });
      const reads = (caller: Caller) => Array.from({ length: 50 }, async () => limiter.enter(caller, 0, 'x', 'reads'));
      const outcomes = await Promise.allSettled([...reads(tokenOf()), ...reads(tokenOf())]);
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(70);
    });
  });
});

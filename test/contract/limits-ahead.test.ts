/**
 * Limits that a busy process counts ahead, in Redis or in the table of a machine's workers: never more than the limit, and never
 * less once it is reached.
 */

import { describe, expect } from 'bun:test';
import type { Sleep } from '../../src/access/ahead-table.ts';
import type { Caller, TokenTerms } from '../../src/access/caller.ts';
import { callerOf } from '../../src/access/levels/caller-of.ts';
import { MachineLimits } from '../../src/access/limit-table.ts';
import type { Admission, Limiter } from '../../src/access/limits.ts';
import { createRedisLimiter, type RedisLimiter } from '../../src/store/redis/redis-limits.ts';
import { needing } from '../harness/needs.ts';
import { startRedis, stopRedis } from '../harness/redis.ts';
import { until } from '../harness/until.ts';
import { workerLimiter } from '../harness/worker-limiter.ts';

/** The start of a slice. */
const startMs = 1_800_000_000_000;
let clockMs = startMs;
const callerWith = (terms: Omit<TokenTerms, 'name'>): Caller => {
  const id = `ahead-${crypto.randomUUID()}`;
  return callerOf({ id, hint: '', createdAtMs: 0, terms: { name: id, ...terms } });
};

interface Replica extends Limiter {
  /** Returns what no request uses. */
  finish(): Promise<void>;
}

/** A table, and processes that ask it. */
interface Place {
  /** `sleep` is how it waits for what others return; real time unless given. */
  replica(sleep?: Sleep): Promise<Replica>;
  /** How often the table was asked. */
  asked(): Promise<number>;
  end(): Promise<void>;
}

async function inRedis(): Promise<Place> {
  const server = await startRedis();
  const opened: RedisLimiter[] = [];
  return {
    async replica(sleep: Sleep = Bun.sleep) {
      const nowMs = (): number => clockMs;
      const limiter = createRedisLimiter({ url: server.url, nowMs, clock: 'given', timeoutMs: 60_000, sleep });
      opened.push(limiter);
      await limiter.tried;
      return limiter;
    },
    async asked() {
      const client = new Bun.RedisClient(server.url);
      const stats = String(await client.send('INFO', ['commandstats']));
      client.close();
      return Number(/cmdstat_evalsha:calls=(\d+)/.exec(stats)?.[1] ?? 0);
    },
    async end() {
      for (const limiter of opened) limiter.close();
      await server.kill();
    },
  };
}

async function onMachine(): Promise<Place> {
  const table = new MachineLimits(() => clockMs);
  const opened: { calls(): number }[] = [];
  return {
    async replica(sleep) {
      const limiter = workerLimiter(table, () => clockMs, sleep);
      opened.push(limiter);
      const finish = async (): Promise<void> => {
        limiter.finish();
        await Bun.sleep(0);
      };
      return { ...limiter, finish };
    },
    asked: async () => opened.reduce((sum, { calls }) => sum + calls(), 0),
    end: async () => {},
  };
}

const places = [
  { name: 'Redis', needs: 'redis', make: inRedis },
  { name: 'the table of a machine', needs: 'sqlite', make: onMachine },
] as const;

/** One after another, each ended before the next begins. */
async function pass(limiter: Limiter, caller: Caller, times: number, tokens = 0): Promise<void> {
  for (let nth = 0; nth < times; nth += 1) (await limiter.enter(caller, tokens, 'r')).leave(tokens);
}

async function entered(limiter: Limiter, caller: Caller, times: number, tokens = 0): Promise<Admission[]> {
  const entries = Array.from({ length: times }, async () => limiter.enter(caller, tokens, 'burst'));
  return (await Promise.allSettled(entries)).flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
}

/** Replicas that wait for what others return until the clock of this test says that a second is over. */
class Waits {
  #begun = Promise.withResolvers<void>();
  #over = Promise.withResolvers<void>();

  readonly sleep: Sleep = () => {
    this.#begun.resolve();
    return this.#over.promise;
  };

  /** The time at which each was admitted is the clock's when it was: some wait for the next second, some do not. */
  async admitted(limiter: Limiter, caller: Caller, times: number, tokens: number): Promise<readonly Admitted[]> {
    const entering = Array.from({ length: times }, async (): Promise<Admitted> => {
      const admission = await limiter.enter(caller, tokens, 'burst');
      return { admission, atMs: clockMs };
    });
    const all = Promise.allSettled(entering);
    const isWaiting = await Promise.race([all.then(() => false), this.#begun.promise.then(() => true)]);
    if (isWaiting) {
      // Their batch is answered: what is admitted at once is, before the clock moves.
      await Bun.sleep(0);
      clockMs += 1_000;
      this.#over.resolve();
    }
    const ended = await all;
    this.#begun = Promise.withResolvers<void>();
    this.#over = Promise.withResolvers<void>();
    return ended.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  }
}

interface Admitted {
  readonly admission: Admission;
  readonly atMs: number;
}

for (const { name, needs, make } of places) {
  const { afterAll, afterEach, beforeEach, test } = needing(needs);
  describe(`ahead in ${name}`, () => {
    let place: Place;
    beforeEach(async () => {
      clockMs = startMs;
      place = await make();
    });
    afterEach(() => place.end());
    if (needs === 'redis') afterAll(stopRedis);

    describe('a busy level', () => {
      test('asks once a second, and the table then has what was used', async () => {
        const [busy, other] = [await place.replica(), await place.replica()];
        const caller = callerWith({ rpm: 10_000, tpm: 1_000_000, concurrency: 100 });
        await pass(busy, caller, 100, 10);
        const before = await place.asked();
        clockMs += 1_000;
        await pass(busy, caller, 90, 10);
        expect((await place.asked()) - before).toBeLessThan(10);
        const { headers } = await busy.enter(caller, 10, 'last');
        expect(headers).toMatchObject({
          'x-ratelimit-remaining-requests': `${10_000 - 191}`,
          'x-ratelimit-remaining-tokens': `${1_000_000 - 1_910}`,
        });
        await busy.finish();
        expect(await other.peek(caller)).toEqual({
          requests: { limit: 10_000, left: 10_000 - 191 },
          tokens: { limit: 1_000_000, left: 1_000_000 - 1_910 },
          concurrency: { limit: 100, left: 99 },
        });
      });

      test('returns what is unused at the end of the second, without a further request', async () => {
        const [busy, other] = [await place.replica(), await place.replica()];
        const caller = callerWith({ rpm: 10_000, tpm: 1_000_000, concurrency: 100 });
        await pass(busy, caller, 100, 10);
        clockMs += 1_000;
        await pass(busy, caller, 5, 10);
        expect((await other.peek(caller)).requests?.left).toBeLessThan(10_000 - 150);
        clockMs += 1_000;
        await until(async () => (await other.peek(caller)).requests?.left === 10_000 - 105);
        expect(await other.peek(caller)).toMatchObject({
          tokens: { left: 1_000_000 - 1_050 },
          concurrency: { left: 100 },
        });
      });

      test.each([
        { tpm: 1_000_000, concurrency: 1_000 },
        { rpm: 100_000, tpm: 1_000_000, concurrency: 1_000 },
      ])('asks once for what it expects, also while its requests need slots: %p', async (terms) => {
        const [busy, other] = [await place.replica(), await place.replica()];
        const caller = callerWith(terms);
        await pass(busy, caller, 100, 10);
        clockMs += 1_000;
        // None of them finds a slot, so each asks the table.
        for (let nth = 0; nth < 9; nth += 1) {
          expect(await entered(busy, caller, 10, 10)).toHaveLength(10);
          clockMs += 100;
        }
        const left = (await other.peek(caller)).tokens?.left ?? 0;
        expect(left).toBeLessThanOrEqual(1_000_000 - 1_000 - 900 - 900);
        expect(left).toBeGreaterThanOrEqual(1_000_000 - 1_000 - 900 - 1_500);
      });

      test('what a request used more or less than it reserved counts in its own second', async () => {
        const [busy, other] = [await place.replica(), await place.replica()];
        const caller = callerWith({ tpm: 1_000_000 });
        const long = await busy.enter(caller, 500, 'long');
        await pass(busy, caller, 50, 10);
        clockMs += 1_000;
        await pass(busy, caller, 20, 10);
        long.leave(700);
        (await busy.enter(caller, 10, 'more')).leave(30);
        (await busy.enter(caller, 10, 'less')).leave(4);
        await busy.finish();
        expect((await other.peek(caller)).tokens?.left).toBe(1_000_000 - 700 - 700 - 30 - 4);
        // The first second leaves the window a second before the other.
        clockMs += 59_000;
        expect((await other.peek(caller)).tokens?.left).toBe(1_000_000 - 200 - 30 - 4);
      });
    });

    describe('near its limit', () => {
      test('nothing is counted ahead, and the limit is reached exactly', async () => {
        const [first, second] = [await place.replica(), await place.replica()];
        const caller = callerWith({ rpm: 100 });
        await pass(first, caller, 40);
        clockMs += 1_000;
        await pass(first, caller, 1);
        expect(await second.peek(caller)).toEqual({ requests: { limit: 100, left: 59 } });
        expect(await entered(second, caller, 80)).toHaveLength(59);
      });

      test('nothing is counted ahead while most slots are taken', async () => {
        const [busy, other] = [await place.replica(), await place.replica()];
        const caller = callerWith({ rpm: 10_000, concurrency: 8 });
        expect(await entered(busy, caller, 7)).toHaveLength(7);
        await pass(busy, caller, 40);
        clockMs += 1_000;
        await pass(busy, caller, 20);
        expect((await other.peek(caller)).requests?.left).toBe(10_000 - 67);
      });

      test('a replica that meets the limit waits for what another has ahead: exactly the limit is admitted', async () => {
        const returned = Promise.withResolvers<void>();
        const [busy, other] = [await place.replica(), await place.replica(() => returned.promise)];
        const caller = callerWith({ rpm: 1_000, tpm: 100_000 });
        await pass(busy, caller, 40, 10);
        clockMs += 1_000;
        await pass(busy, caller, 3, 10);
        // 43 were used, and the rest of 40 is ahead: 37 of these wait for it, and all others are refused at once.
        const left = (await other.peek(caller)).requests?.left ?? 0;
        expect(left).toBeLessThan(957);
        const late = entered(other, caller, 2_000, 10);
        await until(async () => (await other.peek(caller)).requests?.left === 0);
        clockMs += 1_000;
        await busy.finish();
        returned.resolve();
        expect(await late).toHaveLength(957);
        expect(await entered(busy, caller, 10, 10)).toHaveLength(0);
      });

      test('slots that another keeps for its next requests are free within a second', async () => {
        const returned = Promise.withResolvers<void>();
        const [busy, other] = [await place.replica(), await place.replica(() => returned.promise)];
        const caller = callerWith({ rpm: 100_000, concurrency: 20 });
        await pass(busy, caller, 40);
        clockMs += 1_000;
        const four = await entered(busy, caller, 4);
        for (const admission of four) admission.leave();
        expect((await other.peek(caller)).concurrency?.left).toBe(16);
        const late = entered(other, caller, 30);
        await until(async () => (await other.peek(caller)).concurrency?.left === 0);
        clockMs += 1_000;
        await busy.finish();
        returned.resolve();
        expect(await late).toHaveLength(20);
      });
    });

    test('random traffic on three replicas never exceeds a limit, and all of it is returned', async () => {
      const waits = new Waits();
      const replica = () => place.replica(waits.sleep);
      const replicas = [await replica(), await replica(), await replica()] as const;
      const terms = { rpm: 600, tpm: 9_000, concurrency: 40 };
      const caller = callerWith(terms);
      let seed = 7;
      const random = (below: number): number => {
        seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
        return Math.floor((seed / 2_147_483_648) * below);
      };
      const admitted: { readonly atMs: number; readonly tokens: number }[] = [];
      let open: { readonly admission: Admission; readonly used: number }[] = [];
      for (let step = 0; step < 400; step += 1) {
        clockMs += random(400);
        const limiter = replicas[random(3)] ?? replicas[0];
        const tokens = 1 + random(20);
        for (const { admission, atMs } of await waits.admitted(limiter, caller, 1 + random(9), tokens)) {
          const used = random(tokens + 1);
          admitted.push({ atMs, tokens: used });
          open.push({ admission, used });
        }
        expect(open.length).toBeLessThanOrEqual(terms.concurrency);
        const ending = open.filter(() => random(3) > 0);
        for (const { admission, used } of ending) admission.leave(used);
        open = open.filter((one) => !ending.includes(one));
      }
      for (const { atMs } of admitted) {
        const within = admitted.filter((one) => one.atMs >= atMs && one.atMs < atMs + 59_000);
        expect(within.length).toBeLessThanOrEqual(terms.rpm);
        expect(within.reduce((sum, { tokens }) => sum + tokens, 0)).toBeLessThanOrEqual(terms.tpm);
      }
      for (const { admission, used } of open) admission.leave(used);
      for (const limiter of replicas) await limiter.finish();
      const slice = Math.floor(clockMs / 1_000);
      const counted = admitted.filter(({ atMs }) => Math.floor(atMs / 1_000) > slice - 60);
      expect(await replicas[0].peek(caller)).toEqual({
        requests: { limit: terms.rpm, left: terms.rpm - counted.length },
        tokens: { limit: terms.tpm, left: terms.tpm - counted.reduce((sum, { tokens }) => sum + tokens, 0) },
        concurrency: { limit: terms.concurrency, left: terms.concurrency },
      });
      // It was busy enough to count ahead and to be refused.
      expect(admitted.length).toBeGreaterThan(600);
    });
  });
}

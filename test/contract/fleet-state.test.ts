/** One contract for the state that replicas share, wherever it is: in Redis, in either database, in memory. */

import { expect } from 'bun:test';
import { type FleetChanges, type FleetState, fleetEntriesMax } from '../../src/routing/fleet/fleet-state.ts';
import { createRedisFleetState } from '../../src/store/redis/redis-fleet-state.ts';
import { MemoryFleetState } from '../harness/memory-fleet-state.ts';
import { needing } from '../harness/needs.ts';
import { redisUrl, stopRedis } from '../harness/redis.ts';
import { engines } from '../harness/store-places.ts';
import { until } from '../harness/until.ts';

/** Two replicas on one empty state. */
interface Place {
  readonly one: FleetState;
  readonly other: FleetState;
  dispose(): Promise<unknown>;
}

async function inMemory(): Promise<Place> {
  const state = new MemoryFleetState(() => performance.now());
  return { one: state, other: state, dispose: async () => undefined };
}

async function inRedis(): Promise<Place> {
  const url = await redisUrl();
  const client = new Bun.RedisClient(url);
  await client.send('FLUSHALL', []);
  const [one, other] = [0, 1].map(() => createRedisFleetState({ url, timeoutMs: 60_000 })) as [
    ReturnType<typeof createRedisFleetState>,
    ReturnType<typeof createRedisFleetState>,
  ];
  await Promise.all([one.tried, other.tried]);
  const dispose = async (): Promise<void> => {
    for (const each of [one, other, client]) each.close();
  };
  return { one, other, dispose };
}

async function inDatabase(engine: (typeof engines)[number]): Promise<Place> {
  const place = await engine.place();
  const one = await place.open();
  // The embedded engine is for one process.
  const other = engine.name === 'sqlite' ? one : await place.open();
  return { one: one.fleetState, other: other.fleetState, dispose: () => place.dispose() };
}

const places = [
  { needs: [], make: inMemory, title: 'memory' },
  { needs: ['redis'], make: inRedis, title: 'redis' },
  ...engines.map((engine) => ({ needs: [engine.name], make: () => inDatabase(engine), title: engine.name })),
] as const;

const changes = (given: Partial<FleetChanges>): FleetChanges => ({ remove: [], put: [], claim: [], ...given });
const entry = (key: string, value = '', leftMs = 600_000) => ({ key, value, leftMs });
const nothing = changes({});

for (const { title, needs, make } of places) {
  const { afterAll, afterEach, beforeEach, describe, test } = needing(...needs);
  describe(`fleet state in ${title}`, () => {
    let place: Place;
    beforeEach(async () => {
      place = await make();
    });
    afterEach(() => place.dispose());
    if (title === 'redis') afterAll(stopRedis);

    const keysOf = async (state: FleetState): Promise<Readonly<Record<string, string>>> => {
      const { entries = [] } = await state.exchange(nothing);
      return Object.fromEntries(entries.map(({ key, value }) => [key, value]));
    };

    test('what one puts all read, with the time that is left', async () => {
      await place.one.exchange(changes({ put: [entry('a x', 'é"\\'), entry('b', '{"n":1}', 0.5 + 599_999)] }));
      // A poll may be answered from the last one; a change is seen soon.
      await until(async () => Object.keys(await keysOf(place.other)).length === 2);
      const { entries = [] } = await place.other.exchange(nothing);
      expect(await keysOf(place.other)).toEqual({ 'a x': 'é"\\', b: '{"n":1}' });
      for (const { leftMs } of entries) {
        expect(leftMs).toBeGreaterThan(0);
        expect(leftMs).toBeLessThanOrEqual(600_000);
      }
    });

    test('the last value and the longer time count', async () => {
      await place.one.exchange(changes({ put: [entry('a', 'first', 600_000)] }));
      const { entries = [] } = await place.other.exchange(changes({ put: [entry('a', 'last', 1_000)] }));
      expect(entries).toMatchObject([{ key: 'a', value: 'last' }]);
      expect(entries[0]?.leftMs).toBeGreaterThan(1_000);
    });

    test('entries end by themselves', async () => {
      await place.one.exchange(changes({ put: [entry('short', '', 30), entry('long')] }));
      await until(async () => (await keysOf(place.one))['short'] === undefined);
      expect(await keysOf(place.one)).toEqual({ long: '' });
    });

    test('an entry is removed by its key, or by its key and value', async () => {
      await place.one.exchange(changes({ put: [entry('a', 'one'), entry('b', 'one'), entry('c', 'one')] }));
      const remove = [{ key: 'a' }, { key: 'b', value: 'one' }, { key: 'c', value: 'other' }, { key: 'missing' }];
      const { entries = [] } = await place.other.exchange(changes({ remove }));
      expect(entries.map(({ key }) => key)).toEqual(['c']);
    });

    test('of many claims at once one succeeds, until it is released or runs out', async () => {
      const claimBy = async (state: FleetState, value: string, leftMs = 600_000): Promise<boolean> =>
        (await state.exchange(changes({ claim: [entry('probe', value, leftMs)] }))).claimed.includes('probe');
      const tries = Array.from({ length: 10 }, (_, index) => claimBy(index % 2 ? place.one : place.other, `${index}`));
      const won = await Promise.all(tries);
      expect(won.filter(Boolean)).toHaveLength(1);
      const winner = String(won.indexOf(true));
      expect(await claimBy(place.one, winner)).toBe(true);
      expect(await claimBy(place.one, 'another')).toBe(false);
      await place.one.exchange(changes({ remove: [{ key: 'probe', value: 'another' }] }));
      expect(await claimBy(place.one, 'another')).toBe(false);
      await place.one.exchange(changes({ remove: [{ key: 'probe', value: winner }] }));
      expect(await claimBy(place.other, 'another', 30)).toBe(true);
      await until(() => claimBy(place.one, 'third'));
    });

    test('entries are returned only if the revision is not the known one', async () => {
      const first = await place.one.exchange(changes({ put: [entry('a')] }));
      expect(first.entries).toHaveLength(1);
      expect(await place.one.exchange(nothing, first.revision)).toEqual({ revision: first.revision, claimed: [] });
      const second = await place.one.exchange(changes({ remove: [{ key: 'a' }] }), first.revision);
      expect(second.revision).not.toBe(first.revision);
      expect(second.entries).toEqual([]);
    });

    test('nothing more is put where there are too many, and claims still succeed', async () => {
      const many = Array.from({ length: fleetEntriesMax }, (_, index) => entry(`n ${index}`));
      await place.one.exchange(changes({ put: many }));
      const { entries = [], claimed } = await place.one.exchange(
        changes({ put: [entry('more')], claim: [entry('probe', 'me')] }),
      );
      expect(claimed).toEqual(['probe']);
      expect(entries).toHaveLength(fleetEntriesMax + 1);
      expect(entries.some(({ key }) => key === 'more')).toBe(false);
    });
  });
}

/**
 * A key whose process died is free again where nothing can have been billed, and is reported as lost where something
 * may have been; on both engines.
 */

import { describe, expect, test } from 'bun:test';
import { mayBeBilled } from '../../src/ledger/abandoned-keys.ts';
import { createLease } from '../../src/ledger/lease.ts';
import { openLedger } from '../../src/ledger/open-ledger.ts';
import type { Store } from '../../src/store/store.ts';
import { verdictRules } from '../../src/upstream/faults/verdict-rules.ts';
import { needing } from '../harness/needs.ts';
import { anOpening, engines, holdersIn, type StorePlace } from '../harness/store-places.ts';

const never = 2_000_000_000;
const leaseMs = 15_000;

for (const engine of engines) {
  const { afterEach, beforeEach, describe, test } = needing(engine.name);
  describe(`keys on ${engine.name}`, () => {
    let place: StorePlace;
    let now = 0;
    const clock = () => now;

    beforeEach(async () => {
      now = 1_000_000;
      place = await engine.place();
    });
    afterEach(() => place.dispose());

    const claimOf = (key: string, requestId = `of-${key}`) => ({
      ...{ tokenId: 't', key, requestId, fingerprint: 'f', atMs: now, lifetimeMs: 86_400_000 },
    });
    const ledgerOf = (store: Store) =>
      openLedger({ store, nowMs: clock, leaseMs, heartbeatMs: never, sweepMs: never, checkpointMs: never });

    /** What the next request with the key finds: `begun`, or the state of the key. */
    const met = async (store: Store, key: string): Promise<string> => {
      const answer = await store.idempotency.begin(claimOf(key, 'again'));
      return answer.begun ? 'begun' : answer.state;
    };

    /** A process that dies with keys in use, and the one that comes after it. */
    async function afterDeathOf(live: (store: Store) => Promise<void>): Promise<Store> {
      const dead = await place.open(clock);
      await dead.instances.register();
      await live(dead);
      const holders = await holdersIn(dead);
      await dead.close();
      const store = await place.open(clock);
      const ledger = ledgerOf(store);
      await ledger.start();
      if (engine.name === 'postgres') {
        // It may live: a replica counts as dead only after a lease has passed.
        expect(await holdersIn(store)).toEqual(holders);
        for (let third = 0; third < 3; third += 1) {
          now += leaseMs / 3;
          await ledger.heartbeat();
        }
        await ledger.sweepOnce();
      }
      expect(await holdersIn(store)).toEqual([]);
      return store;
    }

    test('are free again where no attempt was made, or none that a provider can have billed', async () => {
      const store = await afterDeathOf(async (dead) => {
        await dead.idempotency.begin(claimOf('nothing'));
        await dead.idempotency.begin(claimOf('refused'));
        const opening = anOpening({ requestId: 'of-refused', attemptId: 'of-refused.1' });
        await dead.attempts.open(opening);
        const end = { costNano: 0n, estimated: false, atMs: now, verdict: 'key-cooling' };
        await dead.attempts.close({ attemptId: opening.attemptId, ...end });
      });
      expect(await Promise.all(['nothing', 'refused'].map((key) => met(store, key)))).toEqual(['begun', 'begun']);
    });

    test('are used up where an attempt was in flight, served, or ended in an unknown state', async () => {
      const store = await afterDeathOf(async (dead) => {
        for (const [key, verdict] of [
          ['open', undefined],
          ['served', ''],
          ['broken', 'uncertain'],
        ] as const) {
          await dead.idempotency.begin(claimOf(key));
          const opening = anOpening({ requestId: `of-${key}`, attemptId: `of-${key}.1` });
          await dead.attempts.open(opening);
          if (verdict === undefined) continue;
          const end = { costNano: 0n, estimated: false, atMs: now, verdict };
          await dead.attempts.close({ attemptId: opening.attemptId, ...end });
        }
      });
      const states = await Promise.all(['open', 'served', 'broken'].map((key) => met(store, key)));
      expect(states).toEqual(['lost', 'lost', 'lost']);
      // A replica that counted as dead and comes back cannot free what may have been charged.
      await store.idempotency.forget('t', 'open', 'of-open');
      expect(await met(store, 'open')).toBe('lost');
    });

    test('stay as they are where they had ended, and where their process lives', async () => {
      const store = await afterDeathOf(async (dead) => {
        await dead.idempotency.begin(claimOf('done'));
        await dead.idempotency.finish('t', 'done', 'of-done');
      });
      expect(await met(store, 'done')).toBe('finished');
      await store.idempotency.begin(claimOf('mine'));
      now += 10 * leaseMs;
      await store.instances.heartbeat();
      await ledgerOf(store).sweepOnce();
      expect(await met(store, 'mine')).toBe('running');
    });
  });
}

test('every verdict that a provider may bill for uses up a key', () => {
  const ended = { attemptId: 'a', tokenId: 't', provider: 'p', model: 'm', keyId: 'k', atMs: 0, settledAtMs: 1 };
  const free = { ...ended, costNano: 0n, estimated: false };
  for (const [verdict, { charge }] of Object.entries(verdictRules)) {
    expect([verdict, mayBeBilled({ ...free, verdict })]).toEqual([verdict, charge === 'possible']);
  }
  expect(mayBeBilled({ ...free, verdict: 'unused' })).toBe(false);
  expect(mayBeBilled({ ...free, verdict: 'limit', costNano: 1n })).toBe(true);
  expect(mayBeBilled({ ...free, verdict: 'limit', estimated: true })).toBe(true);
});

describe('a process that stood still', () => {
  let now = 0;
  const lease = (alone: boolean) => {
    const instances = { register: async () => undefined, heartbeat: async () => undefined, alone: () => alone };
    return createLease({ instances, nowMs: () => now, leaseMs });
  };

  test('trusts its claims for two thirds of a lease after its last heartbeat', async () => {
    now = 0;
    const shared = lease(false);
    expect(shared.livedSince(0)).toBe(false);
    await shared.begin();
    now = 10_000;
    expect(shared.livedSince(0)).toBe(true);
    now = 10_001;
    expect(shared.livedSince(0)).toBe(false);
  });

  test('trusts no older claim once it is back, and every newer one', async () => {
    now = 0;
    const shared = lease(false);
    await shared.begin();
    now = 5_000;
    await shared.renew();
    now = 16_000;
    await shared.renew();
    expect([shared.livedSince(15_999), shared.livedSince(16_000)]).toEqual([false, true]);
  });

  test('loses nothing where no other process serves from its data', async () => {
    now = 0;
    const alone = lease(true);
    await alone.begin();
    now = 1_000_000;
    expect(alone.livedSince(1)).toBe(true);
  });
});

/**
 * The stored fields of a request's detail, on both engines: prices, units and path come back as they were written, also
 * through the journal.
 */

import { expect, setDefaultTimeout } from 'bun:test';
import { openLedger } from '../../src/ledger/open-ledger.ts';
import { readPrice } from '../../src/prices/price-text.ts';
import { zeroPrice } from '../../src/prices/prices.ts';
import type { Store } from '../../src/store/store.ts';
import { needing } from '../harness/needs.ts';
import { anOpening, aScope, aUsageRow, engines, type StorePlace } from '../harness/store-places.ts';
import { until } from '../harness/until.ts';

// The first database of a run is made with its server.
setDefaultTimeout(300_000);

const detail = {
  priceName: 'a-price',
  units: { images: 2, seconds: 1.5 },
  way: 'translate one other ["top_k"]',
} as const;

for (const engine of engines) {
  const { afterEach, beforeEach, describe, test } = needing(engine.name);
  describe(`request detail on ${engine.name}`, () => {
    let place: StorePlace;
    let store: Store;
    beforeEach(async () => {
      place = await engine.place();
      store = await place.open();
    });
    afterEach(() => place.dispose());

    test('a row keeps its price, its units and its way, and one without them has none', async () => {
      const plain = aUsageRow();
      const whole = aUsageRow(detail);
      await store.usage.insertMany([plain, whole, aUsageRow({ requestId: 'tokens', units: { tokens: plain.usage } })]);
      expect(await store.usage.byId(whole.requestId)).toEqual(whole);
      expect(await store.usage.byId(plain.requestId)).toEqual(plain);
      // Tokens have columns of their own.
      expect(await store.usage.byId('tokens')).not.toHaveProperty('units');
    });

    test('so does the row of an attempt that was closed at once, or that a budget held', async () => {
      await store.instances.register();
      for (const [name, scopes] of [
        ['quick', []],
        ['held', [aScope(1_000_000n)]],
      ] as const) {
        const opening = anOpening({ requestId: name, attemptId: `${name}.1`, scopes });
        if (store.attempts.openNow(opening) === undefined) await store.attempts.open(opening);
        const row = aUsageRow({ requestId: name, ...detail });
        const closing = { attemptId: `${name}.1`, costNano: 600n, estimated: false, atMs: 2_000, row };
        if (!store.attempts.closeNow(closing)) await store.attempts.close(closing);
        expect(await store.usage.byId(name)).toEqual(row);
        expect(await store.attempts.ofRequest(name)).toHaveLength(1);
      }
    });

    test('a price is kept once, as it was first written', async () => {
      await store.prices.put('name', 'text', 1);
      await store.prices.put('name', 'another', 2);
      expect(await store.prices.get('name')).toBe('text');
      expect(await store.prices.get('none')).toBeUndefined();
    });

    test('the ledger writes a price down when it is first named', async () => {
      const fail = (_what: string, error: unknown): never => {
        throw error;
      };
      const ledger = openLedger({ store, nowMs: Date.now, onFault: fail });
      const price = { ...zeroPrice('operator'), units: { videos: 12_345_678_901_234_567_890n } };
      const name = ledger.nameOf(price);
      expect(ledger.nameOf(price)).toBe(name);
      await until(async () => (await store.prices.get(name)) !== undefined, 60_000, 'the price');
      expect(readPrice((await store.prices.get(name)) ?? '')).toEqual(price);
    });

    test('standings are of tokens with a budget that spent something in one of the windows', async () => {
      const token = (id: string, ownerId: string, limitNano?: bigint) =>
        store.tokens.insert({
          id,
          digest: `digest of ${id}`,
          hint: '',
          ownerId,
          createdAtMs: 1,
          terms: { name: id, ...(limitNano !== undefined && { budget: { limitNano, period: 'total' as const } }) },
        });
      await Promise.all([token('a', 'x', 900n), token('b', 'y', 900n), token('c', 'x'), token('d', 'x', 900n)]);
      for (const [id, windowStartMs] of [
        ['a', 0],
        ['b', 86_400_000],
        ['c', 0],
        ['d', 172_800_000],
      ] as const) {
        const scopes = [aScope(5_000n, `token:${id}`, windowStartMs)];
        await store.attempts.open(anOpening({ attemptId: id, tokenId: id, scopes }));
        await store.attempts.close({ attemptId: id, costNano: 700n, estimated: false, atMs: 2_000 });
      }
      const found = async (owner?: string) =>
        (await store.budgets.standings([0, 86_400_000], owner))
          .map((each) => [each.token.id, each.windowStartMs, each.spentNano, each.heldNano])
          .sort();
      const running = [aScope(5_000n, 'token:a', 0)];
      await store.attempts.open(anOpening({ attemptId: 'running', tokenId: 'a', scopes: running }));
      const { heldNano } = await store.budgets.read('token:a', 0);
      expect(heldNano).toBeGreaterThan(0n);
      expect(await found()).toEqual([
        ['a', 0, 700n, heldNano],
        ['b', 86_400_000, 700n, 0n],
      ]);
      expect(await found('x')).toEqual([['a', 0, 700n, heldNano]]);
      await store.tokens.revoke('a', 5);
      expect(await found('x')).toEqual([]);
    });
  });
}

/** What the store promises about tables of prices, on both engines. */

import { expect } from 'bun:test';
import type { RateChange } from '../../src/store/prices/price-tables.ts';
import type { Store } from '../../src/store/store.ts';
import { needing } from '../harness/needs.ts';
import { engines, type StorePlace } from '../harness/store-places.ts';
import { until } from '../harness/until.ts';

for (const engine of engines) {
  const { afterEach, beforeEach, describe, test } = needing(engine.name);
  describe(`tables of prices on ${engine.name}`, () => {
    let place: StorePlace;
    let store: Store;

    beforeEach(async () => {
      place = await engine.place();
      store = await place.open();
    });
    afterEach(() => place.dispose());

    const aRow = (source: string, content = '{}') => ({
      source,
      origin: '/tmp/table.json',
      version: `${source} 2026-11-01`,
      asOf: '2026-11-01',
      fetchedAtMs: 5_000,
      models: 2,
      held: '[]',
      content,
    });
    const aChange = (model: string, after: bigint | undefined): RateChange => ({
      source: 'one',
      host: 'host',
      model,
      rate: 'input',
      before: 2_500_000_000n,
      after,
      state: 'in effect',
    });

    test('begins empty; a table comes back as it was put, and its source has one at a time', async () => {
      expect(await store.priceTables.heads()).toEqual({ revision: 1, heads: [] });
      expect(await store.priceTables.get('one')).toBeUndefined();
      const content = `{"name":"${'é\\u0000'.repeat(3)}"}`;
      expect(await store.priceTables.put(1, aRow('one', content), [])).toBe(true);
      expect(await store.priceTables.get('one')).toEqual({ ...aRow('one', content), stamp: 2 });
      expect(await store.priceTables.put(2, { ...aRow('one', '[]'), asOf: undefined }, [])).toBe(true);
      const { revision, heads } = await store.priceTables.heads();
      expect([revision, heads.length, heads[0]?.asOf, heads[0]?.stamp]).toEqual([3, 1, undefined, 3]);
    });

    test('a change that is based on an older state changes nothing', async () => {
      await store.priceTables.put(1, aRow('one'), []);
      expect(await store.priceTables.put(1, aRow('two'), [aChange('m', 1n)])).toBe(false);
      expect(await store.priceTables.hold(1, 'one', '[1]', 6_000, [])).toBe(false);
      expect(await store.priceTables.remove(1, 'one', 6_000, [])).toBe(false);
      expect((await store.priceTables.heads()).heads.map(({ source, held }) => [source, held])).toEqual([
        ['one', '[]'],
      ]);
      expect(await store.priceTables.changes(10)).toEqual([]);
      expect((await store.priceTables.pulse()).revision).toBe(2);
    });

    test('of two that change the same state at once, one does', async () => {
      const other = await place.open();
      const done = await Promise.all(
        [store, other, store, other].map((each, at) => each.priceTables.put(1, aRow(`s${at}`), [])),
      );
      expect(done.filter(Boolean)).toHaveLength(1);
      expect((await other.priceTables.heads()).heads).toHaveLength(1);
    });

    test('another process sees the new revision, and what is held with the content', async () => {
      await store.priceTables.put(1, aRow('one'), []);
      const other = await place.open();
      expect((await other.priceTables.pulse()).revision).toBe(2);
      expect(await store.priceTables.hold(2, 'one', '["held"]', 6_000, [])).toBe(true);
      const isSeen = async (): Promise<boolean> => (await other.priceTables.pulse()).revision === 3;
      await until(isSeen, 60_000, 'the revision of another process');
      expect(await other.priceTables.get('one')).toMatchObject({ held: '["held"]', stamp: 3, content: '{}' });
    });

    test('a table that was fetched again unchanged is fresh, and is not parsed again', async () => {
      await store.priceTables.put(1, aRow('one'), []);
      await store.priceTables.touch({ source: 'one', stamp: 2 }, 9_000, 'https://example.test/table');
      const { revision, heads } = await store.priceTables.heads();
      expect([revision, heads[0]?.fetchedAtMs, heads[0]?.origin]).toEqual([2, 9_000, 'https://example.test/table']);
      await store.priceTables.touch({ source: 'one', stamp: 1 }, 10_000, 'x');
      expect((await store.priceTables.heads()).heads[0]?.fetchedAtMs).toBe(9_000);
    });

    test('changes come back newest first with every digit, of all models or of one', async () => {
      const many = Array.from({ length: 120 }, (_, at) => aChange(`m${at}`, BigInt(at)));
      await store.priceTables.put(1, aRow('one'), [...many, aChange('odd\0name', undefined)]);
      await store.priceTables.hold(2, 'one', '[]', 7_000, [{ ...aChange('m5', 3n), state: 'confirmed' }]);
      const all = await store.priceTables.changes(1_000);
      expect(all).toHaveLength(122);
      expect(all[0]).toEqual({ ...aChange('m5', 3n), state: 'confirmed', atMs: 7_000 });
      expect((await store.priceTables.changes(10, 'm5')).map(({ atMs, after }) => [atMs, after])).toEqual([
        [7_000, 3n],
        [5_000, 5n],
      ]);
      expect(all.at(-1)?.model).toBe('odd\u{fffd}name');
      expect(await store.priceTables.changes(3)).toHaveLength(3);
    });

    test('a table that is removed is gone', async () => {
      await store.priceTables.put(1, aRow('one'), []);
      expect(await store.priceTables.remove(2, 'one', 6_000, [])).toBe(true);
      expect((await store.priceTables.heads()).heads).toEqual([]);
    });

    test('one of several fetches when it is due, and at once where the addresses are new', async () => {
      const claim = (nowMs: number, addresses: string, isFirst: boolean) =>
        store.priceTables.claim({ nowMs, nextMs: nowMs + 100, addresses, isFirst, furthestMs: 10_000 });
      expect([await claim(1_000, 'a', true), await claim(1_001, 'a', true)]).toEqual([true, false]);
      expect([await claim(1_002, 'b', false), await claim(1_003, 'b', true)]).toEqual([false, true]);
      expect([await claim(1_102, 'b', false), await claim(1_103, 'b', false)]).toEqual([false, true]);
      await store.priceTables.fetched({ dueAtMs: 9_000, atMs: 1_200, fault: 'no route' });
      expect(await store.priceTables.fetchState()).toEqual({
        dueAtMs: 9_000,
        addresses: 'b',
        triedAtMs: 1_200,
        fault: 'no route',
      });
      expect((await store.priceTables.pulse()).dueAtMs).toBe(9_000);
    });
  });
}

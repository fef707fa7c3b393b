/** What the store promises about the console's configuration, on both engines. */

import { expect } from 'bun:test';
import type { Store } from '../../src/store/store.ts';
import { needing } from '../harness/needs.ts';
import { engines, type StorePlace } from '../harness/store-places.ts';
import { until } from '../harness/until.ts';

for (const engine of engines) {
  const { afterEach, beforeEach, describe, test } = needing(engine.name);
  describe(`the console’s configuration on ${engine.name}`, () => {
    let place: StorePlace;
    let store: Store;
    let now = 1_000;

    beforeEach(async () => {
      now = 1_000;
      place = await engine.place();
      store = await place.open(() => now);
    });
    afterEach(() => place.dispose());

    const change = (name: string) => ({ section: 'providers' as const, name, atMs: now++, by: 'ann' });
    const aKey = (keyId: string, ending?: string) => ({ keyId, sealed: `sealed ${keyId}`, ending });
    const add = (name: string, keys = [aKey('key-1', '1234')]) =>
      store.configuration.addProvider({ ...change(name), entry: '{"kind":"x"}', sealed: 'sealed rest', keys });

    test('begins empty, and a provider comes back with its keys, the oldest first', async () => {
      expect(await store.configuration.read()).toEqual({ revision: 1, entries: [], keys: [] });
      expect(await add('zeta')).toBe(true);
      expect(await add('alpha', [])).toBe(true);
      const { entries, keys, revision } = await store.configuration.read();
      expect(entries.map(({ name }) => name)).toEqual(['zeta', 'alpha']);
      expect(entries[0]).toEqual({
        section: 'providers',
        name: 'zeta',
        entry: '{"kind":"x"}',
        sealed: 'sealed rest',
        draining: false,
        createdAtMs: 1_000,
        updatedAtMs: 1_000,
        updatedBy: 'ann',
      });
      expect(keys).toEqual([
        { provider: 'zeta', keyId: 'key-1', sealed: 'sealed key-1', ending: '1234', createdAtMs: 1_000 },
      ]);
      expect(revision).toBe(3);
    });

    test('a name that is taken stays with its owner', async () => {
      await add('one');
      const before = await store.configuration.read();
      expect(await add('one', [aKey('other')])).toBe(false);
      expect(await store.configuration.read()).toEqual(before);
    });

    test('a change touches what it names and nothing else', async () => {
      await add('one', [aKey('key-1'), aKey('key-2')]);
      expect(
        await store.configuration.changeProvider({
          ...change('one'),
          draining: true,
          addKeys: [aKey('key-3')],
          removeKeys: ['key-1', 'none'],
        }),
      ).toBe(true);
      const drained = await store.configuration.read();
      expect(drained.entries[0]).toMatchObject({ draining: true, entry: '{"kind":"x"}', sealed: 'sealed rest' });
      expect(drained.keys.map(({ keyId }) => keyId).toSorted()).toEqual(['key-2', 'key-3']);
      const entry = { text: '{"kind":"y"}', sealed: undefined };
      await store.configuration.changeProvider({ ...change('one'), entry, addKeys: [], removeKeys: [] });
      const rewritten = await store.configuration.read();
      expect(rewritten.entries[0]).toMatchObject({ draining: true, entry: '{"kind":"y"}', sealed: undefined });
      expect(rewritten.keys).toEqual(drained.keys);
      expect(rewritten.revision).toBe(drained.revision + 1);
      const none = { ...change('none'), draining: true, addKeys: [aKey('key-1')], removeKeys: [] };
      expect(await store.configuration.changeProvider(none)).toBe(false);
      expect(await store.configuration.read()).toEqual(rewritten);
    });

    test('routes and prices are made or replaced in their place, and names of one section are not another’s', async () => {
      const put = (section: 'models' | 'prices', name: string, entry: string) =>
        store.configuration.put({ ...change(name), section, entry });
      await put('models', 'fast/é*', '{"a":1}');
      await put('prices', 'fast/é*', '{"input":1}');
      await put('models', 'fast/é*', '{"a":2}');
      const { entries } = await store.configuration.read();
      expect(entries.map(({ section, entry }) => [section, entry])).toEqual([
        ['models', '{"a":2}'],
        ['prices', '{"input":1}'],
      ]);
      expect(await store.configuration.remove('models', 'fast/é*')).toBe(true);
      expect(await store.configuration.remove('models', 'fast/é*')).toBe(false);
      expect((await store.configuration.read()).entries).toHaveLength(1);
    });

    test('a provider goes with its keys, and every change is seen by another process', async () => {
      const other = await place.open(() => now);
      await add('one');
      const revision = await other.configuration.revision();
      expect(revision).toBe(2);
      expect(await store.configuration.remove('providers', 'one')).toBe(true);
      await until(async () => (await other.configuration.revision()) === 3, 60_000, 'the revision of another process');
      expect(await other.configuration.read()).toEqual({ revision: 3, entries: [], keys: [] });
      // Tokens are looked up as before: their caches have nothing to do with this.
      expect(await other.revision()).toBe(1);
    });
  });
}

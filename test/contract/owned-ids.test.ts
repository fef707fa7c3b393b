/** The table of ids and their tokens, on both engines, and who counts as a token holder. */

import { expect } from 'bun:test';
import type { Role } from '../../src/access/account.ts';
import type { Store } from '../../src/store/store.ts';
import { needing } from '../harness/needs.ts';
import { engines, type StorePlace } from '../harness/store-places.ts';

for (const engine of engines) {
  const { afterEach, beforeEach, describe, test } = needing(engine.name);
  describe(`owned ids on ${engine.name}`, () => {
    let place: StorePlace;
    let store: Store;
    beforeEach(async () => {
      place = await engine.place();
      store = await place.open(() => 1_000);
    });
    afterEach(() => place.dispose());

    const row = (digest: string, tokenId = 'a', seenAtMs = 1_000) => ({ digest, tokenId, seenAtMs });
    const left = async () => (await place.query('SELECT digest FROM owned_ids ORDER BY digest')).map(([id]) => id);

    test('the first token stays, in one write and in several', async () => {
      await store.ownedIds.add([]);
      await store.ownedIds.add([row('1'), row('2')]);
      await store.ownedIds.add([row('2', 'b'), row('3', 'b')]);
      expect([...(await store.ownedIds.find(['1', '2', '3', '4']))]).toHaveLength(3);
      expect(await store.ownedIds.find(['2'])).toEqual(new Map([['2', { tokenId: 'a', deleted: false }]]));
      expect((await store.ownedIds.find([])).size).toBe(0);
    });

    test('many go in and are found at once', async () => {
      const digests = Array.from({ length: 77 }, (_, index) => `d${String(index).padStart(3, '0')}`);
      await store.ownedIds.add(digests.map((digest) => row(digest)));
      expect((await store.ownedIds.find(digests)).size).toBe(77);
    });

    test('a deleted one leaves a mark, also where it was never stored, and only its token can delete it', async () => {
      await store.ownedIds.add([row('1')]);
      await store.ownedIds.remove('1', 'b', 2_000);
      expect((await store.ownedIds.find(['1'])).get('1')).toEqual({ tokenId: 'a', deleted: false });
      await store.ownedIds.remove('1', 'a', 2_000);
      await store.ownedIds.remove('2', 'a', 2_000);
      const found = await store.ownedIds.find(['1', '2']);
      expect([found.get('1')?.deleted, found.get('2')?.deleted]).toEqual([true, true]);
      await store.ownedIds.add([row('1')]);
      expect((await store.ownedIds.find(['1'])).get('1')?.deleted).toBe(true);
    });

    test('the old go by age and the oldest by number, of a token and of all', async () => {
      await store.ownedIds.add([
        row('1', 'a', 1),
        row('2', 'a', 2),
        row('3', 'a', 3),
        row('4', 'b', 0),
        row('5', 'b', 5),
      ]);
      await store.ownedIds.keepNewest(3, 'a');
      expect(await left()).toEqual(['1', '2', '3', '4', '5']);
      await store.ownedIds.keepNewest(2, 'a');
      expect(await left()).toEqual(['2', '3', '4', '5']);
      await store.ownedIds.expire(2);
      expect(await left()).toEqual(['2', '3', '5']);
      await store.ownedIds.keepNewest(1);
      expect(await left()).toEqual(['5']);
    });

    test('people are counted by accounts; tokens without one have no known owner', async () => {
      let made = 0;
      const token = (ownerId?: string) => {
        const id = `t${++made}`;
        const terms = { name: id };
        return store.tokens.insert({ id, digest: `${id}`, hint: id, terms, createdAtMs: 1, ownerId });
      };
      const account = async (id: string, role: Role) => {
        await store.accounts.insert({ id, name: id, nameKey: id, role, passwordHash: 'hash', createdAtMs: 1 });
      };
      expect(await store.ownedIds.holders()).toBe(0);
      await token();
      expect(await store.ownedIds.holders()).toBe(1);
      await account('boss', 'owner');
      await account('chief', 'owner');
      for (const owner of ['boss', 'boss', 'chief']) await token(owner);
      // The operator, whose the first one may be.
      expect(await store.ownedIds.holders()).toBe(1);
      await account('member', 'member');
      await token('member');
      await token('member');
      expect(await store.ownedIds.holders()).toBe(2);
      await token();
      expect(await store.ownedIds.holders()).toBe(3);
      await store.tokens.revokeOf('member', 2);
      expect(await store.ownedIds.holders()).toBe(2);
    });
  });
}

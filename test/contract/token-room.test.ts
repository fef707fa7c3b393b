/**
 * How many tokens an account may have, on both engines: counted and made in one step, for any number of
 * requests at once.
 */

import { expect } from 'bun:test';
import type { Store } from '../../src/store/store.ts';
import { needing } from '../harness/needs.ts';
import { engines, type StorePlace } from '../harness/store-places.ts';

for (const engine of engines) {
  const { afterEach, beforeEach, describe, test } = needing(engine.name);
  describe(`token room on ${engine.name}`, () => {
    let place: StorePlace;
    let store: Store;
    beforeEach(async () => {
      place = await engine.place();
      store = await place.open(() => 1_000);
      for (const id of ['one', 'two']) {
        const account = { id, name: id, nameKey: id, role: 'member', passwordHash: 'hash', createdAtMs: 1 } as const;
        await store.accounts.insert(account);
      }
    });
    afterEach(() => place.dispose());

    let made = 0;
    const token = (ownerId: string) => {
      const id = `t${++made}`;
      return { id, digest: id, hint: id, terms: { name: id }, createdAtMs: 1, ownerId };
    };
    const ask = (ownerId: string, most = 5, revokedSinceMs = 0) =>
      store.tokens.insertWithin(token(ownerId), { most, revokedSinceMs, exceptId: 'playground' });

    test('exactly the limit is made of many requests at once, for each account', async () => {
      const other = await place.open(() => 1_000);
      const asked = Array.from({ length: 40 }, (_, index) => {
        const from = index % 2 === 0 ? store : other;
        return from.tokens.insertWithin(token(index % 4 < 2 ? 'one' : 'two'), {
          most: 5,
          revokedSinceMs: 0,
          exceptId: '',
        });
      });
      expect((await Promise.all(asked)).filter(Boolean).length).toBe(10);
      expect((await store.tokens.list({ limit: 100 }, 'one')).items.length).toBe(5);
    });

    test('revoked ones count from a moment on, and the excepted one does not count', async () => {
      await store.tokens.insert({ ...token('one'), id: 'playground' });
      expect([await ask('one', 2), await ask('one', 2), await ask('one', 2)]).toEqual([true, true, false]);
      const [newest] = (await store.tokens.list({ limit: 1 }, 'one')).items;
      await store.tokens.revoke(newest?.id ?? '', 500);
      expect(await ask('one', 2, 500)).toBe(false);
      expect(await ask('one', 2, 501)).toBe(true);
    });
  });
}

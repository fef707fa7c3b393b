/** Tokens are found by what people remember of them, whole and page by page, on both engines alike. */

import { expect, setDefaultTimeout } from 'bun:test';
import type { TokenTerms } from '../../src/access/caller.ts';
import type { TokenState } from '../../src/access/token-table.ts';
import type { Cursor } from '../../src/store/sql/pages.ts';
import type { Store } from '../../src/store/store.ts';
import { needing } from '../harness/needs.ts';
import { engines, type StorePlace } from '../harness/store-places.ts';

// The first database of a run is made with its server.
setDefaultTimeout(300_000);

const now = 1_000_000;

for (const engine of engines) {
  const { afterAll, beforeAll, describe, test } = needing(engine.name);
  describe(`a search for tokens on ${engine.name}`, () => {
    let place: StorePlace;
    let store: Store;
    let createdAtMs = 0;

    const add = (id: string, terms: TokenTerms, ownerId?: string, hint = 'weir_0000…') => {
      createdAtMs += 1;
      return store.tokens.insert({ id, digest: `digest-${id}`, hint, terms, createdAtMs, ownerId });
    };
    const addAccount = (id: string, name: string) =>
      store.accounts.insert({ id, name, nameKey: id, role: 'member', passwordHash: '', createdAtMs: 1 });

    beforeAll(async () => {
      place = await engine.place();
      store = await place.open(() => now);
      await addAccount('acc_1', 'Åsa Öberg');
      await addAccount('acc_2', 'Ben');
      await add('tok_plain', { name: 'Nightly build' });
      await add('tok_hers', { name: 'Überfähre' }, 'acc_1');
      await add('tok_his', { name: 'nightly "quoted" 100%_done\\now!' }, 'acc_2', 'weir_QRST…');
      await add('tok_old', { name: 'labelled', labels: ['Team-Ä', 'eu'], rpm: 5, expiresAtMs: now }, 'acc_2');
      await add('tok_dead', { name: 'dead and buried', expiresAtMs: now + 1 }, 'acc_2');
      await store.tokens.revoke('tok_dead', now);
    });
    afterAll(() => place.dispose());

    const found = async (words: readonly string[], state?: TokenState, ownerId?: string) => {
      const page = await store.tokens.list({ limit: 50 }, ownerId, { words, state, atMs: now });
      return page.items.map(({ id }) => id.slice(4));
    };

    test('looks at name, id, hint, labels and the owner’s name, whatever the letters’ case', async () => {
      expect(await found(['nightly'])).toEqual(['his', 'plain']);
      expect(await found(['tok_pl'])).toEqual(['plain']);
      expect(await found(['qrst'])).toEqual(['his']);
      expect(await found(['team-ä'])).toEqual(['old']);
      expect(await found(['överf'])).toEqual([]);
      expect(await found(['überfähre'])).toEqual(['hers']);
      expect(await found(['öberg'])).toEqual(['hers']);
      expect(await found(['ben'])).toEqual(['dead', 'old', 'his']);
      expect(await found(['nightly', 'ben'])).toEqual(['his']);
      expect(await found(['nightly', 'åsa'])).toEqual([]);
    });

    test('takes every character literally, and does not match the JSON syntax of terms', async () => {
      expect(await found(['100%_d'])).toEqual(['his']);
      expect(await found(['1%0'])).toEqual([]);
      expect(await found(['%'])).toEqual(['his']);
      expect(await found(['_done\\now!'])).toEqual(['his']);
      expect(await found(['"quoted"'])).toEqual(['his']);
      expect(await found(["'; drop"])).toEqual([]);
      for (const word of ['rpm', 'labels', 'expiresat', '"eu"'])
        expect([word, await found([word])]).toEqual([word, []]);
    });

    test('filters by the state at a given time, with a text and without', async () => {
      expect(await found([], 'active')).toEqual(['his', 'hers', 'plain']);
      expect(await found([], 'expired')).toEqual(['old']);
      expect(await found([], 'revoked')).toEqual(['dead']);
      expect(await found(['ben'], 'active')).toEqual(['his']);
      expect(await found(['labelled'], 'active')).toEqual([]);
    });

    test('stays within one account where that is given', async () => {
      expect(await found(['nightly'], undefined, 'acc_2')).toEqual(['his']);
      expect(await found(['nightly'], undefined, 'acc_1')).toEqual([]);
      expect(await found([], 'active', 'acc_1')).toEqual(['hers']);
    });

    test('knows disabled ones, and follows a token to its next owner', async () => {
      const revision = await store.revision();
      await store.tokens.updateTerms('tok_plain', { name: 'Nightly build', disabled: true });
      expect(await found([], 'disabled')).toEqual(['plain']);
      expect(await found(['nightly'], 'active')).toEqual(['his']);
      expect(await store.tokens.changeOwner('tok_plain', 'acc_1')).toBe(true);
      expect(await found(['nightly'], undefined, 'acc_1')).toEqual(['plain']);
      expect(await store.tokens.changeOwner('tok_plain', undefined)).toBe(true);
      expect((await store.tokens.byId('tok_plain'))?.ownerId).toBeUndefined();
      expect(await store.tokens.changeOwner('tok_none', 'acc_1')).toBe(false);
      // Servers drop what they have cached of it.
      expect(await store.revision()).toBe(revision + 3);
    });

    test('continues page by page without gaps, also past many that do not fit', async () => {
      const fitting: string[] = [];
      const many = Array.from({ length: 1_203 }, (_, index) => index);
      // Only an exact comparison separates these: the engine matches any letter beyond ASCII with any other.
      for (const index of many) {
        const fits = index % 200 === 1;
        if (fits) fitting.unshift(`many_${index}`);
        await add(`tok_many_${index}`, { name: fits ? 'Œuvre' : 'Æuvre' }, 'acc_1');
      }
      const seen: string[] = [];
      let after: Cursor | undefined;
      do {
        const page = await store.tokens.list({ limit: 3, after }, 'acc_1', { words: ['œuvre'], atMs: now });
        seen.push(...page.items.map(({ id }) => id.slice(4)));
        after = page.next;
      } while (after !== undefined);
      expect(seen).toEqual(fitting);
      expect(fitting).toHaveLength(7);
    });
  });
}

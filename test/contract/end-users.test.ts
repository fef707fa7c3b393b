/** What the store promises about end users, on both engines: made once, bounded per token, listed, changed and removed. */

import { expect } from 'bun:test';
import { digestOf } from '../../src/access/levels/end-users.ts';
import type { Store } from '../../src/store/store.ts';
import { needing } from '../harness/needs.ts';
import { engines, type StorePlace } from '../harness/store-places.ts';

for (const engine of engines) {
  const { afterEach, beforeEach, describe, test } = needing(engine.name);
  describe(`end users on ${engine.name}`, () => {
    let place: StorePlace;
    let store: Store;
    let now = 1_000_000;

    beforeEach(async () => {
      now = 1_000_000;
      place = await engine.place();
      store = await place.open(() => now);
      for (const id of ['tok_a', 'tok_b'])
        await store.tokens.insert({ id, digest: id, hint: '', terms: { name: id }, createdAtMs: now });
    });
    afterEach(() => place.dispose());

    const keyOf = (name: string, scopeId = 'team_a') => ({ scopeId, digest: digestOf(name) });
    const meet = (name: string, tokenId = 'tok_a', max = 100) =>
      store.endUsers.meet({ ...keyOf(name), name, tokenId, max, atMs: now });

    test('is made at first sight and is the same afterwards, whichever token names them', async () => {
      expect(await meet('kim')).toMatchObject({ terms: undefined, isBlocked: false });
      now += 5;
      await meet('kim', 'tok_b');
      expect(await store.endUsers.byKey(keyOf('kim'))).toEqual({
        ...keyOf('kim'),
        name: 'kim',
        tokenId: 'tok_a',
        firstSeenAtMs: 1_000_000,
        lastSeenAtMs: 1_000_005,
        terms: undefined,
        isBlocked: false,
      });
      await store.endUsers.seen(keyOf('kim'), 1_000_001);
      expect((await store.endUsers.byKey(keyOf('kim')))?.lastSeenAtMs).toBe(1_000_005);
    });

    test('a token has at most so many, also where they come at once', async () => {
      const names = Array.from({ length: 20 }, (_, index) => `user-${index}`);
      const met = await Promise.all(names.map((name) => meet(name, 'tok_a', 7)));
      expect(met.filter((standing) => standing !== undefined)).toHaveLength(7);
      // Another token has room of its own, and those who are known stay known.
      expect(await meet('other', 'tok_b', 7)).toBeDefined();
      const known = names.find((_, index) => met[index] !== undefined) ?? '';
      expect(await meet(known, 'tok_a', 7)).toBeDefined();
    });

    test('are listed by when they were seen, in pages', async () => {
      for (const name of ['a', 'b', 'c']) {
        now++;
        await meet(name);
      }
      await store.endUsers.meet({ ...keyOf('z', 'tok_b'), name: 'z', tokenId: 'tok_b', max: 9, atMs: now });
      const first = await store.endUsers.list({ scopeId: 'team_a', limit: 2 });
      expect(first.map(({ name }) => name)).toEqual(['c', 'b']);
      const rest = await store.endUsers.list({ scopeId: 'team_a', limit: 2, after: first[1] });
      expect(rest.map(({ name }) => name)).toEqual(['a']);
      expect(await store.endUsers.list({ limit: 10 })).toHaveLength(4);
    });

    test('have terms of their own and can be blocked and removed; servers learn of it', async () => {
      await meet('kim');
      const before = await store.revision();
      const terms = {
        budgets: [{ id: 'b', unit: 'usd' as const, limit: 9_007_199_254_740_993n, period: 'day' as const }],
      };
      expect(await store.endUsers.change(keyOf('kim'), { terms })).toBe(true);
      expect(await store.endUsers.change(keyOf('kim'), { isBlocked: true })).toBe(true);
      expect(await meet('kim')).toMatchObject({ terms, isBlocked: true });
      expect(await store.endUsers.change(keyOf('kim'), { terms: null, isBlocked: false })).toBe(true);
      expect(await meet('kim')).toMatchObject({ terms: undefined, isBlocked: false });
      expect(await store.endUsers.remove(keyOf('kim'))).toBe(true);
      expect(await store.endUsers.remove(keyOf('kim'))).toBe(false);
      expect(await store.endUsers.change(keyOf('gone'), { isBlocked: true })).toBe(false);
      expect(await store.revision()).toBeGreaterThan(before);
    });

    test('terms of a token with further budgets and end users come back as they went in', async () => {
      const budgets = [{ id: 'b', unit: 'tokens' as const, limit: 5n, period: 'week' as const, models: ['gpt-*'] }];
      const terms = {
        name: 't',
        budget: { limitNano: 3n, period: 'day' as const },
        budgets,
        endUsers: { budgets, max: 2 },
      };
      await store.tokens.updateTerms('tok_a', terms);
      expect((await store.tokens.byId('tok_a'))?.terms).toEqual(terms);
    });
  });
}

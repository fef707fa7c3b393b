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
        note: '',
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

    test('are found by token, unit, what a person may see, state, and words of name and note', async () => {
      const org = store.organization;
      const unit = { terms: {}, createdAtMs: 1 };
      await org.insert({ ...unit, id: 'team_a', kind: 'team', parentId: 'org', name: 'A', nameKey: 'a' });
      await org.insert({ ...unit, id: 'proj_a', kind: 'project', parentId: 'team_a', name: 'P', nameKey: 'p' });
      await store.tokens.changeUnit('tok_b', 'proj_a');
      const met = [
        ['kim', 'team_a', 'tok_a'],
        ['Ana Müller', 'tok_a', 'tok_a'],
        ['lee_100%', 'org', 'tok_b'],
        ['Zoë', 'proj_a', 'tok_b'],
      ] as const;
      for (const [name, scopeId, tokenId] of met) {
        now++;
        await store.endUsers.meet({ ...keyOf(name, scopeId), name, tokenId, max: 9, atMs: now });
      }
      await store.endUsers.change(keyOf('kim'), { note: 'Pays by Invoice', isBlocked: true });
      const found = async (search: Partial<Parameters<Store['endUsers']['list']>[0]>) =>
        (await store.endUsers.list({ limit: 10, ...search })).map(({ name }) => name);
      expect(await found({})).toEqual(['Zoë', 'lee_100%', 'Ana Müller', 'kim']);
      expect(await found({ tokenId: 'tok_a' })).toEqual(['Ana Müller', 'kim']);
      expect(await found({ tokenId: 'tok_b' })).toEqual(['Zoë', 'lee_100%']);
      expect(await found({ unitId: 'team_a' })).toEqual(['Zoë', 'lee_100%', 'kim']);
      expect(await found({ unitId: 'proj_a' })).toEqual(['Zoë', 'lee_100%']);
      expect(await found({ scopeId: 'org' })).toEqual(['lee_100%']);
      expect(await found({ blocked: true })).toEqual(['kim']);
      expect(await found({ blocked: false, tokenId: 'tok_a' })).toEqual(['Ana Müller']);
      expect(await found({ words: ['invoice'] })).toEqual(['kim']);
      expect(await found({ words: ['müller', 'ana'] })).toEqual(['Ana Müller']);
      expect(await found({ words: ['_1', '%'] })).toEqual(['lee_100%']);
      expect(await found({ words: ['zoë'], tokenId: 'tok_a' })).toEqual([]);

      const account = { role: 'member' as const, passwordHash: 'x', createdAtMs: 1, passwordChosen: true };
      for (const id of ['acc_owner', 'acc_viewer', 'acc_member', 'acc_none'])
        await store.accounts.insert({ ...account, id, name: id, nameKey: id });
      await store.tokens.changeOwner('tok_a', 'acc_owner');
      for (const [accountId, role] of [
        ['acc_viewer', 'viewer'],
        ['acc_member', 'member'],
      ] as const)
        await org.putMember({ teamId: 'team_a', accountId, role, source: 'manual', createdAtMs: 1 });
      expect(await found({ seenBy: 'acc_owner' })).toEqual(['Ana Müller', 'kim']);
      expect(await found({ seenBy: 'acc_viewer' })).toEqual(['Zoë', 'lee_100%', 'kim']);
      expect(await found({ seenBy: 'acc_member' })).toEqual([]);
      expect(await found({ seenBy: 'acc_none' })).toEqual([]);
      expect(await store.endUsers.seenBy(keyOf('kim'), 'acc_viewer')).toMatchObject({ note: 'Pays by Invoice' });
      expect(await store.endUsers.seenBy(keyOf('kim'), 'acc_none')).toBeUndefined();
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

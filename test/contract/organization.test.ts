/** What the store promises about teams, projects and their members, on both engines. */

import { expect } from 'bun:test';
import type { LevelTerms, UnitKind } from '../../src/access/organization.ts';
import type { AnalyticsFilter } from '../../src/store/analytics/analytics-store.ts';
import type { Store } from '../../src/store/store.ts';
import { needing } from '../harness/needs.ts';
import { aUsageRow, engines, type StorePlace } from '../harness/store-places.ts';

for (const engine of engines) {
  const { afterEach, beforeEach, describe, test } = needing(engine.name);
  describe(`the organization on ${engine.name}`, () => {
    let place: StorePlace;
    let store: Store;
    const now = 1_000_000;

    beforeEach(async () => {
      place = await engine.place();
      store = await place.open(() => now);
    });
    afterEach(() => place.dispose());

    const add = (id: string, kind: UnitKind, parentId: string, name = id, terms: LevelTerms = {}) =>
      store.organization.insert({ id, kind, parentId, name, nameKey: name.toLowerCase(), terms, createdAtMs: now });
    const addAccount = (id: string) =>
      store.accounts.insert({ id, name: id, nameKey: id, role: 'member', passwordHash: 'x', createdAtMs: now });

    test('there is one organization from the start, without limits', async () => {
      expect(await store.organization.list(10)).toEqual([
        { id: 'org', kind: 'organization', name: 'Organization', terms: {}, createdAtMs: 0 },
      ]);
    });

    test('terms come back as they went in, with budgets beyond what a number can hold', async () => {
      const terms: LevelTerms = {
        budgets: [
          { id: 'b1', unit: 'usd', limit: 9_007_199_254_740_993n, period: 'month' },
          {
            id: 'b2',
            unit: 'tokens',
            limit: 10n,
            period: 'day',
            models: ['gpt-*'],
            raise: { limit: 20n, untilMs: 5 },
          },
        ],
        rpm: 3,
        models: ['gpt-*'],
        labels: ['eu'],
      };
      expect(await add('team_a', 'team', 'org', 'A', terms)).toBe('changed');
      const unit = { id: 'team_a', kind: 'team' as const, parentId: 'org', name: 'A', terms, createdAtMs: now };
      expect(await store.organization.byId('team_a')).toEqual(unit);
      expect(await store.organization.update('team_a', { terms: { rpm: 4 } })).toBe('changed');
      expect(await store.organization.byId('team_a')).toEqual({ ...unit, terms: { rpm: 4 } });
    });

    test('a name is unique below one parent, and a parent must exist', async () => {
      await add('team_a', 'team', 'org', 'One');
      expect(await add('team_b', 'team', 'org', 'ONE')).toBe('name-taken');
      await add('team_b', 'team', 'org', 'Two');
      expect(await store.organization.update('team_b', { name: { shown: 'One', key: 'one' } })).toBe('name-taken');
      expect(await add('proj_a', 'project', 'team_a', 'One')).toBe('changed');
      expect(await add('proj_b', 'project', 'team_b', 'One')).toBe('changed');
      expect(await add('proj_c', 'project', 'team_c')).toBe('parent-absent');
      expect(await store.organization.update('team_c', { terms: {} })).toBe('absent');
    });

    test('what is in use cannot be removed', async () => {
      await add('team_a', 'team', 'org');
      await add('proj_a', 'project', 'team_a');
      expect(await store.organization.remove('team_a')).toBe('in-use');
      const token = { digest: 'd', hint: 'weir_…', terms: { name: 'ci' }, createdAtMs: now };
      await store.tokens.insert({ ...token, id: 'tok_1', unitId: 'proj_a', parentId: 'tok_0' });
      expect(await store.tokens.byId('tok_1')).toMatchObject({ unitId: 'proj_a', parentId: 'tok_0' });
      expect(await store.organization.tokensOf('proj_a')).toBe(1);
      expect(await store.organization.remove('proj_a')).toBe('in-use');
      expect(await store.tokens.changeUnit('tok_1', undefined)).toBe(true);
      expect((await store.tokens.byId('tok_1'))?.unitId).toBeUndefined();
      expect(await store.organization.remove('proj_a')).toBe('removed');
      expect(await store.organization.remove('proj_a')).toBe('absent');
      expect(await store.organization.remove('team_a')).toBe('removed');
    });

    test('people are members of several teams, with a role in each', async () => {
      await add('team_a', 'team', 'org');
      await add('team_b', 'team', 'org');
      await addAccount('acc_1');
      const member = { accountId: 'acc_1', source: 'manual', createdAtMs: now };
      expect(await store.organization.putMember({ ...member, teamId: 'team_a', role: 'viewer' })).toBe(true);
      expect(await store.organization.putMember({ ...member, teamId: 'team_b', role: 'admin' })).toBe(true);
      expect(await store.organization.putMember({ ...member, teamId: 'team_a', role: 'member' })).toBe(true);
      expect(await store.organization.putMember({ ...member, teamId: 'org', role: 'member' })).toBe(false);
      expect(await store.organization.putMember({ ...member, teamId: 'team_a', accountId: 'no', role: 'member' })).toBe(
        false,
      );
      const found = await store.organization.membershipsOf('acc_1');
      expect(found.map(({ teamId, role }) => [teamId, role])).toEqual([
        ['team_a', 'member'],
        ['team_b', 'admin'],
      ]);
      await store.organization.remove('team_b');
      expect(await store.organization.membershipsOf('acc_1')).toHaveLength(1);
      expect(await store.organization.membersOf('team_a', 10)).toHaveLength(1);
      expect(await store.organization.removeMember('team_a', 'acc_1')).toBe(true);
      expect(await store.organization.removeMember('team_a', 'acc_1')).toBe(false);
    });

    test('a person sees their own tokens and those of teams whose admin or viewer they are', async () => {
      await add('team_a', 'team', 'org', 'A');
      await add('proj_a', 'project', 'team_a', 'P');
      await add('team_b', 'team', 'org', 'B');
      for (const id of ['lead', 'dev', 'auditor']) await addAccount(id);
      const join = (accountId: string, teamId: string, role: 'admin' | 'member' | 'viewer') =>
        store.organization.putMember({ accountId, teamId, role, source: 'manual', createdAtMs: now });
      await join('lead', 'team_a', 'admin');
      await join('dev', 'team_a', 'member');
      await join('auditor', 'team_a', 'viewer');
      await join('dev', 'team_b', 'viewer');
      const token = { hint: 'weir_…', terms: { name: 'ci' }, createdAtMs: now };
      const insert = (id: string, fields: { ownerId?: string; unitId?: string }) =>
        store.tokens.insert({ ...token, id, digest: id, ...fields });
      await insert('t1_dev', { ownerId: 'dev', unitId: 'proj_a' });
      await insert('t2_service', { unitId: 'team_a' });
      await insert('t3_b', { unitId: 'team_b' });
      await insert('t4_lead', { ownerId: 'lead' });
      await insert('t5_none', {});
      const ids = async (scope: { seenBy?: string; unitId?: string }, words?: readonly string[]) => {
        const search = words && { words, atMs: now };
        const { items } = await store.tokens.list({ limit: 10 }, undefined, search, scope);
        return items.map(({ id }) => id.slice(0, 2)).sort();
      };
      for (const words of [undefined, ['ci']]) {
        expect(await ids({ seenBy: 'lead' }, words)).toEqual(['t1', 't2', 't4']);
        expect(await ids({ seenBy: 'auditor' }, words)).toEqual(['t1', 't2']);
        expect(await ids({ seenBy: 'dev' }, words)).toEqual(['t1', 't3']);
        expect(await ids({ seenBy: 'dev', unitId: 'team_a' }, words)).toEqual(['t1']);
        expect(await ids({ unitId: 'team_a' }, words)).toEqual(['t1', 't2']);
        expect(await ids({ unitId: 'proj_a' }, words)).toEqual(['t1']);
        expect(await ids({ seenBy: 'stranger' }, words)).toEqual([]);
      }
      const facts = await store.tokens.facts(['t1_dev', 't2_service', 't5_none']);
      expect(facts.map(({ teamName, projectName }) => [teamName, projectName])).toEqual([
        ['A', 'P'],
        ['A', null],
        [null, null],
      ]);
      expect(await store.organization.counts()).toEqual(
        new Map([
          ['proj_a', { tokens: 1, members: 0 }],
          ['team_a', { tokens: 1, members: 3 }],
          ['team_b', { tokens: 1, members: 1 }],
        ]),
      );
    });

    test('usage is narrowed to what a person may see, and to a team or project', async () => {
      await add('team_a', 'team', 'org', 'A');
      await add('proj_a', 'project', 'team_a', 'P');
      await addAccount('auditor');
      const member = { accountId: 'auditor', role: 'viewer', source: 'manual', createdAtMs: now } as const;
      await store.organization.putMember({ ...member, teamId: 'team_a' });
      const units = { one: 'proj_a', two: 'team_a', three: undefined };
      for (const [id, unitId] of Object.entries(units)) {
        await store.tokens.insert({ id, digest: id, hint: id, terms: { name: id }, createdAtMs: now, unitId });
      }
      await store.usage.insertMany(
        Object.keys(units).map((tokenId, at) => aUsageRow({ tokenId, atMs: now, costNano: BigInt(2 ** at) })),
      );
      const range = { fromMs: 0, toMs: now + 1 };
      const cost = async (filter: AnalyticsFilter) => (await store.analytics.total(range, filter)).costNano;
      expect(await cost({ seenBy: 'auditor' })).toBe(3n);
      expect(await cost({ seenBy: 'stranger' })).toBe(0n);
      expect(await cost({ teamIds: ['team_a', 'team_x'] })).toBe(3n);
      expect(await cost({ projectIds: ['proj_a'] })).toBe(1n);
      expect(await cost({ teamIds: ['team_a'], projectIds: ['proj_x'] })).toBe(0n);
      expect((await store.usage.list({ seenBy: 'auditor' }, { limit: 5 })).items).toHaveLength(2);
      expect((await store.taskPages.list({ seenBy: 'auditor', unitId: 'team_a' }, { limit: 5 })).items).toEqual([]);
    });

    test('a person has terms of their own, and every change is seen by its revision', async () => {
      await addAccount('acc_1');
      expect(await store.organization.personTerms('acc_1')).toBeUndefined();
      const before = await store.revision();
      const terms: LevelTerms = { budgets: [{ id: 'b1', unit: 'usd', limit: 5n, period: 'total' }] };
      expect(await store.organization.setPersonTerms('acc_1', terms)).toBe(true);
      expect(await store.organization.personTerms('acc_1')).toEqual(terms);
      expect(await store.revision()).toBe(before + 1);
      expect(await store.organization.setPersonTerms('acc_1', undefined)).toBe(true);
      expect(await store.organization.personTerms('acc_1')).toBeUndefined();
      expect(await store.organization.setPersonTerms('acc_2', terms)).toBe(false);
    });
  });
}

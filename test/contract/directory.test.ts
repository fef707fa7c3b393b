/** What the store promises about subjects of JSON Web Tokens, revoked ids, and users and groups of a directory, on both engines. */

import { expect } from 'bun:test';
import type { Store } from '../../src/store/store.ts';
import { needing } from '../harness/needs.ts';
import { engines, type StorePlace } from '../harness/store-places.ts';

for (const engine of engines) {
  const { afterEach, beforeEach, describe, test } = needing(engine.name);
  describe(`directory on ${engine.name}`, () => {
    let place: StorePlace;
    let store: Store;
    const now = 1_000_000;
    const issuer = 'https://id.example';

    beforeEach(async () => {
      place = await engine.place();
      store = await place.open(() => now);
    });
    afterEach(() => place.dispose());

    const meet = (subject: string, terms: object = {}, unitId?: string, most = 3) =>
      store.jwts.meet(
        {
          ...{ id: `tok_jwt_${subject}`, hint: 'JWT', createdAtMs: now, terms: { name: subject, ...terms } },
          ...(unitId !== undefined && { unitId }),
        },
        { issuer, subject, most },
      );

    test('a subject is one token, with the terms of its last sight; a disabled one stays so', async () => {
      const before = await store.revision();
      const all = await Promise.all(Array.from({ length: 8 }, () => meet('a', { rpm: 5 }, 'team_x')));
      expect(all.filter((met) => met?.isNew === true)).toHaveLength(1);
      expect(all[7]?.record).toMatchObject({ unitId: 'team_x', terms: { name: 'a', rpm: 5 } });
      // No replica has to forget anything for a new subject.
      expect(await store.revision()).toBe(before);
      await store.tokens.updateTerms('tok_jwt_a', { name: 'a', rpm: 5, disabled: true });
      expect(await meet('a', { budget: { limitNano: 7n, period: 'day' } })).toMatchObject({
        isNew: false,
        record: { terms: { disabled: true, budget: { limitNano: 7n } } },
      });
      const stored = await store.tokens.byId('tok_jwt_a');
      expect(stored?.terms).toEqual({ name: 'a', budget: { limitNano: 7n, period: 'day' }, disabled: true });
      expect(stored?.unitId).toBeUndefined();
      expect(await store.secretUses.tokensOfOtherKeys('any', undefined, now, 10)).toEqual([]);
    });

    test('an issuer has so many subjects and no more', async () => {
      const met = await Promise.all(['a', 'b', 'c', 'd', 'e'].map((subject) => meet(subject)));
      expect(met.filter((each) => each !== undefined)).toHaveLength(3);
    });

    test('a revoked id is known to every replica until it expires', async () => {
      const before = await store.revision();
      await store.jwts.revoke({ issuer, jwtId: 'one', createdAtMs: now, expiresAtMs: now + 10 });
      expect(await store.revision()).toBeGreaterThan(before);
      expect([await store.jwts.isRevoked(issuer, 'one'), await store.jwts.isRevoked('other', 'one')]).toEqual([
        true,
        false,
      ]);
      expect((await store.jwts.revocations(10)).map(({ jwtId }) => jwtId)).toEqual(['one']);
      await store.jwts.expire(now + 9);
      expect(await store.jwts.isRevoked(issuer, 'one')).toBe(true);
      await store.jwts.expire(now + 10);
      expect(await store.jwts.isRevoked(issuer, 'one')).toBe(false);
    });

    test('users, groups and members', async () => {
      for (const name of ['ann', 'bob']) {
        const id = `acc_${name}`;
        await store.accounts.insert({
          ...{ id, name, nameKey: name, role: 'member', passwordHash: '', createdAtMs: now },
        });
      }
      const row = { accountId: 'acc_ann', attributes: '{"a":"\\u0000"}', createdAtMs: now, changedAtMs: now };
      await store.scim.putUser({ ...row, externalId: 'x' });
      expect(await store.scim.user('acc_ann')).toEqual({ ...row, externalId: 'x' });
      expect((await store.scim.byExternalId('x')).length).toBe(1);
      await store.scim.putUser({ ...row, removedAtMs: now + 1 });
      expect(await store.scim.users(10)).toEqual([{ ...row, removedAtMs: now + 1 }]);
      expect(await store.scim.byExternalId('x')).toEqual([]);

      const group = { id: 'grp_1', displayName: 'G', nameKey: 'g', createdAtMs: now, changedAtMs: now };
      expect(await store.scim.insertGroup(group)).toBe(true);
      expect(await store.scim.insertGroup({ ...group, id: 'grp_2' })).toBe(false);
      expect(await store.scim.insertGroup({ ...group, id: 'grp_2', nameKey: 'h' })).toBe(true);
      expect(await store.scim.updateGroup({ ...group, nameKey: 'h' })).toBe('name-taken');
      expect(await store.scim.updateGroup({ ...group, id: 'grp_9', nameKey: 'z' })).toBe('absent');
      expect(await store.scim.updateGroup({ ...group, externalId: 'e' })).toBe('changed');
      await store.scim.changeMembers('grp_1', { add: ['acc_ann', 'acc_bob', 'acc_none'], remove: [] });
      await store.scim.changeMembers('grp_1', { add: ['acc_bob'], remove: ['acc_ann'] });
      expect(await store.scim.members('grp_1')).toEqual(['acc_bob']);
      expect(await store.scim.groupsOf('acc_bob')).toEqual([{ ...group, externalId: 'e' }]);
      expect(await store.scim.removeGroup('grp_1')).toEqual(['acc_bob']);
      expect(await store.scim.removeGroup('grp_1')).toBeUndefined();
      await store.scim.leaveGroups('acc_bob');
      expect((await store.scim.groups(10)).map(({ id }) => id)).toEqual(['grp_2']);
    });
  });
}

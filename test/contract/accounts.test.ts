/** What the store promises about the people of the console, on both engines. */

import { expect } from 'bun:test';
import type { Role } from '../../src/access/account.ts';
import type { NewAccount } from '../../src/store/accounts/account-store.ts';
import type { Store } from '../../src/store/store.ts';
import { needing } from '../harness/needs.ts';
import { aUsageRow, engines, type StorePlace } from '../harness/store-places.ts';

const terms = { name: 'ci' };
const windowMs = 60_000;

for (const engine of engines) {
  const { afterEach, beforeEach, describe, test } = needing(engine.name);
  describe(`accounts on ${engine.name}`, () => {
    let place: StorePlace;
    let store: Store;
    const now = 1_000_000;

    beforeEach(async () => {
      place = await engine.place();
      store = await place.open(() => now);
    });
    afterEach(() => place.dispose());

    const anAccount = (id: string, role: Role = 'member'): NewAccount => ({
      id,
      name: id.toUpperCase(),
      nameKey: id,
      role,
      passwordHash: `hash-${id}`,
      createdAtMs: now,
    });
    const aSession = (id: string, accountId: string, expiresAtMs = now + 1_000) => ({
      id,
      accountId,
      createdAtMs: now,
      lastSeenAtMs: now,
      expiresAtMs,
      address: '127.0.0.1',
      agent: 'a browser',
    });
    const openSession = (id: string, accountId: string, expiresAtMs?: number) =>
      store.sessions.open(aSession(id, accountId, expiresAtMs), `digest-${id}`, `hash-${accountId}`);
    const addToken = (id: string, ownerId?: string, createdAtMs = now) =>
      store.tokens.insert({ id, digest: `digest-${id}`, hint: 'weir_…', terms, createdAtMs, ownerId });

    test('an account comes back as it went in, under a name that is its own', async () => {
      expect(await store.accounts.insert(anAccount('ann', 'owner'))).toBe(true);
      const account = { id: 'ann', name: 'ANN', role: 'owner' as const, createdAtMs: now, passwordChangedAtMs: now };
      expect(await store.accounts.byId('ann')).toEqual(account);
      expect(await store.accounts.byName('ann')).toEqual({ account, passwordHash: 'hash-ann' });
      expect(await store.accounts.passwordHash('ann')).toBe('hash-ann');
      expect(await store.accounts.byId('ben')).toBeUndefined();
      expect(await store.accounts.byName('ben')).toBeUndefined();
      expect(await store.accounts.passwordHash('ben')).toBeUndefined();
      expect(await store.accounts.insert({ ...anAccount('other'), nameKey: 'ann' })).toBe(false);
      await store.accounts.insert({ ...anAccount('ben'), createdAtMs: now + 1 });
      expect((await store.accounts.list(10)).map(({ id }) => id)).toEqual(['ann', 'ben']);
    });

    test('an account cannot take the name of another', async () => {
      await store.accounts.insert(anAccount('ann', 'owner'));
      await store.accounts.insert(anAccount('ben'));
      const taken = await store.accounts.update('ben', { name: { shown: 'Ann', key: 'ann' } });
      expect([taken, (await store.accounts.byId('ben'))?.name]).toEqual(['name-taken', 'BEN']);
      const named = await store.accounts.update('ben', { name: { shown: 'Benjamin', key: 'benjamin' } });
      expect([named, (await store.accounts.byId('ben'))?.name]).toEqual(['changed', 'Benjamin']);
      expect(await store.accounts.update('ben', { name: { shown: 'BENJAMIN', key: 'benjamin' } })).toBe('changed');
      expect(await store.accounts.update('nobody', { role: 'viewer' })).toBe('absent');
    });

    test('there is always an owner who can sign in', async () => {
      await store.accounts.insert(anAccount('ann', 'owner'));
      await store.accounts.insert(anAccount('ben', 'admin'));
      expect(await store.accounts.update('ann', { role: 'admin' })).toBe('last-owner');
      expect(await store.accounts.update('ann', { disabledAtMs: now })).toBe('last-owner');
      expect(await store.accounts.byId('ann')).toMatchObject({ role: 'owner' });
      expect(await store.accounts.update('ben', { role: 'owner' })).toBe('changed');
      const both = await Promise.all([
        store.accounts.update('ann', { role: 'member' }),
        store.accounts.update('ben', { disabledAtMs: now }),
      ]);
      expect(both.toSorted()).toEqual(['changed', 'last-owner']);
      const living = (await store.accounts.list(10)).filter((one) => one.role === 'owner' && !one.disabledAtMs);
      expect(living).toHaveLength(1);
    });

    test('a disabled account can be enabled again', async () => {
      await store.accounts.insert(anAccount('ben'));
      await store.accounts.update('ben', { disabledAtMs: now });
      expect((await store.accounts.byId('ben'))?.disabledAtMs).toBe(now);
      await store.accounts.update('ben', { disabledAtMs: 0 });
      expect((await store.accounts.byId('ben'))?.disabledAtMs).toBeUndefined();
    });

    test('a session is found by its digest until it ends, is revoked, or its account is disabled', async () => {
      await store.accounts.insert(anAccount('ann'));
      expect(await openSession('one', 'ann')).toBe(true);
      const found = await store.sessions.byDigest('digest-one', now);
      expect(found?.session).toEqual(aSession('one', 'ann'));
      expect(found?.account).toMatchObject({ id: 'ann', role: 'member', lastSignInAtMs: now });
      expect(await store.sessions.byDigest('one', now)).toBeUndefined();
      expect(await store.sessions.byDigest('digest-one', now + 1_000)).toBeUndefined();
      await store.accounts.update('ann', { disabledAtMs: now });
      expect(await store.sessions.byDigest('digest-one', now)).toBeUndefined();
      await store.accounts.update('ann', { disabledAtMs: 0 });
      expect(await store.sessions.byDigest('digest-one', now)).toBeDefined();
      expect(await store.sessions.revoke('one', 'somebody', now)).toBe(false);
      expect(await store.sessions.revoke('one', 'ann', now)).toBe(true);
      expect(await store.sessions.revoke('one', 'ann', now)).toBe(false);
      expect(await store.sessions.byDigest('digest-one', now)).toBeUndefined();
    });

    test('no session is opened with a password that was changed meanwhile, nor on a disabled account', async () => {
      await store.accounts.insert(anAccount('ann'));
      expect(await store.accounts.setPassword('ann', 'hash-new', now + 5)).toBe(true);
      expect((await store.accounts.byId('ann'))?.passwordChangedAtMs).toBe(now + 5);
      expect(await openSession('one', 'ann')).toBe(false);
      expect(await store.sessions.open(aSession('one', 'ann'), 'digest-one', 'hash-new')).toBe(true);
      await store.accounts.update('ann', { disabledAtMs: now });
      expect(await store.sessions.open(aSession('two', 'ann'), 'digest-two', 'hash-new')).toBe(false);
      expect(await store.accounts.setPassword('nobody', 'x', now)).toBe(false);
    });

    test('sessions are listed, kept alive and revoked together, except a given one', async () => {
      for (const id of ['ann', 'ben']) await store.accounts.insert(anAccount(id));
      for (const id of ['one', 'two', 'three']) await openSession(id, 'ann');
      await openSession('other', 'ben');
      await openSession('over', 'ann', now - 1);
      await store.sessions.touch({ id: 'two', lastSeenAtMs: now + 10, expiresAtMs: now + 2_000, address: '::1' });
      const listed = await store.sessions.list('ann', now, 10);
      expect(listed.map(({ id }) => id)).toEqual(['two', 'one', 'three']);
      expect(listed[0]).toMatchObject({ lastSeenAtMs: now + 10, expiresAtMs: now + 2_000, address: '::1' });
      expect(await store.sessions.revokeOf('ann', now, 'two')).toBe(3);
      expect((await store.sessions.list('ann', now, 10)).map(({ id }) => id)).toEqual(['two']);
      expect(await store.sessions.byDigest('digest-other', now)).toBeDefined();
      expect(await store.sessions.revokeOf('ann', now)).toBe(1);
      await store.sessions.expire(now + 1_000);
      expect(await place.query('SELECT id FROM sessions')).toEqual([['two']]);
    });

    test('set-up works once, also with several calls at the same moment', async () => {
      expect(await store.setUp.isDone()).toBe(false);
      await store.setUp.addLink('link-a', now, now + 100);
      await store.setUp.addLink('link-b', now, now + 100);
      await store.setUp.addLink('link-old', now, now);
      expect(await store.setUp.complete(anAccount('ann', 'owner'), 'link-c')).toBe(false);
      expect(await store.setUp.complete(anAccount('ann', 'owner'), 'link-old')).toBe(false);
      expect(await store.setUp.isDone()).toBe(false);
      const tries = await Promise.all([
        store.setUp.complete(anAccount('ann', 'owner'), 'link-a'),
        store.setUp.complete(anAccount('ben', 'owner'), 'link-b'),
        store.setUp.complete(anAccount('cat', 'owner')),
      ]);
      expect(tries.filter(Boolean)).toHaveLength(1);
      expect(await store.accounts.list(10)).toHaveLength(1);
      expect(await store.setUp.isDone()).toBe(true);
      expect(await place.query('SELECT digest FROM set_up_links')).toEqual([]);
      expect(await store.setUp.complete(anAccount('dan', 'owner'))).toBe(false);
    });

    test('tries are counted in a period that the first of them opens', async () => {
      const all = await Promise.all(Array.from({ length: 5 }, () => store.signInTries.count('a', now, windowMs)));
      expect(all.map(({ tries }) => tries).toSorted()).toEqual([1, 2, 3, 4, 5]);
      await store.signInTries.giveBack('a');
      const last = await store.signInTries.count('a', now + windowMs - 1, windowMs);
      expect(last).toEqual({ tries: 5, startedAtMs: now });
      expect((await store.signInTries.count('b', now, windowMs)).tries).toBe(1);
      const nextWindow = await store.signInTries.count('a', now + windowMs, windowMs);
      expect(nextWindow).toEqual({ tries: 1, startedAtMs: now + windowMs });
      await store.signInTries.expire(now + windowMs, windowMs);
      expect(await place.query('SELECT scope FROM sign_in_tries')).toEqual([['a']]);
    });

    test('the audit log is read newest first in pages, by account and by action', async () => {
      const add = (index: number, accountId: string | undefined, action: string) =>
        store.audit.add({
          id: `aud_${index}`,
          atMs: now + (index >> 1),
          ...(accountId !== undefined && { accountId }),
          accountName: accountId ?? '',
          action,
          subject: 'token:t',
          detail: { name: 'a\0b', fields: ['rpm'], revoked: 2 },
          address: '::1',
        });
      for (let index = 0; index < 7; index++) await add(index, index % 3 === 0 ? 'ann' : undefined, `do-${index % 2}`);
      const first = await store.audit.list({}, { limit: 4 });
      expect(first.items.map(({ id }) => id)).toEqual(['aud_6', 'aud_5', 'aud_4', 'aud_3']);
      const second = await store.audit.list({}, { limit: 4, after: first.next });
      expect(second.items.map(({ id }) => id)).toEqual(['aud_2', 'aud_1', 'aud_0']);
      expect(second.next).toBeUndefined();
      expect(second.items[1]?.accountId).toBeUndefined();
      expect(second.items[2]).toMatchObject({
        accountId: 'ann',
        detail: { name: 'a\0b', fields: ['rpm'], revoked: 2 },
      });
      const anns = await store.audit.list({ accountId: 'ann', action: 'do-0' }, { limit: 10 });
      expect(anns.items.map(({ id }) => id)).toEqual(['aud_6', 'aud_0']);
      await store.audit.expire(now + 2);
      expect((await store.audit.list({}, { limit: 10 })).items).toHaveLength(3);
    });

    test('tokens and usage can be filtered by their account', async () => {
      for (let index = 0; index < 5; index++) await addToken(`a${index}`, 'ann', now + index);
      await addToken('b0', 'ben');
      await addToken('free');
      expect((await store.tokens.byId('a0'))?.ownerId).toBe('ann');
      expect((await store.tokens.byDigest('digest-b0'))?.ownerId).toBe('ben');
      expect(await store.tokens.byId('free')).not.toHaveProperty('ownerId');
      const first = await store.tokens.list({ limit: 3 }, 'ann');
      expect(first.items.map(({ id }) => id)).toEqual(['a4', 'a3', 'a2']);
      const rest = await store.tokens.list({ limit: 3, after: first.next }, 'ann');
      expect(rest.items.map(({ id }) => id)).toEqual(['a1', 'a0']);
      await store.usage.insertMany(
        ['a0', 'a1', 'b0', 'free'].map((tokenId) => aUsageRow({ tokenId, requestId: `r-${tokenId}`, model: 'm' })),
      );
      const rows = await store.usage.list({ ownerId: 'ann', model: 'm' }, { limit: 10 });
      expect(rows.items.map(({ tokenId }) => tokenId).toSorted()).toEqual(['a0', 'a1']);
      const [sum] = await store.usage.summarise('model', { ownerId: 'ann' });
      expect(sum).toMatchObject({ key: 'm', requests: 2, costNano: 1_200n });
      const before = await store.revision();
      expect(await store.tokens.revokeOf('ann', now)).toBe(5);
      expect(await store.tokens.revokeOf('ann', now)).toBe(0);
      expect(await store.revision()).toBe(before + 1);
      expect((await store.tokens.byId('b0'))?.revokedAtMs).toBeUndefined();
    });

    test('a token that is renewed keeps its id, and its last secret for a while unless it was revoked', async () => {
      const renew = (digest: string, ownerId: string) =>
        store.tokens.renew({ id: 'p', digest, hint: 'h', terms, createdAtMs: now, ownerId }, now + 50);
      expect(await renew('one', 'ann')).toBe(true);
      expect(await renew('two', 'ann')).toBe(true);
      expect((await store.tokens.byDigest('one'))?.secretValidUntilMs).toBe(now + 50);
      expect((await store.tokens.byDigest('two'))?.id).toBe('p');
      expect(await renew('three', 'ben')).toBe(false);
      await store.tokens.revoke('p', now);
      expect(await renew('four', 'ann')).toBe(true);
      expect(await store.tokens.byDigest('two')).toBeUndefined();
      expect((await store.tokens.byDigest('four'))?.revokedAtMs).toBeUndefined();
    });
  });
}

/** What the store promises about invitations and second factors, on both engines. */

import { expect } from 'bun:test';
import { totpPlace } from '../../src/admin/factors/totp-factor.ts';
import { reseal } from '../../src/cli/keys/reseal.ts';
import { createDigests } from '../../src/secrets/digests.ts';
import { SecretRing } from '../../src/secrets/key-ring.ts';
import { purposes } from '../../src/secrets/purposes.ts';
import { createSealing } from '../../src/secrets/sealing.ts';
import type { PasskeyRecord } from '../../src/store/factors/factor-store.ts';
import type { InvitationRecord } from '../../src/store/factors/invitation-store.ts';
import type { Store } from '../../src/store/store.ts';
import { fixedKeys } from '../harness/fixed-keys.ts';
import { needing } from '../harness/needs.ts';
import { engines, type StorePlace } from '../harness/store-places.ts';

const old = new Uint8Array(32).fill(1);
const fresh = new Uint8Array(32).fill(2);
const digest = createDigests(fixedKeys(old)).of;
const codes = ['one', 'two', 'three'].map(digest);
const now = 1_000_000;

for (const engine of engines) {
  const { afterEach, beforeEach, describe, test } = needing(engine.name);
  describe(`factors on ${engine.name}`, () => {
    let place: StorePlace;
    let store: Store;

    const accountOf = (id: string) =>
      ({ id, name: id, nameKey: id, role: 'member', passwordHash: 'x', createdAtMs: now }) as const;
    const factorAt = async (id: string) => (await store.accounts.byId(id))?.secondFactorAtMs;
    const passkey = (id: string, given: Partial<PasskeyRecord> = {}): PasskeyRecord => ({
      ...{ id, accountId: 'acc_1', rpId: 'weir.test', publicKey: 'key', algorithm: -7, counter: 0 },
      ...{ name: 'Laptop', createdAtMs: now, ...given },
    });
    const totp = (given = {}) =>
      ({ accountId: 'acc_1', state: 'pending', secret: 'sealed', lastStep: 0, createdAtMs: now, ...given }) as const;
    const invitation = (id: string, given: Partial<InvitationRecord> = {}): InvitationRecord => ({
      ...{ id, role: 'member', note: '', invitedBy: 'acc_1', createdAtMs: now, expiresAtMs: now + 1_000, ...given },
    });

    beforeEach(async () => {
      place = await engine.place();
      store = await place.open(() => now);
      await store.accounts.insert(accountOf('acc_1'));
    });
    afterEach(() => place.dispose());

    test('an account that another person gets keeps nothing by which the former one could enter it', async () => {
      const { accounts, factors, sessions, identities, tokens, adminKeys, invitations } = store;
      await factors.beginTotp(totp());
      await factors.confirmTotp('acc_1', 5, now, codes);
      await factors.addPasskey(passkey('key'), 5, codes);
      const times = { createdAtMs: now, lastSeenAtMs: now, expiresAtMs: now + 1_000 };
      await sessions.open({ id: 's', accountId: 'acc_1', ...times, address: '', agent: '' }, 'session-digest', 'x');
      const identity = { issuer: 'https://id.example', subject: 'sub', accountId: 'acc_1' };
      await identities.link({ ...identity, createdAtMs: now, lastUsedAtMs: now });
      const token = { id: 'tok', digest: 'token-digest', hint: '', terms: { name: 't' }, createdAtMs: now };
      await tokens.insert({ ...token, ownerId: 'acc_1' });
      const key = { id: 'k', hint: '', name: 'k', role: 'admin', createdBy: 'acc_1', createdAtMs: now } as const;
      await adminKeys.insert(key, 'key-digest', 9);
      await invitations.insert(invitation('inv'), 'invitation-digest', 9);
      const held = async () => [
        (await accounts.passwordHash('acc_1')) !== '',
        (await accounts.byId('acc_1'))?.secondFactorAtMs !== undefined,
        (await factors.totp('acc_1')) !== undefined,
        (await factors.passkeysOf('acc_1')).length > 0,
        (await factors.countRecoveryCodes('acc_1')) > 0,
        (await sessions.byDigest('session-digest', now)) !== undefined,
        (await tokens.byId('tok'))?.revokedAtMs === undefined,
        (await adminKeys.byId('k'))?.revokedAtMs === undefined,
        (await invitations.byDigest('invitation-digest', now)) !== undefined,
        (await identities.ofAccount('acc_1')).length > 0,
      ];
      expect(await held()).toEqual(Array.from({ length: 10 }, () => true));
      await accounts.dropCredentials('acc_1', now, { keepsIdentities: true });
      expect(await held()).toEqual([...Array.from({ length: 9 }, () => false), true]);
      await accounts.dropCredentials('acc_1', now, { keepsIdentities: false });
      expect((await held()).at(-1)).toBe(false);
    });

    test('a password that was given out stays marked until another is set', async () => {
      await store.accounts.insert({ ...accountOf('acc_2'), mustChangePassword: true });
      expect((await store.accounts.byId('acc_2'))?.mustChangePassword).toBe(true);
      await store.accounts.setPassword('acc_2', 'y', now);
      expect((await store.accounts.byId('acc_2'))?.mustChangePassword).toBeUndefined();
      await store.accounts.setPassword('acc_2', 'z', now, { mustChange: true });
      expect((await store.accounts.byName('acc_2'))?.account.mustChangePassword).toBe(true);
    });

    test('a session remembers that an issuer opened it', async () => {
      const session = {
        accountId: 'acc_1',
        createdAtMs: now,
        lastSeenAtMs: now,
        expiresAtMs: now + 9,
        address: '',
        agent: '',
      };
      await store.sessions.open({ ...session, id: 'ses_1', isFederated: true }, digest('a'), 'x');
      await store.sessions.open({ ...session, id: 'ses_2' }, digest('b'), 'x');
      expect((await store.sessions.byDigest(digest('a'), now))?.session.isFederated).toBe(true);
      expect((await store.sessions.byDigest(digest('b'), now))?.session.isFederated).toBeUndefined();
    });

    test('an authenticator app counts after its first right code, and each time step once', async () => {
      expect(await store.factors.beginTotp(totp())).toBe(true);
      expect(await store.factors.beginTotp(totp({ secret: 'other' }))).toBe(true);
      expect(await factorAt('acc_1')).toBeUndefined();
      expect(await store.factors.useTotpStep('acc_1', 5)).toBe(false);
      expect(await store.factors.confirmTotp('acc_1', 10, now, codes)).toBe('added-with-codes');
      expect(await store.factors.confirmTotp('acc_1', 11, now, codes)).toBe('refused');
      expect(await store.factors.beginTotp(totp())).toBe(false);
      expect(await store.factors.totp('acc_1')).toEqual(totp({ secret: 'other', state: 'active', lastStep: 10 }));
      expect(await factorAt('acc_1')).toBe(now);
      const uses = await Promise.all([11, 11, 11].map((step) => store.factors.useTotpStep('acc_1', step)));
      expect(uses.filter(Boolean)).toHaveLength(1);
      expect(await store.factors.useTotpStep('acc_1', 10)).toBe(false);
    });

    test('recovery codes come with the first factor, work once each, and go with the last factor', async () => {
      await store.factors.beginTotp(totp());
      await store.factors.confirmTotp('acc_1', 1, now, codes);
      expect(await store.factors.addPasskey(passkey('k1'), 5, ['none'].map(digest))).toBe('added');
      expect(await store.factors.countRecoveryCodes('acc_1')).toBe(3);
      const uses = await Promise.all([1, 2, 3].map(() => store.factors.useRecoveryCode('acc_1', digest('two'))));
      expect(uses.filter(Boolean)).toHaveLength(1);
      expect(await store.factors.useRecoveryCode('acc_2', digest('one'))).toBe(false);
      expect(await store.factors.replaceRecoveryCodes('acc_1', ['four'].map(digest))).toBe(true);
      expect(await store.factors.useRecoveryCode('acc_1', digest('one'))).toBe(false);
      // Both at once: one of them is the last, and no codes are left without a factor.
      await Promise.all([store.factors.removeTotp('acc_1'), store.factors.removePasskey('k1', 'acc_1')]);
      expect(await factorAt('acc_1')).toBeUndefined();
      expect(await store.factors.countRecoveryCodes('acc_1')).toBe(0);
      expect(await store.factors.replaceRecoveryCodes('acc_1', codes)).toBe(false);
    });

    test('a passkey is one account’s, up to a number of them, and its counter only grows', async () => {
      await store.accounts.insert(accountOf('acc_2'));
      expect(await store.factors.addPasskey(passkey('k1'), 2, codes)).toBe('added-with-codes');
      expect(await store.factors.addPasskey(passkey('k1', { accountId: 'acc_2' }), 2, codes)).toBe('refused');
      expect(await factorAt('acc_2')).toBeUndefined();
      expect(await store.factors.addPasskey(passkey('k2', { counter: 4 }), 2, codes)).toBe('added');
      expect(await store.factors.addPasskey(passkey('k3'), 2, codes)).toBe('refused');
      expect(await store.factors.usePasskey('k1', 0, now + 1)).toBe(true);
      expect(await store.factors.passkey('k1')).toEqual(passkey('k1', { lastUsedAtMs: now + 1 }));
      for (const [counter, isAccepted] of [
        [4, false],
        [5, true],
        [5, false],
        [0, false],
        [6, true],
      ] as const)
        expect(await store.factors.usePasskey('k2', counter, now)).toBe(isAccepted);
      expect(await store.factors.removePasskey('k2', 'acc_2')).toBe(false);
      expect((await store.factors.passkeysOf('acc_1')).map(({ id }) => id)).toEqual(['k1', 'k2']);
      expect(await store.factors.removeAll('acc_1')).toBe(2);
      expect([await store.factors.passkeysOf('acc_1'), await factorAt('acc_1')]).toEqual([[], undefined]);
    });

    test('a ticket is used once, and forgotten when it has expired', async () => {
      const uses = await Promise.all([1, 2, 3, 4].map(() => store.factors.useTicket('ticket', now)));
      expect(uses.filter(Boolean)).toHaveLength(1);
      await store.factors.expire(now - 1);
      expect(await store.factors.useTicket('ticket', now)).toBe(false);
      await store.factors.expire(now);
      expect(await place.query('SELECT digest FROM used_tickets')).toEqual([]);
    });

    test('an invitation makes one account with its membership, and works once', async () => {
      const terms = { id: 'team_a', kind: 'team', parentId: 'org', name: 'A', nameKey: 'a', terms: {} } as const;
      await store.organization.insert({ ...terms, createdAtMs: now });
      const given = invitation('inv_1', { teamId: 'team_a', teamRole: 'admin', note: 'for Kim' });
      expect(await store.invitations.insert(given, digest('code'), 1)).toBe(true);
      expect(await store.invitations.insert(invitation('inv_2'), digest('other'), 1)).toBe(false);
      expect(await store.invitations.byDigest(digest('code'), now)).toEqual(given);
      expect(await store.invitations.byDigest(digest('code'), now + 1_000)).toBeUndefined();
      expect(await store.invitations.accept('inv_1', accountOf('acc_1'))).toBe('name-taken');
      const outcomes = await Promise.all(['p', 'q', 'r'].map((id) => store.invitations.accept('inv_1', accountOf(id))));
      expect(outcomes.toSorted()).toEqual(['accepted', 'refused', 'refused']);
      const [record] = await store.invitations.list(10);
      const accountId = record?.accountId ?? '';
      expect(await store.organization.membershipsOf(accountId)).toEqual([
        { teamId: 'team_a', accountId, role: 'admin', source: 'manual', createdAtMs: now },
      ]);
      expect(await store.accounts.list(10)).toHaveLength(2);
      expect(await store.invitations.byDigest(digest('code'), now)).toBeUndefined();
      expect(await store.invitations.revoke('inv_1', now)).toBe(false);
    });

    test('an invitation ends when it is revoked, expires, or its team is gone', async () => {
      await store.invitations.insert(invitation('inv_1'), digest('one'), 9);
      await store.invitations.insert(invitation('inv_2', { expiresAtMs: now }), digest('two'), 9);
      await store.invitations.insert(invitation('inv_3', { teamId: 'gone', teamRole: 'member' }), digest('three'), 9);
      expect(await store.invitations.revoke('inv_1', now)).toBe(true);
      expect(await store.invitations.accept('inv_1', accountOf('acc_2'))).toBe('refused');
      expect(await store.invitations.accept('inv_2', accountOf('acc_2'))).toBe('refused');
      expect(await store.invitations.accept('inv_3', accountOf('acc_2'))).toBe('team-absent');
      expect(await store.accounts.byId('acc_2')).toBeUndefined();
      expect((await store.invitations.byId('inv_3'))?.acceptedAtMs).toBeUndefined();
      await store.invitations.expire(now);
      expect((await store.invitations.list(10)).map(({ id }) => id)).toEqual(['inv_3', 'inv_1']);
    });

    test('a change of keys seals secrets again, and counts digests of the old key', async () => {
      const ring = new SecretRing([fresh, old]);
      const sealing = (keys: SecretRing) => createSealing(keys.purpose(purposes.totpSecrets));
      const secret = sealing(new SecretRing([old])).seal(totpPlace('acc_1'), 'secret');
      await store.factors.beginTotp(totp({ secret }));
      await store.factors.confirmTotp('acc_1', 1, now, codes);
      await store.invitations.insert(invitation('inv_1'), digest('one'), 9);
      const { unreadable } = await reseal(store.secretUses, ring);
      expect(unreadable).toBe(0);
      const sealed = (await store.factors.totp('acc_1'))?.secret ?? '';
      expect(await sealing(new SecretRing([fresh])).open(totpPlace('acc_1'), sealed)).toBe('secret');
      const count = (nowMs: number) => store.secretUses.countOfOtherKeys(ring.newest.id, 0, nowMs);
      expect(await count(now)).toMatchObject({ invitations: 1, recoveryCodes: 3 });
      expect(await count(now + 1_000)).toMatchObject({ invitations: 0, recoveryCodes: 3 });
    });
  });
}

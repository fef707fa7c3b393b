/** What the store promises about identities of issuers, their sessions, and what is used once, on both engines. */

import { expect } from 'bun:test';
import type { Store } from '../../src/store/store.ts';
import { needing } from '../harness/needs.ts';
import { engines, type StorePlace } from '../harness/store-places.ts';

for (const engine of engines) {
  const { afterEach, beforeEach, describe, test } = needing(engine.name);
  describe(`identities on ${engine.name}`, () => {
    let place: StorePlace;
    let store: Store;
    const now = 1_000_000;
    const issuer = 'https://id.example';

    beforeEach(async () => {
      place = await engine.place();
      store = await place.open(() => now);
    });
    afterEach(() => place.dispose());

    const account = (id: string, name = id) =>
      ({ id, name, nameKey: name, role: 'member', passwordHash: '', createdAtMs: now }) as const;
    const identity = (subject: string, accountId: string) => ({
      ...{ issuer, subject, accountId },
      ...{ createdAtMs: now, lastUsedAtMs: now },
    });
    const open = (id: string, accountId: string, subject: string, sid?: string) =>
      store.sessions.open(
        {
          ...{ id, accountId, createdAtMs: now, lastSeenAtMs: now, expiresAtMs: now + 1_000 },
          ...{ address: '', agent: '' },
        },
        `digest of ${id}`,
        '',
        { issuer, issuerName: 'company', subject, sid, idToken: `sealed ${id}` },
      );

    test('an account and its identity are made in one step, and only once', async () => {
      expect(await store.identities.link(identity('s1', 'acc_1'), account('acc_1', 'ann'))).toBe('made');
      expect(await store.identities.bySubject(issuer, 's1')).toEqual(identity('s1', 'acc_1'));
      expect(await store.identities.bySubject('https://other.example', 's1')).toBeUndefined();
      expect(await store.identities.link(identity('s1', 'acc_2'), account('acc_2', 'bob'))).toBe('linked');
      expect(await store.identities.link(identity('s2', 'acc_3'), account('acc_3', 'ann'))).toBe('name-taken');
      expect((await store.accounts.list(10)).map(({ id }) => id)).toEqual(['acc_1']);
      expect(await store.identities.link(identity('s3', 'acc_1'))).toBe('made');
      expect(await store.identities.link(identity('s4', 'acc_9'))).toBe('absent');
      await store.identities.seen(issuer, 's3', now + 5);
      expect(
        (await store.identities.ofAccount('acc_1')).map(({ subject, lastUsedAtMs }) => [subject, lastUsedAtMs]),
      ).toEqual([
        ['s1', now],
        ['s3', now + 5],
      ]);
    });

    test('ten first sign-ins of one person at once make one account', async () => {
      const ids = Array.from({ length: 10 }, (_, index) => `acc_${index}`);
      const outcomes = await Promise.all(ids.map((id) => store.identities.link(identity('s', id), account(id))));
      expect(outcomes.filter((outcome) => outcome === 'made')).toHaveLength(1);
      expect(await store.accounts.list(20)).toHaveLength(1);
    });

    test('sessions end by the issuer’s session or by its user, of this issuer only', async () => {
      await store.accounts.insert(account('acc_1'));
      await store.accounts.insert(account('acc_2'));
      await open('ses_1', 'acc_1', 's1', 'sid-1');
      await open('ses_2', 'acc_1', 's1', 'sid-2');
      await open('ses_3', 'acc_2', 's2');
      expect(await store.identities.ofSession('ses_2')).toEqual({
        ...{ issuer, issuerName: 'company' },
        idToken: 'sealed ses_2',
      });
      expect(await store.identities.ofSession('ses_9')).toBeUndefined();
      expect(await store.identities.endSessions('https://other.example', 'sid', 'sid-1', now)).toEqual([]);
      expect(await store.identities.endSessions(issuer, 'sid', 'sid-1', now)).toEqual(['acc_1']);
      expect(await store.identities.endSessions(issuer, 'subject', 's1', now)).toEqual(['acc_1']);
      expect((await store.sessions.list('acc_1', now, 10)).length).toBe(0);
      expect((await store.sessions.list('acc_2', now, 10)).map(({ id }) => id)).toEqual(['ses_3']);
    });

    test('a mark is used once, until it expires', async () => {
      const uses = await Promise.all(Array.from({ length: 5 }, () => store.identities.useOnce('state:x', now + 10)));
      expect(uses.filter(Boolean)).toHaveLength(1);
      await store.identities.expire(now + 9);
      expect(await store.identities.useOnce('state:x', now + 10)).toBe(false);
      await store.identities.expire(now + 10);
      expect(await store.identities.useOnce('state:x', now + 20)).toBe(true);
    });
  });
}

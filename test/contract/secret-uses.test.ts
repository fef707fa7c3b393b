/** What the store promises about a change of keys, on both engines: what hangs on which key, and that nothing is exchanged unseen. */

import { expect } from 'bun:test';
import { idempotentWritePlace } from '../../src/admin/keys/idempotent-writes.ts';
import { sessionIssuerPlace } from '../../src/admin/sign-in/logout.ts';
import { reseal } from '../../src/cli/keys/reseal.ts';
import { entryPlace, keyPlace } from '../../src/configuration/kept-entries.ts';
import { requestContentPlace } from '../../src/relay/contents/request-contents.ts';
import { keptReplyPlace } from '../../src/relay/memory/kept-replies.ts';
import { replicaContentPlace } from '../../src/relay/memory/replica-contents.ts';
import { createDigests } from '../../src/secrets/digests.ts';
import { SecretRing } from '../../src/secrets/key-ring.ts';
import { purposes } from '../../src/secrets/purposes.ts';
import { createSealing, sealedBy } from '../../src/secrets/sealing.ts';
import { resultPartPlace } from '../../src/store/results/database-results.ts';
import type { Store } from '../../src/store/store.ts';
import { fixedKeys } from '../harness/fixed-keys.ts';
import { needing } from '../harness/needs.ts';
import { engines, type StorePlace } from '../harness/store-places.ts';

const issuer = 'https://id.example';
const old = new Uint8Array(32).fill(1);
const fresh = new Uint8Array(32).fill(2);
const before = new SecretRing([old]);
const ring = new SecretRing([fresh, old]);
const after = new SecretRing([fresh]);
const [newId, oldId] = ring.keys.map(({ id }) => id) as [string, string];
const oldDigest = createDigests(fixedKeys(old)).of;
const newDigest = createDigests(fixedKeys(fresh)).of;
const expiresAtMs = 9_000_000;

for (const engine of engines) {
  const { afterEach, beforeEach, describe, test } = needing(engine.name);
  describe(`uses of the secret on ${engine.name}`, () => {
    let place: StorePlace;
    let store: Store;

    beforeEach(async () => {
      place = await engine.place();
      store = await place.open(() => 1_000);
    });
    afterEach(() => place.dispose());

    const sealedWith = (keys: SecretRing) => ({
      console: createSealing(keys.purpose(purposes.consoleConfiguration)),
      replies: createSealing(keys.purpose(purposes.keptReplies)),
      contents: createSealing(keys.purpose(purposes.requestContents)),
      replicas: createSealing(keys.purpose(purposes.replicaContents)),
      sessions: createSealing(keys.purpose(purposes.sessionIssuers)),
      writes: createSealing(keys.purpose(purposes.idempotentWrites)),
    });

    /** Some of everything: more rows than one page has. */
    async function fill(rows: number, keys = before): Promise<void> {
      const sealing = sealedWith(keys);
      await store.accounts.insert({
        id: 'acc',
        name: 'a',
        nameKey: 'a',
        role: 'member',
        passwordHash: '',
        createdAtMs: 1,
      });
      for (let index = 0; index < rows; index++) {
        const session = { id: `ses-${index}`, accountId: 'acc', createdAtMs: 1, lastSeenAtMs: 1, expiresAtMs };
        await store.sessions.open({ ...session, address: '', agent: '' }, `digest-${index}`, '', {
          ...{ issuer, issuerName: 'company', subject: 's' },
          idToken: sealing.sessions.seal(sessionIssuerPlace(session.id, issuer), `token ${index}`),
        });
        const name = `up-${index}`;
        const key = sealing.console.seal(keyPlace(name, 'key-1'), `sk-${index}`);
        await store.configuration.addProvider({
          ...{ section: 'providers' as const, name, atMs: 1, by: 'ann', entry: '{"kind":"x"}' },
          sealed: sealing.console.seal(entryPlace(name), `{"proxy":"${index}"}`),
          keys: [{ keyId: 'key-1', sealed: key, ending: undefined }],
        });
        const reply = { tokenId: `tok-${index % 3}`, id: `resp-${index}`, provider: '', keyId: '', tokens: undefined };
        const content = sealing.replies.seal(keptReplyPlace(reply.tokenId, reply.id), `reply ${index}`);
        await store.keptReplies.put({ ...reply, kind: 'content', content, expiresAtMs });
        const requestId = `req-${index}`;
        const said = sealing.contents.seal(requestContentPlace('tok', requestId), `said ${index}`);
        await store.contents.put({ requestId, tokenId: 'tok', content: said, atMs: 1, expiresAtMs });
        // No text: a byte that is invalid UTF-8 must survive.
        const bytes = Uint8Array.of(255, index);
        const forOthers = sealing.replicas.sealBytes(replicaContentPlace('tok', requestId), bytes);
        const named = { tokenId: 'tok', id: requestId, kind: 'reply', content: forOthers };
        await store.replicaContents.put({ ...named, bytes: 2, atMs: 1, expiresAtMs });
        const part = sealing.replicas.sealBytes(resultPartPlace(requestId, '0000'), bytes);
        await store.resultParts.write(requestId, [{ part: '0000', content: part, bytes: 2 }], 1);
        const kept = sealing.writes.seal(idempotentWritePlace('key_1', requestId), `write ${index}`);
        await store.idempotentWrites.claim({ adminKeyId: 'key_1', key: requestId, content: kept, atMs: 1 }, 0, 100);
      }
      await store.keptReplies.put({
        ...{ tokenId: 'tok-0', id: 'elsewhere', kind: 'at-provider', provider: 'up', keyId: 'k' },
        ...{ tokens: 1, content: undefined, expiresAtMs },
      });
    }

    async function expectReadable(rows: number, keys: SecretRing): Promise<void> {
      const sealing = sealedWith(keys);
      const { entries, keys: sealedKeys } = await store.configuration.read();
      for (let index = 0; index < rows; index++) {
        const name = `up-${index}`;
        const entry = entries.find((row) => row.name === name)?.sealed ?? '';
        const key = sealedKeys.find(({ provider }) => provider === name)?.sealed ?? '';
        const [tokenId, id] = [`tok-${index % 3}`, `resp-${index}`];
        const reply = (await store.keptReplies.get(tokenId, id, 1))?.content ?? '';
        const idToken = (await store.identities.ofSession(`ses-${index}`))?.idToken ?? '';
        expect(await sealing.sessions.open(sessionIssuerPlace(`ses-${index}`, issuer), idToken)).toBe(`token ${index}`);
        const said = (await store.contents.get(`req-${index}`, 1))?.content ?? '';
        expect([
          await sealing.console.open(entryPlace(name), entry),
          await sealing.console.open(keyPlace(name, 'key-1'), key),
          await sealing.replies.open(keptReplyPlace(tokenId, id), reply),
          await sealing.contents.open(requestContentPlace('tok', `req-${index}`), said),
        ]).toEqual([`{"proxy":"${index}"}`, `sk-${index}`, `reply ${index}`, `said ${index}`]);
        const requestId = `req-${index}`;
        const forOthers = (await store.replicaContents.get('tok', [requestId], 1)).get(requestId) ?? '';
        const part = (await store.resultParts.read(requestId, '0000')) ?? '';
        const claim = { adminKeyId: 'key_1', key: requestId, content: '', atMs: 2 };
        const held = await store.idempotentWrites.claim(claim, 0, 100);
        const kept = typeof held === 'string' ? held : held.content;
        expect(await sealing.writes.open(idempotentWritePlace('key_1', requestId), kept)).toBe(`write ${index}`);
        const opened = [
          await sealing.replicas.openBytes(replicaContentPlace('tok', requestId), forOthers),
          await sealing.replicas.openBytes(resultPartPlace(requestId, '0000'), part),
        ];
        expect(opened.map((bytes) => [...(bytes ?? [])])).toEqual([
          [255, index],
          [255, index],
        ]);
      }
    }

    test('everything is sealed again, whatever the number of rows, and a second run changes nothing', async () => {
      await fill(35);
      const { resealed, unreadable } = await reseal(store.secretUses, ring);
      // Alert channels and authenticator apps have none here.
      expect(resealed.map(({ count }) => count)).toEqual([35, 35, 0, 35, 35, 35, 35, 35, 35, 0]);
      expect(unreadable).toBe(0);
      await expectReadable(35, after);
      const again = await reseal(store.secretUses, ring);
      expect(again.resealed.map(({ count }) => count)).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
      await expectReadable(35, after);
    });

    test('one that ended in the middle leaves everything readable by both keys, and the next one ends it', async () => {
      await fill(20);
      let pages = 0;
      const failing = {
        ...store.secretUses,
        exchangeTexts: async (...given: Parameters<Store['secretUses']['exchangeTexts']>) => {
          if (++pages === 4) throw new Error('the process ends here');
          await store.secretUses.exchangeTexts(...given);
        },
      };
      const error = await reseal(failing, ring).catch((thrown: unknown) => thrown);
      expect(String(error)).toContain('ends here');
      await expectReadable(20, ring);
      await reseal(store.secretUses, ring);
      await expectReadable(20, after);
    });

    test('a text that was changed meanwhile is not overwritten', async () => {
      await fill(1);
      const [row] = await store.secretUses.textsOfOtherKeys('console_keys', newId, undefined, 10);
      if (row === undefined) throw new Error('there is one');
      expect(row.place).toEqual(['up-0', 'key-1']);
      const theirs = { keyId: 'key-1', sealed: 'theirs', ending: undefined };
      const change = { section: 'providers' as const, name: 'up-0', atMs: 2, by: 'bob', removeKeys: [] };
      await store.configuration.changeProvider({ ...change, addKeys: [theirs] });
      await store.secretUses.exchangeTexts('console_keys', [{ ...row, resealed: 'ours' }]);
      expect((await store.configuration.read()).keys[0]?.sealed).toBe('theirs');
    });

    test('what no key opens is counted, kept as it is, and does not block the rest', async () => {
      await fill(18);
      const foreign = sealedWith(new SecretRing([new Uint8Array(32).fill(9)]));
      const sealed = foreign.console.seal(keyPlace('up-3', 'key-1'), 'x');
      const change = { section: 'providers' as const, name: 'up-3', atMs: 2, by: 'bob', removeKeys: [] };
      await store.configuration.changeProvider({
        ...change,
        addKeys: [{ keyId: 'key-1', sealed, ending: undefined }],
      });
      const { resealed, unreadable } = await reseal(store.secretUses, ring);
      expect([resealed.map(({ count }) => count), unreadable]).toEqual([[17, 18, 0, 18, 18, 18, 18, 18, 18, 0], 1]);
      const { keys } = await store.configuration.read();
      expect(keys.find(({ provider }) => provider === 'up-3')?.sealed).toBe(sealed);
      expect(new Set(keys.map((key) => sealedBy(key.sealed)))).toEqual(
        new Set([newId, new SecretRing([new Uint8Array(32).fill(9)]).newest.id]),
      );
    });

    const aToken = (id: string, digest: string) => ({ id, digest, hint: 'h', terms: { name: id }, createdAtMs: 1 });
    const hanging = async (nowMs = 1_000) =>
      (await store.secretUses.tokensOfOtherKeys(newId, undefined, nowMs, 100)).map(({ id }) => id);

    test('tokens depend on the key of their digest until the digest is renewed', async () => {
      await store.tokens.insert(aToken('tok_new', newDigest('new')));
      await store.tokens.insert(aToken('tok_old', oldDigest('old')));
      // As an older Weir wrote it: without the name of a key.
      await store.tokens.insert(aToken('tok_ancient', oldDigest('ancient').split(':')[1] ?? ''));
      await store.tokens.insert(aToken('tok_revoked', oldDigest('revoked')));
      await store.tokens.revoke('tok_revoked', 2);
      expect(await hanging()).toEqual(['tok_ancient', 'tok_old']);
      expect((await store.secretUses.tokensOfOtherKeys(newId, 'tok_ancient', 1, 1)).map(({ id }) => id)).toEqual([
        'tok_old',
      ]);
      const revision = await store.revision();
      expect((await store.tokens.byDigest(oldDigest('ancient')))?.id).toBe('tok_ancient');
      await store.tokens.moveDigest(oldDigest('ancient'), newDigest('ancient'));
      expect(await store.tokens.byDigest(oldDigest('ancient'))).toBeUndefined();
      expect((await store.tokens.byDigest(newDigest('ancient')))?.id).toBe('tok_ancient');
      expect(await hanging()).toEqual(['tok_old']);
      expect(await store.revision()).toBe(revision);
    });

    test('a replaced secret depends on its key for as long as it works, and is renewed too', async () => {
      await store.tokens.insert(aToken('tok_1', oldDigest('first')));
      await store.tokens.rotate('tok_1', newDigest('second'), 'h', 5_000);
      expect(await hanging()).toEqual(['tok_1']);
      expect(await hanging(5_000)).toEqual([]);
      await store.tokens.moveDigest(oldDigest('first'), newDigest('first'));
      expect((await store.tokens.byDigest(newDigest('first')))?.secretValidUntilMs).toBe(5_000);
      expect(await hanging()).toEqual([]);
      // Under the new key from the beginning: its replaced secret hangs on nothing old.
      await store.tokens.insert(aToken('tok_2', newDigest('other')));
      await store.tokens.rotate('tok_2', newDigest('third'), 'h', 5_000);
      expect(await hanging()).toEqual([]);
      const own = { ...aToken('tok_play', oldDigest('p1')), ownerId: 'acc_1' };
      await store.tokens.renew(own, 0);
      await store.tokens.renew({ ...own, digest: newDigest('p2') }, 5_000);
      expect(await hanging()).toEqual(['tok_play']);
      expect(await hanging(5_000)).toEqual([]);
      await store.tokens.renew({ ...own, digest: newDigest('p3') }, 5_000);
      expect(await hanging()).toEqual([]);
    });

    test('videos that were ready before the key came are counted while they can be fetched', async () => {
      const words = 'token_id, request_id, attempt_id, state, provider, key_id, model, upstream_model, wishes, facts';
      const numbers = 'guessed, percent, created_at_ms, deadline_at_ms, asked, faults, version, leased';
      const insert = (id: string, results: string, endedAtMs: number, expiresAt: number) =>
        place.query(
          `INSERT INTO tasks (id, ${words}, terms, results, ${numbers}, ended_at_ms, expires_at_ms)
           VALUES ('${id}', 't', '${id}', 'a', 'completed', 'up', 'k', 'm', 'm', '{}', '{}', '{}', '${results}',
             0, 100, 1, 1, 0, 0, 1, 0, ${endedAtMs}, ${expiresAt})`,
        );
      await insert('before', '[1]', 999, 5_000);
      await insert('after', '[1]', 1_000, 5_000);
      await insert('gone', '[]', 999, 5_000);
      const videos = async (nowMs: number) => (await store.secretUses.countOfOtherKeys(newId, 1_000, nowMs)).videos;
      expect([await videos(4_999), await videos(5_000)]).toEqual([1, 0]);
    });

    test('admin keys are counted until they are used, expire or are revoked', async () => {
      const key = { hint: 'h', name: 'k', role: 'admin', createdBy: 'acc', createdAtMs: 1 } as const;
      await store.adminKeys.insert({ ...key, id: 'key_1', expiresAtMs: 5_000 }, oldDigest('1'), 10);
      await store.adminKeys.insert({ ...key, id: 'key_2' }, oldDigest('2'), 10);
      await store.adminKeys.insert({ ...key, id: 'key_3' }, newDigest('3'), 10);
      const count = async (nowMs: number) => (await store.secretUses.countOfOtherKeys(newId, 0, nowMs)).adminKeys;
      expect([await count(4_999), await count(5_000)]).toEqual([2, 1]);
      await store.adminKeys.moveDigest(oldDigest('1'), newDigest('1'));
      expect((await store.adminKeys.byDigest(newDigest('1')))?.id).toBe('key_1');
      await store.adminKeys.revoke('key_2', 2);
      expect(await count(1)).toBe(0);
    });

    test('sessions and client secrets are counted while they count', async () => {
      const account = { id: 'acc_1', name: 'Ann', nameKey: 'ann', role: 'owner' as const };
      await store.accounts.insert({ ...account, passwordHash: 'hash', createdAtMs: 1 });
      const session = { accountId: 'acc_1', createdAtMs: 1, lastSeenAtMs: 1, address: '', agent: '' };
      await store.sessions.open({ ...session, id: 'ses_old', expiresAtMs: 5_000 }, oldDigest('a'), 'hash');
      await store.sessions.open({ ...session, id: 'ses_new', expiresAtMs: 5_000 }, newDigest('b'), 'hash');
      const secret = { tokenId: 't', model: 'm', expiresAtMs: 4_000 };
      await store.clientSecrets.put({ ...secret, digest: oldDigest('c'), content: `2.${oldId}.x` });
      await store.clientSecrets.put({ ...secret, digest: newDigest('d'), content: `2.${newId}.x` });
      const count = (nowMs: number) => store.secretUses.countOfOtherKeys(newId, 0, nowMs);
      expect(await count(3_999)).toMatchObject({ sessions: 1, clientSecrets: 1, videos: 0 });
      expect(await count(4_000)).toMatchObject({ sessions: 1, clientSecrets: 0, videos: 0 });
      expect((await store.clientSecrets.get(oldDigest('c'), 1))?.content).toBe(`2.${oldId}.x`);
      await store.sessions.moveDigest(oldDigest('a'), newDigest('a'));
      expect((await store.sessions.byDigest(newDigest('a'), 2))?.session.id).toBe('ses_old');
      expect(await count(4_000)).toMatchObject({ sessions: 0, clientSecrets: 0, videos: 0 });
    });
  });
}

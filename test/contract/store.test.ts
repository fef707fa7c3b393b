/** What the store promises, on both engines. */

import { expect } from 'bun:test';
import { SchemaTooNewError, StoreUnavailableError } from '../../src/store/sql/store-errors.ts';
import type { Store } from '../../src/store/store.ts';
import { needing } from '../harness/needs.ts';
import { anOpening, aScope, aUsageRow, engines, type StorePlace } from '../harness/store-places.ts';

const terms = {
  name: 'ci',
  models: ['gpt-*'],
  rpm: 60,
  budget: { limitNano: 12_345_678_901_234_567_890n % 9_000_000_000_000_000_001n, period: 'month' as const },
  strict: true,
  moderation: { before: true, model: 'judge' },
  labels: ['eu', 'team-a'],
  maySteer: true,
  mayExplain: true,
};

for (const engine of engines) {
  const { afterEach, beforeEach, describe, test } = needing(engine.name);
  describe(`store on ${engine.name}`, () => {
    let place: StorePlace;
    let store: Store;
    let now = 1_000_000;

    beforeEach(async () => {
      now = 1_000_000;
      place = await engine.place();
      store = await place.open(() => now);
    });
    afterEach(() => place.dispose());

    const addToken = (id: string, createdAtMs = now) =>
      store.tokens.insert({ id, digest: `digest-${id}`, hint: `weir_${id}…`, terms, createdAtMs });

    test('tokens come back as they went in', async () => {
      await addToken('a');
      const expected = { id: 'a', hint: 'weir_a…', createdAtMs: now, terms };
      expect(await store.tokens.byDigest('digest-a')).toEqual(expected);
      expect(await store.tokens.byId('a')).toEqual(expected);
      expect(await store.tokens.byDigest('a')).toBeUndefined();
      expect(await store.tokens.byId('digest-a')).toBeUndefined();
    });

    test('a rotated token answers to its old secret until the end that was set', async () => {
      await addToken('a');
      expect(await store.tokens.rotate('a', 'digest-new', 'weir_new…', now + 500)).toBe(true);
      expect((await store.tokens.byDigest('digest-new'))?.secretValidUntilMs).toBeUndefined();
      expect((await store.tokens.byDigest('digest-new'))?.hint).toBe('weir_new…');
      expect((await store.tokens.byDigest('digest-a'))?.secretValidUntilMs).toBe(now + 500);
      now += 500;
      expect(await store.tokens.byDigest('digest-a')).toBeUndefined();
      expect(await store.tokens.rotate('none', 'x', 'y', 0)).toBe(false);
    });

    test('revoking works once, and a revoked token is still found', async () => {
      await addToken('a');
      expect(await store.tokens.revoke('a', 77)).toBe(true);
      expect(await store.tokens.revoke('a', 78)).toBe(false);
      expect((await store.tokens.byDigest('digest-a'))?.revokedAtMs).toBe(77);
      expect(await store.tokens.rotate('a', 'x', 'y', 0)).toBe(false);
    });

    test('every change of a token or setting moves the revision, reads do not', async () => {
      let before = await store.revision();
      const changes = [
        () => addToken('a'),
        () => store.tokens.updateTerms('a', { name: 'other' }),
        () => store.tokens.rotate('a', 'x', 'y', 0),
        () => store.tokens.revoke('a', 1),
        () => store.settings.put('k', 'v'),
      ];
      for (const change of changes) {
        await change();
        const after = await store.revision();
        expect(after).toBeGreaterThan(before);
        before = after;
      }
      await store.tokens.revoke('a', 1);
      await store.tokens.byId('a');
      expect(await store.revision()).toBe(before);
      expect((await store.tokens.byId('a'))?.terms).toEqual({ name: 'other' });
    });

    test('tokens are listed newest first in pages without gaps or repeats', async () => {
      for (let index = 0; index < 25; index += 1)
        await addToken(`t${String(index).padStart(2, '0')}`, 100 + (index >> 2));
      const seen: string[] = [];
      let page = await store.tokens.list({ limit: 10 });
      while (true) {
        seen.push(...page.items.map((token) => token.id));
        if (page.next === undefined) break;
        page = await store.tokens.list({ limit: 10, after: page.next });
      }
      expect(seen).toEqual(Array.from({ length: 25 }, (_, index) => `t${String(24 - index).padStart(2, '0')}`));
    });

    test('a second token with the same digest is refused and does not fail other calls of its batch', async () => {
      await addToken('a');
      const calls = [
        store.settings.putIfAbsent('one', '1'),
        store.tokens.insert({ id: 'b', digest: 'digest-a', hint: '', terms, createdAtMs: now }),
        store.settings.putIfAbsent('two', '2'),
        store.attempts.open(anOpening({ attemptId: 'kept' })),
      ];
      const outcomes = await Promise.allSettled(calls);
      expect(outcomes.map((outcome) => outcome.status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
      expect(await store.settings.get('one')).toBe('1');
      expect(await store.settings.get('two')).toBe('2');
      expect(await store.tokens.byId('b')).toBeUndefined();
      expect(await place.query('SELECT id FROM attempts')).toEqual([['kept']]);
    });

    test('settings: the first one wins, put replaces', async () => {
      expect(await store.settings.get('k')).toBeUndefined();
      const values = await Promise.all(['a', 'b', 'c'].map((value) => store.settings.putIfAbsent('k', value)));
      expect(new Set(values).size).toBe(1);
      await store.settings.put('k', 'z');
      expect(await store.settings.get('k')).toBe('z');
    });

    test('provider models are any JSON', async () => {
      const models = [{ id: 'a/b', context: 5 }, { id: 'ü' }];
      await store.providerModels.put('up', [], 1);
      await store.providerModels.put('up', models, 2);
      expect(await store.providerModels.get('up')).toEqual({ models, fetchedAtMs: 2 });
      expect(await store.providerModels.get('down')).toBeUndefined();
    });

    test('an idempotency key is held, finished, forgotten and free again after its life', async () => {
      const claim = { tokenId: 't', key: 'k', requestId: 'r1', fingerprint: 'f', atMs: 1_000, lifetimeMs: 500 };
      const both = await Promise.all([
        store.idempotency.begin(claim),
        store.idempotency.begin({ ...claim, requestId: 'r2' }),
      ]);
      expect(both.filter((verdict) => verdict.begun)).toHaveLength(1);
      const winner = both[0]?.begun === true ? 'r1' : 'r2';
      await store.idempotency.finish('t', 'k', 'not-the-holder');
      const held = { begun: false as const, requestId: winner, fingerprint: 'f' };
      expect(await store.idempotency.begin({ ...claim, requestId: 'r3' })).toEqual({ ...held, state: 'running' });
      await store.idempotency.finish('t', 'k', winner);
      expect(await store.idempotency.begin({ ...claim, requestId: 'r3' })).toEqual({ ...held, state: 'finished' });
      expect(await store.idempotency.begin({ ...claim, tokenId: 'other' })).toEqual({ begun: true });
      expect(await store.idempotency.begin({ ...claim, requestId: 'r4', atMs: 1_500 })).toMatchObject({ begun: false });
      expect(await store.idempotency.begin({ ...claim, requestId: 'r4', atMs: 1_501 })).toEqual({ begun: true });
      await store.idempotency.forget('t', 'k', 'r4');
      expect(await store.idempotency.begin({ ...claim, requestId: 'r5' })).toEqual({ begun: true });
      await store.idempotency.expire(2_000);
      expect(await place.query('SELECT COUNT(*) FROM idempotency')).toEqual([[0n]]);
    });

    test('instances see each other', async () => {
      await store.instances.register();
      const other = await place.open(() => now + 5);
      await other.instances.heartbeat();
      await other.instances.heartbeat();
      const seen = { id: other.instanceId, pid: process.pid, startedAtMs: now + 5, heartbeatMs: now + 5 };
      expect(await store.instances.others()).toEqual([seen]);
      await store.instances.forget(other.instanceId);
      expect(await store.instances.others()).toEqual([]);
    });

    test('closing writes what was asked for before', async () => {
      const calls = Array.from({ length: 2_000 }, (_, index) =>
        store.attempts.open(anOpening({ attemptId: `c${index}` })),
      );
      await Promise.all([store.close(), ...calls]);
      expect(await place.query('SELECT COUNT(*) FROM attempts')).toEqual([[2_000n]]);
      expect(await store.ping().catch((error: unknown) => error)).toBeInstanceOf(StoreUnavailableError);
    });

    test('opening again, and from several at once, migrates once', async () => {
      const versions = await place.query('SELECT version, name FROM schema_versions');
      const fresh = await engine.newPlace();
      try {
        const stores = await Promise.all(Array.from({ length: 4 }, () => fresh.open()));
        expect(await fresh.query('SELECT version, name FROM schema_versions')).toEqual([...versions]);
        expect(new Set(stores.map((each) => each.instanceId)).size).toBe(4);
        for (const each of stores) expect(each.schemaVersion).toBe(Number(versions.at(-1)?.[0]));
      } finally {
        await fresh.dispose();
      }
    });

    test('a newer schema is refused with both versions named', async () => {
      await place.query("INSERT INTO schema_versions (version, name, applied_at_ms) VALUES (999, 'later', 0)");
      const refusal = await place.open().catch((error: unknown) => error);
      expect(refusal).toBeInstanceOf(SchemaTooNewError);
      expect(String(refusal)).toMatch(/version 999.*up to \d+/);
    });

    test('a newer schema that only added something is used as it is', async () => {
      const fresh = await engine.newPlace();
      try {
        const { schemaVersion } = await fresh.open();
        const later = schemaVersion + 1;
        await fresh.query(`INSERT INTO schema_versions (version, name, applied_at_ms) VALUES (${later}, 'later', 0)`);
        await fresh.query(`INSERT INTO schema_readers (version, oldest_reader) VALUES (${later}, ${schemaVersion})`);
        await fresh.query("ALTER TABLE usage_rows ADD COLUMN later TEXT NOT NULL DEFAULT ''");
        const older = await fresh.open();
        expect(older.schemaVersion).toBe(later);
        await older.usage.insertMany([aUsageRow({ requestId: 'back' })]);
        expect(await older.usage.byId('back')).toEqual(aUsageRow({ requestId: 'back' }));
      } finally {
        await fresh.dispose();
      }
    });

    describe('usage rows', () => {
      test('come back as they went in, the unknown staying unknown', async () => {
        const full = aUsageRow({
          requestId: 'full',
          costNano: 9_007_199_254_740_993n,
          usage: {
            input: { total: 9, fresh: 1, cacheRead: 2, cacheWrite: 3, audio: 4, image: 5 },
            output: { total: 6, text: 1, thinking: 2, audio: 3, image: 0 },
          },
        });
        const { firstEventMs: _, ...withoutFirst } = aUsageRow({ requestId: 'bare', usage: { input: {}, output: {} } });
        await store.usage.insertMany([full, withoutFirst]);
        await store.usage.insertMany([full]);
        expect(await store.usage.byId('full')).toEqual(full);
        expect(await store.usage.byId('bare')).toEqual(withoutFirst);
        expect(await store.usage.byId('none')).toBeUndefined();
      });

      test('take names and figures that a caller or provider made up', async () => {
        const wild = aUsageRow({
          requestId: 'wild',
          model: `a\0b\ud800${'x'.repeat(1_000)}`,
          totalMs: 12.5,
          firstEventMs: Number.NaN,
          usage: { input: { total: 1.5 }, output: { total: Number.POSITIVE_INFINITY } },
        });
        await store.usage.insertMany([wild]);
        const kept = await store.usage.byId('wild');
        expect(kept?.model).toStartWith('a\ufffdb\ufffdx');
        expect(kept?.model).toHaveLength(256);
        expect(kept?.usage).toEqual({ input: { total: 2 }, output: {} });
      });

      test('are paged newest first and filtered', async () => {
        const rows = Array.from({ length: 50 }, (_, index) =>
          aUsageRow({
            requestId: `r${String(index).padStart(2, '0')}`,
            atMs: 1_000 + (index >> 1),
            tokenId: index % 5 === 0 ? 'rare' : 'token-1',
            code: index % 10 === 0 ? 'budget_spent' : '',
          }),
        );
        await store.usage.insertMany(rows);
        const seen: string[] = [];
        let page = await store.usage.list({}, { limit: 7 });
        while (true) {
          seen.push(...page.items.map((row) => row.requestId));
          if (page.next === undefined) break;
          page = await store.usage.list({}, { limit: 7, after: page.next });
        }
        expect(seen).toEqual(rows.map((row) => row.requestId).reverse());
        const rare = await store.usage.list({ tokenId: 'rare' }, { limit: 100 });
        expect(rare.items).toHaveLength(10);
        const narrow = {
          tokenId: 'rare',
          code: 'budget_spent',
          fromMs: 1_005,
          toMs: 1_020,
          provider: 'up',
          model: 'fast',
        };
        const found = await store.usage.list(narrow, { limit: 100 });
        expect(found.items.map((row) => row.requestId)).toEqual(['r30', 'r20', 'r10']);
      });

      test('are summed by model, token, provider, day and hour', async () => {
        const hour = 3_600_000;
        await store.usage.insertMany([
          aUsageRow({ atMs: hour * 24, model: 'a', costNano: 5n, tokenId: 'x' }),
          aUsageRow({ atMs: hour * 24 + 1, model: 'a', costNano: 7n, status: 502, tokenId: 'y', priceVersion: '' }),
          aUsageRow({ atMs: hour * 26, model: 'b', costNano: 100n, usage: { input: {}, output: {} }, tokenId: 'y' }),
        ]);
        const zero = { inputTokens: 0, cacheReadTokens: 0, outputTokens: 0 };
        const two = { inputTokens: 200, cacheReadTokens: 40, outputTokens: 100 };
        expect(await store.usage.summarise('model', {})).toEqual([
          { key: 'b', requests: 1, failures: 0, ...zero, costNano: 100n, unpriced: 0 },
          { key: 'a', requests: 2, failures: 1, ...two, costNano: 12n, unpriced: 1 },
        ]);
        const keys = async (by: 'token' | 'provider' | 'day' | 'hour') =>
          (await store.usage.summarise(by, {})).map(({ key, costNano }) => [key, costNano]);
        expect(await keys('token')).toEqual([
          ['y', 107n],
          ['x', 5n],
        ]);
        expect(await keys('provider')).toEqual([['up', 112n]]);
        expect(await keys('day')).toEqual([[String(hour * 24), 112n]]);
        expect(await keys('hour')).toEqual([
          [String(hour * 26), 100n],
          [String(hour * 24), 12n],
        ]);
        expect(await store.usage.summarise('model', { tokenId: 'x' }, 1)).toHaveLength(1);
      });
    });

    test('budgets hold more than a double can', async () => {
      const limit = 9_000_000_000_000_000_001n;
      const opening = anOpening({ scopes: [aScope(limit)], reserveNano: limit - 1n });
      expect(await store.attempts.open(opening)).toEqual({ admitted: true });
      expect(await store.budgets.read('token:token-1', 0)).toEqual({ spentNano: 0n, heldNano: limit - 1n });
      expect(await store.attempts.open(anOpening({ scopes: [aScope(limit)], reserveNano: 2n }))).toMatchObject({
        admitted: false,
      });
      expect(await store.attempts.open(anOpening({ scopes: [aScope(limit)], reserveNano: 1n }))).toEqual({
        admitted: true,
      });
    });
  });
}

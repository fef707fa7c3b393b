/** The ledger's invariants (RELIABILITY.md, part 1), on both engines. */

import { afterEach, beforeEach, expect, test } from 'bun:test';
import type { AttemptClosing, AttemptOpening } from '../../src/ledger/ledger.ts';
import { openLedger, type RunningLedger } from '../../src/ledger/open-ledger.ts';
import { windowStartMs } from '../../src/ledger/window.ts';
import { StoreUnavailableError } from '../../src/store/sql/store-errors.ts';
import type { Store } from '../../src/store/store.ts';
import { needing } from '../harness/needs.ts';
import { sized } from '../harness/size.ts';
import { anOpening, aScope, aUsageRow, checkMoney, engines, type StorePlace } from '../harness/store-places.ts';

const scope = 'token:token-1';

for (const engine of engines) {
  const { afterEach, beforeEach, describe, test } = needing(engine.name);
  describe(`ledger on ${engine.name}`, () => {
    let place: StorePlace;
    let store: Store;
    let ledger: RunningLedger;
    let now = 0;
    const running: RunningLedger[] = [];

    const clock = () => now;
    const start = async (on: Store): Promise<RunningLedger> => {
      // Only the test moves time: no timer of the ledger comes up by itself.
      const never = 2_000_000_000;
      const made = openLedger({ store: on, nowMs: clock, heartbeatMs: never, sweepMs: never, checkpointMs: never });
      await made.start();
      running.push(made);
      return made;
    };

    beforeEach(async () => {
      now = 1_000_000;
      place = await engine.place();
      store = await place.open(clock);
      ledger = await start(store);
    });
    afterEach(async () => {
      for (const made of running.splice(0)) await made.stop().catch(() => undefined);
      await place.dispose();
    });

    const close = (opening: AttemptOpening, costNano: bigint) =>
      ledger.close({ attemptId: opening.attemptId, costNano, estimated: false, atMs: now });
    const budget = (window = 0) => store.budgets.read(scope, window);

    test('B1: a budget for 37 admits exactly 37 of many at once', async () => {
      const openings = Array.from({ length: sized(150, 500) }, () => anOpening({ scopes: [aScope(37_999n)] }));
      const verdicts = await Promise.all(openings.map((opening) => ledger.open(opening)));
      expect(verdicts.filter((verdict) => verdict.admitted)).toHaveLength(37);
      expect(verdicts.find((verdict) => !verdict.admitted)).toEqual({ admitted: false, scope });
      expect(await budget()).toEqual({ spentNano: 0n, heldNano: 37_000n });
      expect(await checkMoney(place)).toEqual({ differing: [], open: 37 });
    });

    test('B2: spent is the sum of the entries and held the sum of what is open', async () => {
      const openings = Array.from({ length: 60 }, () => anOpening({ scopes: [aScope(1_000_000n)] }));
      await Promise.all(openings.map((opening) => ledger.open(opening)));
      await Promise.all(openings.slice(0, 40).map((opening, index) => close(opening, BigInt(index * 20))));
      expect(await budget()).toEqual({ spentNano: 15_600n, heldNano: 20_000n });
      expect(await checkMoney(place)).toEqual({ differing: [], open: 20 });
      // A cost of zero is a release: it leaves no entry.
      expect(await place.query('SELECT COUNT(*) FROM ledger_entries')).toEqual([[39n]]);
    });

    test('an entry names its budgets, also where the row of the request records the attempt', async () => {
      const scopes = [aScope(10_000n), { ...aScope(10_000n, 'key:k', 60_000), unit: 'tokens' as const }];
      const opening = anOpening({ attemptId: 'one.1', requestId: 'one', scopes, reserveTokens: 50 });
      expect(ledger.openNow(opening) ?? (await ledger.open(opening))).toEqual({ admitted: true });
      // A row of an hour that is summed already would be written alone.
      const row = aUsageRow({ requestId: 'one', attempts: 1, costNano: 300n, atMs: Date.now() });
      const closing = { attemptId: 'one.1', costNano: 300n, estimated: false, atMs: now, row };
      if (!ledger.closeNow(closing)) await ledger.close(closing);
      expect(await store.budgets.read('key:k', 60_000)).toEqual({ spentNano: 50n, heldNano: 0n });
      expect(await place.query('SELECT attempt_id, amount_nano, scopes FROM ledger_entries')).toEqual([
        ['one.1', 300n, `[["key:k",60000,"tokens"],["${scope}",0]]`],
      ]);
      expect(await place.query('SELECT COUNT(*) FROM attempt_rows')).toEqual([[0n]]);
      expect(await checkMoney(place)).toEqual({ differing: [], open: 0 });
    });

    test('a refusal leaves nothing behind', async () => {
      const refused = await ledger.open(anOpening({ scopes: [aScope(999n)] }));
      expect(refused).toEqual({ admitted: false, scope });
      expect(await place.query('SELECT COUNT(*) FROM attempts')).toEqual([[0n]]);
      expect(await place.query('SELECT COUNT(*) FROM budgets WHERE spent_nano <> 0 OR held_nano <> 0')).toEqual([[0n]]);
    });

    test('a limit is reached exactly, and one more is too much', async () => {
      expect(await ledger.open(anOpening({ scopes: [aScope(2_000n)] }))).toEqual({ admitted: true });
      expect(await ledger.open(anOpening({ scopes: [aScope(2_000n)], reserveNano: 1_001n }))).toMatchObject({
        admitted: false,
      });
      expect(await ledger.open(anOpening({ scopes: [aScope(2_000n)] }))).toEqual({ admitted: true });
    });

    test('B6: a second closing of any kind changes nothing', async () => {
      const opening = anOpening({ scopes: [aScope(10_000n)] });
      await ledger.open(opening);
      const row = aUsageRow({ requestId: opening.requestId, costNano: 300n });
      const closing = { attemptId: opening.attemptId, costNano: 300n, estimated: false, atMs: now, row };
      await Promise.all([ledger.close(closing), ledger.close(closing)]);
      await close(opening, 0n);
      await close(opening, 900n);
      expect(await store.attempts.sweep(store.instanceId, now)).toBe(0);
      expect(await budget()).toEqual({ spentNano: 300n, heldNano: 0n });
      expect((await store.usage.byId(opening.requestId))?.costNano).toBe(300n);
      expect(await checkMoney(place)).toEqual({ differing: [], open: 0 });
      await ledger.close({ ...closing, attemptId: 'never-opened' });
    });

    test('B9: what was released can be spent by a lone request', async () => {
      for (let round = 0; round < 20; round += 1) {
        const opening = anOpening({ scopes: [aScope(1_100n)] });
        expect(await ledger.open(opening)).toEqual({ admitted: true });
        await close(opening, 5n);
      }
      expect(await budget()).toEqual({ spentNano: 100n, heldNano: 0n });
    });

    test('B10: all scopes move together or none does', async () => {
      const scopes = [aScope(5_000n, 'token:z'), aScope(1_500n, 'team:a'), aScope(9_000n, 'token:m')];
      const first = anOpening({ scopes });
      expect(await ledger.open(first)).toEqual({ admitted: true });
      expect(await ledger.open(anOpening({ scopes }))).toEqual({ admitted: false, scope: 'team:a' });
      const tight = [aScope(5_000n, 'a'), aScope(10n, 'b')];
      expect(await ledger.open(anOpening({ scopes: tight }))).toEqual({ admitted: false, scope: 'b' });
      expect(await store.budgets.read('a', 0)).toEqual({ spentNano: 0n, heldNano: 0n });
      for (const each of ['token:z', 'team:a', 'token:m']) {
        expect(await store.budgets.read(each, 0)).toEqual({ spentNano: 0n, heldNano: 1_000n });
      }
      await close(first, 700n);
      for (const each of ['token:z', 'team:a', 'token:m']) {
        expect(await store.budgets.read(each, 0)).toEqual({ spentNano: 700n, heldNano: 0n });
      }
      expect(await checkMoney(place)).toEqual({ differing: [], open: 0 });
    });

    test('B12: an edited limit counts for later reservations only', async () => {
      const early = anOpening({ scopes: [aScope(10_000n)] });
      await ledger.open(early);
      expect(await ledger.open(anOpening({ scopes: [aScope(500n)] }))).toMatchObject({ admitted: false });
      await close(early, 1_000n);
      expect(await budget()).toEqual({ spentNano: 1_000n, heldNano: 0n });
      expect(await ledger.open(anOpening({ scopes: [aScope(900n)], reserveNano: 0n }))).toMatchObject({
        admitted: false,
      });
      expect(await ledger.open(anOpening({ scopes: [aScope(2_000n)] }))).toEqual({ admitted: true });
    });

    test('B13: a window begins again once, and what is open stays in the window it began in', async () => {
      const day = 86_400_000;
      const windowed = () => anOpening({ scopes: [aScope(1_000n, scope, windowStartMs('day', now))] });
      now = 10 * day - 1;
      const before = windowed();
      expect(await ledger.open(before)).toEqual({ admitted: true });
      expect(await ledger.open(windowed())).toMatchObject({ admitted: false });
      now = 10 * day;
      const verdicts = await Promise.all(Array.from({ length: 8 }, () => ledger.open(windowed())));
      expect(verdicts.filter((verdict) => verdict.admitted)).toHaveLength(1);
      await close(before, 800n);
      expect(await budget(9 * day)).toEqual({ spentNano: 800n, heldNano: 0n });
      expect(await budget(10 * day)).toEqual({ spentNano: 0n, heldNano: 1_000n });
    });

    test('a cost above the reservation is charged truthfully and closes the budget', async () => {
      const opening = anOpening({ scopes: [aScope(1_000n)] });
      await ledger.open(opening);
      await close(opening, 1_234n);
      expect(await budget()).toEqual({ spentNano: 1_234n, heldNano: 0n });
      expect(await ledger.open(anOpening({ scopes: [aScope(1_000n)], reserveNano: 0n }))).toMatchObject({
        admitted: false,
      });
    });

    test('B4: what a dead process left is charged at its checkpoint, else at its estimate, and says so', async () => {
      const seen = anOpening({ scopes: [aScope(10_000n)], requestId: 'seen' });
      const unseen = anOpening({ scopes: [aScope(10_000n)], requestId: 'unseen', atMs: now - 50 });
      await ledger.open(seen);
      await ledger.open(unseen);
      ledger.checkpoint(seen.attemptId, 100n);
      ledger.checkpoint(seen.attemptId, 123n);
      ledger.checkpoint('never-opened', 5n);
      await ledger.flush();
      expect(await store.attempts.sweep(store.instanceId, now)).toBe(2);
      expect(await budget()).toEqual({ spentNano: 523n, heldNano: 0n });
      expect(await checkMoney(place)).toEqual({ differing: [], open: 0 });
      const swept = { status: 500, code: 'swept', estimated: true, provider: 'up', upstreamModel: 'model-1' };
      expect(await store.usage.byId('seen')).toMatchObject({ ...swept, costNano: 123n });
      expect(await store.usage.byId('unseen')).toMatchObject({ ...swept, costNano: 400n, totalMs: 50 });
    });

    test('a late closing corrects a swept attempt once: attempt, budget and usage row in one commit', async () => {
      const opening = anOpening({ attemptId: 'late.1', requestId: 'late', scopes: [aScope(10_000n)], atMs: now });
      const silent = anOpening({ attemptId: 'silent.1', requestId: 'silent', scopes: [aScope(10_000n)], atMs: now });
      await ledger.open(opening);
      await ledger.open(silent);
      ledger.checkpoint('late.1', 50n);
      await ledger.flush();
      expect(await store.attempts.sweep(store.instanceId, now)).toBe(2);
      expect((await budget()).spentNano).toBe(450n);
      const row = aUsageRow({ requestId: 'late', costNano: 900n, atMs: now });
      const closing = { attemptId: 'late.1', costNano: 900n, estimated: false, atMs: now + 7, row, verdict: '' };
      await Promise.all([ledger.close(closing), ledger.close(closing)]);
      await ledger.close({ ...closing, costNano: 1n });
      expect(await budget()).toEqual({ spentNano: 1_300n, heldNano: 0n });
      expect(await store.usage.byId('late')).toEqual(row);
      expect(await store.attempts.ofRequest('late')).toMatchObject([
        { verdict: '', costNano: 900n, estimated: false, settledAtMs: now + 7 },
      ]);
      expect(await place.query("SELECT COUNT(*), SUM(cost_nano) FROM usage_rows WHERE request_id = 'late'")).toEqual([
        [1n, expect.anything()],
      ]);
      // Nothing was sent after all: the release takes the sweeper's estimate back.
      await ledger.close({ attemptId: 'silent.1', costNano: 0n, estimated: false, atMs: now, verdict: 'unused' });
      expect(await budget()).toEqual({ spentNano: 900n, heldNano: 0n });
      expect(await store.usage.byId('silent')).toMatchObject({ code: 'swept', costNano: 0n });
      expect(await checkMoney(place)).toEqual({ differing: [], open: 0 });
    });

    test('an estimate of the process that relayed corrects a sweep, and the row of the request replaces the swept one', async () => {
      const scopes = [aScope(10_000n)];
      await ledger.open(anOpening({ attemptId: 'two.1', requestId: 'two', scopes }));
      await store.attempts.sweep(store.instanceId, now);
      await ledger.open(anOpening({ attemptId: 'two.2', requestId: 'two', scopes }));
      await ledger.open(anOpening({ attemptId: 'beside.1', requestId: 'beside' }));
      // Rows of an hour that is summed already would not be written together.
      const atMs = Date.now();
      const row = aUsageRow({ requestId: 'two', attempts: 2, costNano: 830n, estimated: true, atMs });
      const beside = aUsageRow({ requestId: 'beside', attempts: 1, costNano: 5n, atMs });
      await Promise.all([
        ledger.close({ attemptId: 'two.2', costNano: 700n, estimated: true, atMs: now, row }),
        ledger.close({ attemptId: 'beside.1', costNano: 5n, estimated: false, atMs: now, row: beside }),
      ]);
      expect(await store.usage.byId('two')).toEqual(row);
      expect(await store.usage.byId('beside')).toEqual(beside);
      // The closing of the first attempt comes last and has no row: the request's row has its cost already.
      await ledger.close({ attemptId: 'two.1', costNano: 130n, estimated: true, atMs: now, verdict: 'uncertain' });
      expect(await store.usage.byId('two')).toEqual(row);
      expect(await budget()).toEqual({ spentNano: 830n, heldNano: 0n });
      expect(await checkMoney(place)).toEqual({ differing: [], open: 0 });
    });

    test('two lost attempts of one request make one row with both costs', async () => {
      await ledger.open(anOpening({ requestId: 'twice' }));
      await ledger.open(anOpening({ requestId: 'twice' }));
      await store.attempts.sweep(store.instanceId, now);
      expect(await store.usage.byId('twice')).toMatchObject({ costNano: 800n, attempts: 2 });
    });

    test('refused requests are written in batches, also more than one statement holds', async () => {
      for (let index = 0; index < 700; index += 1)
        ledger.record(aUsageRow({ status: 402, code: 'budget_spent', costNano: 0n }));
      await ledger.flush();
      expect(await place.query('SELECT COUNT(*) FROM usage_rows')).toEqual([[700n]]);
    });

    test('a row that the database will never accept does not block others', async () => {
      const faults: string[] = [];
      const strict = openLedger({ store, nowMs: clock, onFault: (what) => faults.push(what) });
      for (let index = 0; index < 20; index += 1) strict.record(aUsageRow({ requestId: `n${index}` }));
      strict.record(aUsageRow({ requestId: 'too-large', costNano: 10n ** 30n }));
      strict.record(aUsageRow({ requestId: 'after' }));
      await strict.flush();
      expect(faults).toEqual(['record']);
      expect(await place.query('SELECT COUNT(*) FROM usage_rows')).toEqual([[21n]]);
      expect(await store.usage.byId('after')).toBeDefined();
    });

    test('stopping writes the waiting rows', async () => {
      const opening = anOpening();
      await ledger.open(opening);
      ledger.checkpoint(opening.attemptId, 77n);
      ledger.record(aUsageRow({ requestId: 'last' }));
      await ledger.stop();
      expect(await place.query('SELECT checkpoint_nano FROM attempts')).toEqual([[77n]]);
      expect(await store.usage.byId('last')).toBeDefined();
    });

    test('a closing that the database cannot take is kept and written later; an opening without an answer is released', async () => {
      let away = false;
      const flaky: Store = {
        ...store,
        attempts: {
          ...store.attempts,
          async open(opening) {
            const verdict = await store.attempts.open(opening);
            if (away) throw new StoreUnavailableError('the answer was lost');
            return verdict;
          },
          close: (closing) =>
            away ? Promise.reject(new StoreUnavailableError('away')) : store.attempts.close(closing),
        },
      };
      const cautious = openLedger({ store: flaky, nowMs: clock });
      const opening = anOpening({ scopes: [aScope(10_000n)] });
      await cautious.open(opening);
      away = true;
      const lost = anOpening({ requestId: 'late', attemptId: 'late.1', scopes: [aScope(10_000n)] });
      expect(await cautious.open(lost).catch((error: unknown) => error)).toBeInstanceOf(StoreUnavailableError);
      // The closing does not wait for a database that is away: it is kept.
      await cautious.close({ attemptId: opening.attemptId, costNano: 50n, estimated: false, atMs: now });
      expect(await cautious.sweepOnce().catch((error: unknown) => error)).toBeInstanceOf(StoreUnavailableError);
      expect((await budget()).spentNano).toBe(0n);
      away = false;
      await cautious.sweepOnce();
      expect(await budget()).toEqual({ spentNano: 50n, heldNano: 0n });
      expect(await store.attempts.ofRequest('late')).toMatchObject([{ verdict: 'unused', costNano: 0n }]);
      expect(await checkMoney(place)).toEqual({ differing: [], open: 0 });
    });

    describe('the trail of a request', () => {
      /** As the relay does: at once where that is durable, else by asking. */
      const open = async (requestId: string, ordinal: number, given: Partial<AttemptOpening> = {}) => {
        const attemptId = `${requestId}.${ordinal}`;
        const opening = anOpening({ attemptId, requestId, keyId: `key-${ordinal}`, atMs: now + ordinal, ...given });
        expect(ledger.openNow(opening) ?? (await ledger.open(opening))).toEqual({ admitted: true });
      };
      const end = async (requestId: string, ordinal: number, given: Partial<AttemptClosing>) => {
        const attemptId = `${requestId}.${ordinal}`;
        const closing = { attemptId, costNano: 0n, estimated: false, atMs: now + 10 * ordinal, ...given };
        if (!ledger.closeNow(closing)) await ledger.close(closing);
      };
      const trailOf = (requestId: string) => store.attempts.ofRequest(requestId);

      test('has every attempt in its order with target, key, verdict, time and cost', async () => {
        await open('three', 1, { provider: 'one', model: 'a' });
        await end('three', 1, { verdict: 'target-down' });
        await open('three', 2, { provider: 'two', model: 'b', scopes: [aScope(10_000n)] });
        await end('three', 2, { verdict: 'key-cooling' });
        await open('three', 3, { provider: 'three', model: 'c', keyId: `a\0${'k'.repeat(300)}` });
        const row = aUsageRow({ requestId: 'three', attempts: 3, costNano: 600n });
        await end('three', 3, { costNano: 600n, verdict: '', row });
        const trail = await trailOf('three');
        expect(trail).toEqual([
          ...(
            [
              ['one', 'a', 'key-1', 'target-down', 0n],
              ['two', 'b', 'key-2', 'key-cooling', 0n],
              ['three', 'c', `a\ufffd${'k'.repeat(254)}`, '', 600n],
            ] as const
          ).map(([provider, model, keyId, verdict, costNano], index) => ({
            attemptId: `three.${index + 1}`,
            tokenId: 'token-1',
            ...{ provider, model, keyId, verdict, costNano, estimated: false },
            ...{ atMs: now + index + 1, settledAtMs: now + 10 * (index + 1) },
          })),
        ]);
        expect(await trailOf('two')).toEqual([]);
        expect(await trailOf('thre')).toEqual([]);
      });

      test('of a sole attempt is there too, whether it served or broke off', async () => {
        for (const [requestId, verdict] of [
          ['served', ''],
          ['broken', 'uncertain'],
          ['left', 'limit'],
        ] as const) {
          const given = { requestId, atMs: now + 1, totalMs: 9, costNano: 600n, estimated: true };
          await open(requestId, 1);
          await end(requestId, 1, { costNano: 600n, estimated: true, verdict, row: aUsageRow(given) });
          const target = { provider: 'up', model: 'model-1', keyId: 'key-1' };
          const expected = { attemptId: `${requestId}.1`, tokenId: 'token-1', ...target, verdict };
          expect(await trailOf(requestId)).toEqual([
            { ...expected, atMs: now + 1, settledAtMs: now + 10, costNano: 600n, estimated: true },
          ]);
          const [shown] = await place.query(
            `SELECT provider, model, key_id, verdict, at_ms, settled_at_ms FROM attempts WHERE id = '${requestId}.1'`,
          );
          expect(shown).toEqual(['up', 'model-1', 'key-1', verdict, BigInt(now + 1), BigInt(now + 10)]);
        }
        // Only what both rows share is read from the request's row.
        const rows = await place.query('SELECT id FROM attempt_rows ORDER BY id');
        const kept = [['broken.1'], ['left.1']];
        expect(rows).toEqual(engine.name === 'sqlite' ? kept : [...kept, ['served.1']]);
      });

      test('shows open and lost attempts, and a later report of the process itself counts once', async () => {
        await open('cut', 1);
        expect(await trailOf('cut')).toMatchObject([
          { keyId: 'key-1', verdict: undefined, settledAtMs: undefined, costNano: undefined },
        ]);
        await store.attempts.sweep(store.instanceId, now + 70);
        expect(await trailOf('cut')).toMatchObject([
          { verdict: 'lost', settledAtMs: now + 70, costNano: 400n, estimated: true },
        ]);
        expect(await store.usage.byId('cut')).toMatchObject({ code: 'swept' });
        await end('cut', 1, { verdict: 'uncertain' });
        await ledger.close({ attemptId: 'cut.1', costNano: 8n, estimated: false, atMs: now });
        expect(await trailOf('cut')).toMatchObject([{ verdict: 'uncertain', costNano: 0n, estimated: false }]);
      });

      test('is complete and in order for any number of attempts', async () => {
        for (let ordinal = 70; ordinal > 0; ordinal -= 1) {
          await open('many', ordinal);
          await end('many', ordinal, { verdict: ordinal % 2 === 0 ? 'target-down' : '' });
        }
        const trail = await trailOf('many');
        expect(trail.map(({ attemptId }) => attemptId)).toEqual(Array.from({ length: 70 }, (_, i) => `many.${i + 1}`));
        expect(trail.map(({ verdict }) => verdict).slice(0, 3)).toEqual(['', 'target-down', '']);
      });

      test('is found by index, however large the tables are', async () => {
        const numbers = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)';
        await place.query(
          `INSERT INTO attempt_rows (id, request_id, token_id, scopes, reserve_nano, estimate_nano, state, instance_id, provider, model, at_ms)
           ${numbers} SELECT 'r' || i || '.2', 'r' || i, 't', '', 0, 0, 'settled', '', 'up', 'm', 1 FROM n`,
        );
        await place.query(
          `INSERT INTO usage_rows (request_id, at_ms, token_id, endpoint, model, provider, upstream_model, stream, attempts, status, code,
             cost_nano, estimated, price_version, total_ms, bytes_in, bytes_out, tells_attempt)
           ${numbers} SELECT 'r' || i, 1, 't', 'chat', 'fast', 'up', 'm', 0, 1, 200, '', 0, 0, '', 1, 1, 1, 1 FROM n`,
        );
        await place.query('ANALYZE');
        const explain = engine.name === 'sqlite' ? 'EXPLAIN QUERY PLAN' : 'EXPLAIN';
        const asked = "SELECT * FROM attempts WHERE request_id = 'r7' AND id IN ('r7.1', 'r7.2')";
        const plan = (await place.query(`${explain} ${asked}`)).flat().join('\n');
        expect(plan).toContain('usage_rows');
        expect(plan).not.toMatch(/SCAN (attempt|usage)_rows|Seq Scan/);
        expect((await trailOf('r7')).map(({ attemptId }) => attemptId)).toEqual(['r7.1', 'r7.2']);
      });
    });
  });
}

needing('postgres').describe('several replicas on postgres', () => {
  const postgres = engines[1];
  let place: StorePlace;
  let now = 0;
  const clock = () => now;

  beforeEach(async () => {
    now = 5_000_000;
    place = await postgres.place();
  });
  afterEach(() => place.dispose());

  const replica = async () => {
    const store = await place.open(clock);
    return { store, ledger: openLedger({ store, nowMs: clock, leaseMs: 15_000 }) };
  };
  const beat = (...living: { ledger: RunningLedger }[]) => Promise.all(living.map(({ ledger }) => ledger.heartbeat()));

  test('share one budget exactly', async () => {
    const replicas = await Promise.all([replica(), replica(), replica(), replica()]);
    const verdicts = await Promise.all(
      Array.from({ length: sized(150, 500) }, (_, index) =>
        replicas[index % 4]?.ledger.open(anOpening({ scopes: [aScope(37_000n), aScope(90_000n, 'team:a')] })),
      ),
    );
    expect(verdicts.filter((verdict) => verdict?.admitted)).toHaveLength(37);
    expect(await checkMoney(place)).toEqual({ differing: [], open: 37 });
  });

  test('a dead one is swept once, after its lease and not before, by the first replica that looks', async () => {
    const [dead, one, two] = await Promise.all([replica(), replica(), replica()]);
    await beat(dead, one, two);
    await dead.ledger.open(anOpening({ scopes: [aScope(10_000n)] }));
    await one.ledger.open(anOpening({ scopes: [aScope(10_000n)] }));
    expect(await Promise.all([one.ledger.sweepOnce(), two.ledger.sweepOnce()])).toEqual([0, 0]);
    for (const stepMs of [5_000, 5_000, 4_999]) {
      now += stepMs;
      await beat(one, two);
    }
    expect(await Promise.all([one.ledger.sweepOnce(), two.ledger.sweepOnce()])).toEqual([0, 0]);
    now += 1;
    await beat(one, two);
    const swept = await Promise.all([one.ledger.sweepOnce(), two.ledger.sweepOnce()]);
    expect(swept[0] + swept[1]).toBe(1);
    expect(await one.store.budgets.read(scope, 0)).toEqual({ spentNano: 400n, heldNano: 1_000n });
    expect((await one.store.instances.others()).map((instance) => instance.id)).toEqual([two.store.instanceId]);
    expect(await checkMoney(place)).toEqual({ differing: [], open: 1 });
  });
});

/**
 * A database that fails over to a standby that lagged, as the ledger meets it: rows that were written are gone, and what the
 * process still has in its hands is written again, once.
 */

import { expect } from 'bun:test';
import type { AttemptClosing, AttemptOpening } from '../../src/ledger/ledger.ts';
import { openLedger, type RunningLedger } from '../../src/ledger/open-ledger.ts';
import { ClosingSpillFile } from '../../src/store/journal/closing-spill.ts';
import { StoreUnavailableError } from '../../src/store/sql/store-errors.ts';
import type { Store } from '../../src/store/store.ts';
import { needing } from '../harness/needs.ts';
import { sized } from '../harness/size.ts';
import { anOpening, aScope, aUsageRow, checkMoney, engines, type StorePlace } from '../harness/store-places.ts';

const never = 2_000_000_000;
const minuteMs = 60_000;

/** What a standby that took over lacks: all rows of these tables that came after its last. */
const tables = ['attempt_rows', 'usage_rows', 'budgets'] as const;

async function standbyOf(place: StorePlace): Promise<() => Promise<void>> {
  const kept = await Promise.all(
    tables.map(async (table) => {
      const [[rows] = []] = await place.query(`SELECT COALESCE(json_agg(t), '[]') FROM ${table} t`);
      return [table, typeof rows === 'string' ? rows : JSON.stringify(rows)] as const;
    }),
  );
  return async () => {
    for (const [table, rows] of kept) {
      await place.query(`DELETE FROM ${table}`);
      const quoted = rows.replaceAll("'", "''");
      await place.query(`INSERT INTO ${table} SELECT * FROM json_populate_recordset(NULL::${table}, '${quoted}')`);
    }
  };
}

interface Attempted {
  readonly opening: AttemptOpening;
  readonly closing: AttemptClosing;
}

let serial = 0;

/** Of each kind that the tables record in another way. */
const kinds: Readonly<Record<string, (requestId: string, atMs: number) => Attempted>> = {
  'one that served, of a budget in each unit': (requestId, atMs) => ({
    opening: anOpening({
      ...{ requestId, attemptId: `${requestId}.1`, atMs, reserveTokens: 90 },
      scopes: [
        aScope(1_000_000n),
        { ...aScope(1_000_000n, 'token:requests'), unit: 'requests' },
        { ...aScope(1_000_000n, 'token:tokens'), unit: 'tokens' },
      ],
    }),
    closing: {
      ...{ attemptId: `${requestId}.1`, costNano: 600n, tokens: 70, estimated: false, atMs, verdict: '' },
      row: aUsageRow({ requestId, costNano: 600n, attempts: 1, atMs }),
    },
  }),
  'one that served without a budget': (requestId, atMs) => ({
    opening: anOpening({ requestId, attemptId: `${requestId}.1`, atMs }),
    closing: {
      ...{ attemptId: `${requestId}.1`, costNano: 600n, estimated: false, atMs, verdict: '' },
      row: aUsageRow({ requestId, costNano: 600n, attempts: 1, atMs }),
    },
  }),
  'the second of its request': (requestId, atMs) => ({
    opening: anOpening({ requestId, attemptId: `${requestId}.2`, atMs, scopes: [aScope(1_000_000n)] }),
    closing: {
      ...{ attemptId: `${requestId}.2`, costNano: 300n, estimated: true, atMs, verdict: '' },
      row: aUsageRow({ requestId, costNano: 300n, attempts: 2, estimated: true, atMs }),
    },
  }),
  'one that failed and cost': (requestId, atMs) => ({
    opening: anOpening({ requestId, attemptId: `${requestId}.1`, atMs, scopes: [aScope(1_000_000n)] }),
    closing: { attemptId: `${requestId}.1`, costNano: 40n, estimated: true, atMs, verdict: 'broken' },
  }),
  'one whose budget is spent meanwhile': (requestId, atMs) => ({
    opening: anOpening({ requestId, attemptId: `${requestId}.1`, atMs, scopes: [aScope(1_000n, 'token:small')] }),
    closing: {
      ...{ attemptId: `${requestId}.1`, costNano: 1_500n, estimated: false, atMs, verdict: '' },
      row: aUsageRow({ requestId, costNano: 1_500n, attempts: 1, atMs }),
    },
  }),
};

async function expectWhole(place: StorePlace, { closing, opening }: Attempted, recovered: boolean): Promise<void> {
  expect(await place.query(`SELECT id, cost_nano FROM attempts WHERE state = 'settled'`)).toEqual([
    [opening.attemptId, closing.costNano],
  ]);
  const rows = await place.query('SELECT request_id, cost_nano, code FROM usage_rows');
  // A request without a row of its own may have that of a sweep.
  const own = rows.filter(([, , code]) => code === '');
  expect(own).toEqual(closing.row === undefined ? [] : [[opening.requestId, closing.row.costNano, '']]);
  for (const { scope, unit } of opening.scopes) {
    const spent = unit === 'usd' ? closing.costNano : unit === 'requests' ? 1n : BigInt(closing.tokens ?? 0);
    expect(await place.query(`SELECT spent_nano, held_nano FROM budgets WHERE scope = '${scope}'`)).toEqual([
      [spent, 0n],
    ]);
  }
  expect(await checkMoney(place)).toEqual({ differing: [], open: 0 });
  const marks = await place.query('SELECT COUNT(*) FROM attempt_rows WHERE recovered = 1');
  expect(marks).toEqual([[recovered ? 1n : 0n]]);
}

for (const engine of engines) {
  const { afterEach, beforeEach, describe, test } = needing(engine.name);
  describe(`a closing that ended no attempt, on ${engine.name}`, () => {
    let place: StorePlace;
    let store: Store;
    beforeEach(async () => {
      place = await engine.place();
      store = await place.open();
    });
    afterEach(() => place.dispose());

    for (const [kind, make] of Object.entries(kinds)) {
      test(`${kind}: written with its opening once, however often and wherever it is repeated`, async () => {
        serial += 1;
        const attempted = make(`request-${serial}`, Date.now());
        const { opening, closing } = attempted;
        expect(await store.attempts.recover(closing, undefined)).toBe('unknown');
        const verdicts = await Promise.all([1, 2, 3].map(() => store.attempts.recover(closing, opening)));
        expect(verdicts.sort()).toEqual(['recovered', 'repeated', 'repeated']);
        await expectWhole(place, attempted, true);
        expect(await store.attempts.close(closing)).toBe(false);
        expect(await store.attempts.recover(closing, undefined)).toBe('repeated');
        await store.attempts.sweep(store.instanceId, Date.now());
        await expectWhole(place, attempted, true);
        expect(await store.attempts.ofRequest(opening.requestId)).toMatchObject([{ recovered: true }]);
      });

      test(`${kind}: repeated where it was written before, also after a sweep`, async () => {
        serial += 1;
        const attempted = make(`request-${serial}`, Date.now());
        const { opening, closing } = attempted;
        await store.attempts.open(opening);
        await store.attempts.sweep(store.instanceId, Date.now());
        expect(await store.attempts.close(closing)).toBe(true);
        expect(await store.attempts.recover(closing, opening)).toBe('repeated');
        await expectWhole(place, attempted, false);
      });

      test(`${kind}: ended where its opening is there after all, and repeated from then on`, async () => {
        serial += 1;
        const attempted = make(`request-${serial}`, Date.now());
        const { opening, closing } = attempted;
        await store.attempts.open(opening);
        expect(await store.attempts.recover(closing, opening)).toBe('ended');
        expect(await store.attempts.recover(closing, opening)).toBe('repeated');
        await expectWhole(place, attempted, false);
      });
    }

    test('one whose rows may have been removed since is not written', async () => {
      const { opening, closing } = (kinds['one that served without a budget'] as (typeof kinds)[string])('old', 1_000);
      await place.query('UPDATE usage_rollup SET retained_from_ms = 2000');
      expect(await store.attempts.recover(closing, opening)).toBe('unknown');
      expect(await place.query('SELECT COUNT(*) FROM usage_rows')).toEqual([[0n]]);
    });
  });
}

const { afterEach, beforeEach, describe, test } = needing('postgres');

describe('a failover to a standby that lagged', () => {
  let place: StorePlace;
  let now = 0;
  let away = false;
  let ledgers: RunningLedger[] = [];
  let conditions: (string | undefined)[] = [];
  let logged: string[] = [];
  beforeEach(async () => {
    place = await engines[1].place();
    now = Date.now();
    away = false;
    conditions = [];
    logged = [];
    ledgers = [];
  });
  afterEach(async () => {
    away = false;
    for (const ledger of ledgers) await ledger.stop();
    await place.dispose();
  });

  /** A process whose database can be away. */
  async function start(): Promise<{ readonly ledger: RunningLedger; readonly store: Store }> {
    const store = await place.open(() => now);
    const unlessAway = <Values extends unknown[], Result>(work: (...values: Values) => Promise<Result>) => {
      return (...values: Values) => (away ? Promise.reject(new StoreUnavailableError('away')) : work(...values));
    };
    const { close, recover, sweep } = store.attempts;
    const attempts = {
      ...store.attempts,
      close: unlessAway(close),
      recover: unlessAway(recover),
      sweep: unlessAway(sweep),
    };
    const ledger = openLedger({
      ...{ store: { ...store, attempts }, nowMs: () => now, heartbeatMs: never, sweepMs: never, checkpointMs: never },
      spill: new ClosingSpillFile({ folder: place.folder, instanceId: store.instanceId }),
      condition: (text) => conditions.push(text),
      tell: (_, message) => logged.push(message),
    });
    await ledger.start();
    ledgers.push(ledger);
    return { ledger, store };
  }

  const given = (kind: string): Attempted => {
    serial += 1;
    const make = kinds[kind];
    if (make === undefined) throw new Error(kind);
    return make(`request-${serial}`, now);
  };

  for (const kind of Object.keys(kinds)) {
    test(`${kind}: its opening is lost, its closing comes afterwards`, async () => {
      const { ledger } = await start();
      const attempted = given(kind);
      const failOver = await standbyOf(place);
      await ledger.open(attempted.opening);
      await failOver();
      await ledger.close(attempted.closing);
      await expectWhole(place, attempted, true);
      for (let round = 0; round < 3; round += 1) {
        await ledger.close(attempted.closing);
        now += 2 * minuteMs;
        await ledger.heartbeat();
        expect(await ledger.sweepOnce()).toBe(0);
      }
      await expectWhole(place, attempted, true);
      expect(ledger.figures).toEqual({ recovered: 1, ended: 0, lost: { unknown: 0, refused: 0, 'no-room': 0 } });
      expect(conditions).toEqual([]);
    });

    test(`${kind}: its opening is lost, its closing came during the outage`, async () => {
      const { ledger } = await start();
      const attempted = given(kind);
      const failOver = await standbyOf(place);
      await ledger.open(attempted.opening);
      away = true;
      await ledger.close(attempted.closing);
      await failOver();
      away = false;
      await ledger.sweepOnce();
      await expectWhole(place, attempted, true);
    });

    test(`${kind}: its opening is lost, its process was killed and another one finds its file, as often as it likes`, async () => {
      const { ledger } = await start();
      const attempted = given(kind);
      const failOver = await standbyOf(place);
      await ledger.open(attempted.opening);
      away = true;
      await ledger.close(attempted.closing);
      await failOver();
      away = false;
      // The first still lives, so that its file stays.
      await start();
      await start();
      await expectWhole(place, attempted, true);
      await ledger.sweepOnce();
      await expectWhole(place, attempted, true);
    });

    test(`${kind}: its end is lost, and its own process ends it`, async () => {
      const { ledger, store } = await start();
      const attempted = given(kind);
      await ledger.open(attempted.opening);
      const running = anOpening({ attemptId: 'running.1', requestId: 'running', scopes: [aScope(1_000_000n)] });
      await ledger.open(running);
      const failOver = await standbyOf(place);
      await ledger.close(attempted.closing);
      await failOver();
      expect(await ledger.sweepOnce()).toBe(0);
      now += minuteMs;
      expect(await ledger.sweepOnce()).toBe(1);
      expect(ledger.figures.ended).toBe(1);
      expect(logged).toHaveLength(1);
      expect(await place.query("SELECT id FROM attempt_rows WHERE state = 'dispatched'")).toEqual([['running.1']]);
      expect(await store.attempts.ofRequest(attempted.opening.requestId)).toMatchObject([
        { verdict: 'lost', estimated: true, costNano: 400n },
      ]);
      // Its closing comes again after all: what is known corrects the estimate.
      await ledger.close(attempted.closing);
      await ledger.close({ attemptId: 'running.1', costNano: 0n, estimated: false, atMs: now, verdict: 'unused' });
      expect(await place.query(`SELECT cost_nano FROM attempts WHERE request_id <> 'running'`)).toEqual([
        [attempted.closing.costNano],
      ]);
      expect(await checkMoney(place)).toEqual({ differing: [], open: 0 });
    });
  }

  test('after an outage the comparison does not wait', async () => {
    const { ledger } = await start();
    const { opening, closing } = given('one that served without a budget');
    await ledger.open(opening);
    const failOver = await standbyOf(place);
    await ledger.close(closing);
    away = true;
    const other = given('one that failed and cost');
    await ledger.open(other.opening);
    await ledger.close(other.closing);
    await failOver();
    away = false;
    expect(await ledger.sweepOnce()).toBe(1);
    expect(ledger.figures).toMatchObject({ ended: 1, recovered: 1 });
    expect(await checkMoney(place)).toEqual({ differing: [], open: 0 });
  });

  test('what has no home is counted and shown, until an hour after the last of it', async () => {
    const { ledger } = await start();
    // As a file of an earlier release, or of a machine that was away for long.
    const { closing } = given('one that served without a budget');
    await ledger.close(closing);
    await ledger.close({ attemptId: 'nobody.1', costNano: 0n, estimated: false, atMs: now, verdict: 'unused' });
    await ledger.sweepOnce();
    expect(ledger.figures.lost).toEqual({ unknown: 1, refused: 0, 'no-room': 0 });
    expect(conditions).toEqual([expect.stringMatching(/^1 settlement could not be written/)]);
    expect(logged).toEqual([expect.stringMatching(/^1 settlement could not be written, and is given up/)]);
    now += 61 * minuteMs;
    await ledger.heartbeat();
    await ledger.sweepOnce();
    expect(conditions.at(-1)).toBeUndefined();
    const shown = conditions.length;
    await ledger.sweepOnce();
    expect(conditions).toHaveLength(shown);
  });

  test(`${sized(150, 1_500)} random openings, closings and failovers: budgets are what rows say, and nothing in hand is lost`, async () => {
    const { ledger } = await start();
    let state = 20_261_119;
    const below = (most: number): number => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
      return (state >>> 8) % most;
    };
    const running: Attempted[] = [];
    /** What ended since the standby was last level with its primary. */
    let uncertain: Attempted[] = [];
    const certain: Attempted[] = [];
    let failOver = await standbyOf(place);
    const names = Object.keys(kinds).filter((name) => !name.includes('spent meanwhile'));
    for (let step = 0; step < sized(150, 1_500); step += 1) {
      const chance = below(100);
      if (chance < 45) {
        const made = given(names[below(names.length)] ?? '');
        expect((await ledger.open(made.opening)).admitted).toBe(true);
        running.push(made);
      } else if (chance < 88) {
        const [ended] = running.splice(below(Math.max(1, running.length)), 1);
        if (ended === undefined) continue;
        if (below(4) === 0) away = true;
        await ledger.close(ended.closing);
        if (!away) uncertain.push(ended);
        else certain.push(ended);
        if (away && below(2) === 0) await failOver();
        away = false;
        await ledger.sweepOnce();
        if (below(5) === 0) await ledger.close(ended.closing);
      } else if (chance < 93) {
        failOver = await standbyOf(place);
        certain.push(...uncertain);
        uncertain = [];
      } else if (chance < 96) {
        await failOver();
        now += minuteMs;
        await ledger.heartbeat();
        await ledger.sweepOnce();
        // A second failover would lose what was written again, too.
        failOver = await standbyOf(place);
        uncertain = [];
      }
    }
    for (const { closing } of running) await ledger.close(closing);
    now += minuteMs;
    await ledger.heartbeat();
    await ledger.sweepOnce();
    expect(await checkMoney(place)).toEqual({ differing: [], open: 0 });
    expect(ledger.figures.lost).toEqual({ unknown: 0, refused: 0, 'no-room': 0 });
    const charged = new Map((await place.query('SELECT id, cost_nano FROM attempts')).map(([id, cost]) => [id, cost]));
    for (const { closing } of running) expect(charged.get(closing.attemptId)).toBe(closing.costNano);
    expect(ledger.figures.recovered).toBeGreaterThan(0);
    expect(ledger.figures.ended).toBeGreaterThan(0);
  });
});

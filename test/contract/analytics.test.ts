/** The store's sums of usage equal its rows, on both engines: compared with sums by hand over random rows. */

import { expect, setDefaultTimeout } from 'bun:test';
import type { UsageRow } from '../../src/ledger/ledger.ts';
import type { RollupStore } from '../../src/ledger/ledger-store.ts';
import { createRollups } from '../../src/ledger/rollups.ts';
import type { AnalyticsFilter, Bucket, Range } from '../../src/store/analytics/analytics-store.ts';
import { percentile } from '../../src/store/analytics/analytics-store.ts';
import { cellTable } from '../../src/store/analytics/summing/period-cells.ts';
import { PeriodReader } from '../../src/store/analytics/summing/period-reader.ts';
import { rollupStore } from '../../src/store/analytics/summing/rollup-methods.ts';
import { createSliceSize } from '../../src/store/analytics/summing/slice-size.ts';
import { resumPeriod, sealPeriod, stagePeriod } from '../../src/store/analytics/summing/write-cells.ts';
import type { GroupColumn } from '../../src/store/analytics/usage-groups.ts';
import { openSqliteDriver } from '../../src/store/engines/sqlite-driver.ts';
import type { Driver } from '../../src/store/sql/driver.ts';
import type { Store } from '../../src/store/store.ts';
import { needing } from '../harness/needs.ts';
import { sampled, sized } from '../harness/size.ts';
import { anOpening, aUsageRow, engines, openDriver, type StorePlace } from '../harness/store-places.ts';
import { aBeginning, aClosing, aGuess, anEnd } from '../harness/task-records.ts';
import {
  bucketsByHand,
  groupsByHand,
  matches,
  randomRows,
  requestsIn,
  seeded,
  sumByHand,
} from '../harness/usage-by-hand.ts';

// Databases are made and summed in the hooks, on machines that have other things to do.
setDefaultTimeout(300_000);

const hour = 3_600_000;
const day = 24 * hour;
const week = 7 * day;
/** A Thursday, 13:37:21 UTC. */
const end = Date.UTC(2026, 8, 17, 13, 37, 21);
/** A Saturday: three days later it is another week. */
const start = end - sized(19, 40) * day;

/** The engine below the stores of a place. */
const driverOf = ({ databaseUrl, folder }: StorePlace): Promise<Driver> =>
  databaseUrl === undefined
    ? openSqliteDriver({ folder, synchronous: 'normal', nowMs: Date.now })
    : openDriver(databaseUrl, 4);

/** An hour that was read and is not written. */
async function readNow(driver: Driver, startMs: number) {
  const reader = new PeriodReader(driver, hour, startMs, createSliceSize());
  for (;;) {
    const period = await reader.next();
    if (period !== undefined) return stagePeriod(driver, period, 1);
  }
}

async function sumAll(store: Store, nowMs: number): Promise<number> {
  let steps = 0;
  while (await store.analytics.rollup.step(nowMs)) steps += 1;
  return steps;
}

const filters: readonly AnalyticsFilter[] = [
  {},
  { models: ['model-1'] },
  { models: ['model-0', 'model-2', 'model-4'] },
  { providers: ['up-0'], stream: true },
  { tokenIds: ['token-3'] },
  { tokenIds: ['token-1', 'token-4'], models: ['model-2'] },
  { endpoints: ['embed'], estimated: true },
  { codes: ['rate_limited', ''] },
  { statusClasses: [4, 5] },
  { statusClasses: [0] },
  { tokenIds: [] },
  { models: ['no such model'] },
  { costNanoMin: 900_000_000n },
  { totalMsMin: 20_000, providers: ['up-1'] },
  { attemptsMin: 2 },
  { attemptsMin: 3, models: ['model-1'] },
  { requestIdPrefix: 'r1' },
  { endUsers: ['user-2'] },
  { endUsers: ['user-0', 'user-5'], tokenIds: ['token-1', 'token-2'], codes: [''] },
  { keys: ['up-1/key-0'] },
  { keys: ['up-0/key-1', 'up-2/key-0'], models: ['model-1', 'model-3'] },
];

const ranges: readonly (readonly [Range, Bucket])[] = [
  [{ fromMs: end - hour, toMs: end }, 'minute'],
  [{ fromMs: end - day, toMs: end }, 'hour'],
  [{ fromMs: start + 5 * day + 1, toMs: start + 7 * day - 1 }, 'hour'],
  [{ fromMs: end - 30 * day, toMs: end }, 'day'],
  [{ fromMs: start - 9 * day, toMs: end + day }, 'week'],
  // Within one hour, across one edge of an hour, from edge to edge of a day, and backwards.
  [{ fromMs: start + day + 60_000, toMs: start + day + 120_000 }, 'day'],
  [{ fromMs: Math.ceil(start / hour) * hour - 1, toMs: Math.ceil(start / hour) * hour + 1 }, 'hour'],
  [{ fromMs: Math.ceil(start / day) * day, toMs: Math.ceil(start / day) * day + 3 * day }, 'day'],
  [{ fromMs: end, toMs: end - day }, 'day'],
];

/** Every so many-th range, another part of them for each filter and question, so that all of both occur. */
const rangesStep = sized(3, 1);
const rangesOf = (filterIndex: number, question: number) =>
  ranges.filter((_, index) => (index + filterIndex + question) % rangesStep === 0);

for (const engine of engines) {
  const { afterAll, afterEach, beforeAll, beforeEach, describe, test } = needing(engine.name);
  describe(`analytics on ${engine.name}`, () => {
    describe('equal sums by hand', () => {
      const rows = randomRows(seeded(7), sized(500, 3_000), start, end);
      let place: StorePlace;
      let store: Store;

      beforeAll(async () => {
        place = await engine.place();
        store = await place.open();
        await store.usage.insertMany(rows);
        // The last hours stay rows, the last day stays hours.
        await sumAll(store, end - 3 * hour);
      });
      afterAll(() => place.dispose());

      test('the middle is summed and the newest part is not', async () => {
        const state = await store.analytics.state();
        expect(state.hourUntilMs).toBe(Math.floor((end - 3 * hour - 20 * 60_000) / hour) * hour);
        expect(state.dayUntilMs).toBe(Math.floor(state.hourUntilMs / day) * day);
        expect(new Date(state.weekUntilMs).toUTCString()).toBe('Mon, 14 Sep 2026 00:00:00 GMT');
        const left = `SELECT COUNT(*) FROM usage_marks WHERE start_ms < ${state.hourUntilMs}`;
        expect(await place.query(left)).toEqual([[0n]]);
      });

      for (const [index, filter] of filters.entries()) {
        test(`series, totals and counts, filter ${index}`, async () => {
          for (const [range, bucket] of rangesOf(index, 0)) {
            const inRange = rows.filter((row) => matches(row, filter, range));
            expect(await store.analytics.series(range, bucket, filter)).toEqual(bucketsByHand(inRange, bucket));
            const total = await store.analytics.total(range, filter);
            expect(total).toEqual(sumByHand(range.fromMs, inRange));
            const count = await store.analytics.count(range, filter);
            if (count.exact) expect(count.requests).toBe(requestsIn(inRange));
            else expect(count.requests).toBeGreaterThanOrEqual(requestsIn(inRange));
          }
        });

        test(`groups, filter ${index}`, async () => {
          const columns: GroupColumn[] = ['model', 'provider', 'endpoint', 'code', 'status_class'];
          const alone: GroupColumn[] = ['token_id', 'end_user', 'key'];
          for (const [nth, [range]] of rangesOf(index, 1).entries()) {
            const inRange = rows.filter((row) => matches(row, filter, range));
            // Each filter is asked for in every order, and so is each range.
            for (const order of sampled(
              ['cost', 'requests', 'tokens'] as const,
              Math.floor(index / rangesStep) + nth,
            )) {
              const groupings = columns.map((by) => ({ by, order }));
              const expected = columns.map((by) => groupsByHand(inRange, by, order).slice(0, 4));
              expect(await store.analytics.groups(groupings, range, filter, 4)).toEqual(expected);
              for (const by of alone) {
                const found = await store.analytics.groups([{ by, order }], range, filter, 4);
                expect([by, found]).toEqual([by, [groupsByHand(inRange, by, order).slice(0, 4)]]);
              }
            }
          }
        });

        test(`the greatest, filter ${index}`, async () => {
          for (const [nth, [range]] of rangesOf(index, 2).entries()) {
            const inRange = rows.filter((row) => matches(row, filter, range));
            for (const [by, rankOf] of [
              ['cost', ({ costNano }: UsageRow) => Number(costNano)],
              ['total', ({ totalMs }: UsageRow) => totalMs],
            ] as const) {
              const expected = inRange.map(rankOf).sort((one, other) => other - one);
              for (const limit of sampled([1, 20, 1_000], Math.floor(index / rangesStep) + nth)) {
                const found = await store.analytics.top(range, filter, by, limit);
                expect(found.map(rankOf)).toEqual(expected.slice(0, limit));
                expect(new Set(found.map(({ requestId }) => requestId)).size).toBe(found.length);
                expect(found.filter((row) => !matches(row, filter, range))).toEqual([]);
              }
            }
          }
        });

        test(`pages in both directions and the export, filter ${index}`, async () => {
          const range = { fromMs: start + 3 * day, toMs: end - hour };
          const expected = rows
            .filter((row) => matches(row, filter, range))
            .sort((a, b) => b.atMs - a.atMs || (a.requestId < b.requestId ? 1 : -1));
          const ids = expected.map((row) => row.requestId);
          const older: string[] = [];
          let page = await store.analytics.page({ filter, range, limit: 37 });
          for (;;) {
            older.push(...page.items.map((row) => row.requestId));
            if (page.older === undefined) break;
            page = await store.analytics.page({ filter, range, limit: 37, cursor: page.older });
          }
          expect(older).toEqual(ids);
          const newer: string[] = [];
          const oldest = { atMs: range.fromMs, id: '' };
          page = await store.analytics.page({ filter, range, limit: 37, direction: 'newer', cursor: oldest });
          while (page.items.length > 0 || !page.isComplete) {
            newer.unshift(...page.items.map((row) => row.requestId));
            page = await store.analytics.page({ filter, range, limit: 37, direction: 'newer', cursor: page.newer });
          }
          expect(newer).toEqual(ids);
          const exported: UsageRow[] = [];
          for await (const some of store.analytics.pages(filter, range)) exported.push(...some);
          expect(exported).toEqual(expected);
        });
      }

      test('percentiles lie within the width of a bin of the exact ones', async () => {
        const range = { fromMs: start, toMs: end };
        const { totals } = await store.analytics.total(range, {});
        const called = rows.filter(({ attempts }) => attempts > 0);
        const sorted = called.map((row) => row.totalMs).sort((a, b) => a - b);
        for (const share of [0.5, 0.95]) {
          const exact = sorted[Math.ceil(share * sorted.length) - 1] ?? 0;
          expect(Math.abs((percentile(totals, share) ?? 0) - exact) / exact).toBeLessThan(0.033);
        }
      });
    });

    describe('keeps up', () => {
      let place: StorePlace;
      let store: Store;
      const whole = { fromMs: start - week, toMs: end + week };

      beforeEach(async () => {
        place = await engine.place();
        store = await place.open();
      });
      afterEach(() => place.dispose());

      const figures = async () => {
        const { requests, failures, costNano } = await store.analytics.total(whole, {});
        return [requests, failures, costNano];
      };
      const bySums = async () => {
        const rows = await place.query(
          "SELECT grain_ms, CAST(SUM(requests) AS BIGINT), CAST(SUM(cost_nano) AS BIGINT) FROM usage_cells WHERE view = 'all' AND grain_ms > 0 GROUP BY grain_ms ORDER BY grain_ms",
        );
        expect(rows).toHaveLength(3);
        const [first] = rows.map(([, requests, cost]) => [requests, cost]);
        for (const [, requests, cost] of rows) expect([requests, cost]).toEqual(first ?? []);
        return first;
      };

      test('with a row that comes days late, in an hour that was empty, and in one that was not', async () => {
        await store.usage.insertMany([aUsageRow({ atMs: start, costNano: 5n })]);
        await sumAll(store, end);
        expect(await bySums()).toEqual([1n, 5n]);
        await store.usage.insertMany([
          aUsageRow({ atMs: start + 60_000, costNano: 7n, status: 502 }),
          aUsageRow({ atMs: start + 3 * day, costNano: 11n }),
        ]);
        // Two hours, their two days, their two weeks.
        expect(await sumAll(store, end)).toBe(6);
        expect(await bySums()).toEqual([3n, 23n]);
        expect(await figures()).toEqual([3, 1, 23n]);
        expect(await sumAll(store, end)).toBe(0);
      });

      test('with a late row that is queried before it was summed', async () => {
        await store.usage.insertMany([aUsageRow({ atMs: start })]);
        await sumAll(store, end);
        await store.usage.insertMany([aUsageRow({ requestId: 'late', atMs: start + 2 * day, model: 'rare' })]);
        const found = await store.analytics.page({ filter: { models: ['rare'] }, range: whole, limit: 5 });
        expect(found.items.map((row) => row.requestId)).toEqual(['late']);
      });

      test('with attempts that are swept, two of them of one request', async () => {
        const opening = { requestId: 'lost', scopes: [], estimateNano: 40n };
        await store.attempts.open(anOpening({ ...opening, attemptId: 'lost.1', atMs: start }));
        await store.attempts.open(anOpening({ ...opening, attemptId: 'lost.2', atMs: start + 2 * hour }));
        await store.usage.insertMany([aUsageRow({ atMs: end - 12 * day, costNano: 1n })]);
        await sumAll(store, end);
        expect(await figures()).toEqual([1, 0, 1n]);
        expect(await store.attempts.sweep(store.instanceId, end)).toBe(2);
        await sumAll(store, end);
        expect(await bySums()).toEqual([2n, 81n]);
      });

      test('with a request that ended long after its hour was summed, through the journal where there is one', async () => {
        await store.instances.register();
        await store.usage.insertMany([aUsageRow({ atMs: start, costNano: 1n })]);
        await sumAll(store, end);
        const opening = anOpening({ requestId: 'long', attemptId: 'long.1', atMs: start });
        if (store.attempts.openNow(opening) === undefined) await store.attempts.open(opening);
        const row = aUsageRow({ requestId: 'long', atMs: start, costNano: 20n });
        const closing = { attemptId: 'long.1', costNano: 20n, estimated: false, atMs: end, row };
        if (!store.attempts.closeNow(closing)) await store.attempts.close(closing);
        expect((await store.usage.byId('long'))?.costNano).toBe(20n);
        await sumAll(store, end);
        expect(await bySums()).toEqual([2n, 21n]);
      });

      test('without a mark for a request that is in time', async () => {
        await store.usage.insertMany([aUsageRow({ atMs: Date.now() - 60_000 })]);
        expect(await place.query('SELECT COUNT(*) FROM usage_marks')).toEqual([[0n]]);
        await store.usage.insertMany([aUsageRow({ atMs: Date.now() - 16 * 60_000 })]);
        expect(await place.query('SELECT COUNT(*) FROM usage_marks')).toEqual([[1n]]);
      });

      for (const [what, given] of [
        ['with a row in the place of another', {}],
        ['without a row', { row: undefined }],
      ] as const) {
        test(`with a task that is corrected ${what}`, async () => {
          const { task, opening } = aBeginning({ createdAtMs: start });
          await store.tasks.create(opening, task, 10);
          const closing = (cost: bigint, estimated: boolean) => {
            const made = aClosing({ task }, cost, { estimated });
            return { ...made, row: made.row && { ...made.row, atMs: start } };
          };
          await store.tasks.end(task.id, 1, aGuess(), closing(400n, true), undefined);
          await sumAll(store, end);
          expect(await bySums()).toEqual([1n, 400n]);
          await store.tasks.correct(task.id, 2, anEnd(), { ...closing(150n, false), ...given }, undefined);
          await sumAll(store, end);
          expect(await bySums()).toEqual([1n, 150n]);
          const estimated = await store.analytics.count(whole, { estimated: true });
          expect(estimated).toEqual({ requests: 0, exact: true });
        });
      }

      test('where several replicas sum at the same time', async () => {
        const rows = randomRows(seeded(11), sized(150, 400), end - 3 * day, end - sized(44, 2) * hour);
        await store.usage.insertMany(rows);
        const replicas = [store, await place.open(), await place.open()];
        const later = end + 2 * week;
        await Promise.all(replicas.map((each) => sumAll(each, later)));
        const cost = rows.reduce((sum, row) => sum + row.costNano, 0n);
        expect(await bySums()).toEqual([BigInt(requestsIn(rows)), cost]);
        await store.usage.insertMany([aUsageRow({ atMs: end - 2 * day, costNano: 3n })]);
        await Promise.all(replicas.map((each) => sumAll(each, later)));
        expect(await bySums()).toEqual([BigInt(requestsIn(rows) + 1), cost + 3n]);
      });

      test('and a replica that read before another one wrote does not write its older sums', async () => {
        const driver = await driverOf(place);
        try {
          const startMs = Math.floor(start / hour) * hour;
          await store.usage.insertMany([aUsageRow({ atMs: startMs, costNano: 1n })]);
          const unsealed = await readNow(driver, startMs);
          await sumAll(store, end);
          expect(await driver.run(sealPeriod, unsealed, 0)).toBe(false);
          await store.usage.insertMany([aUsageRow({ atMs: startMs + 1, costNano: 2n })]);
          const period = await readNow(driver, startMs);
          await store.usage.insertMany([aUsageRow({ atMs: startMs + 2, costNano: 4n })]);
          await sumAll(store, end);
          expect(await driver.run(resumPeriod, period)).toBe(false);
          expect(await driver.run(resumPeriod, { ...period, marks: [] })).toBe(false);
          expect(await bySums()).toEqual([3n, 7n]);
        } finally {
          await driver.close();
        }
      });

      test('in slices of any size, staged in commits of any size, which are equal to those of one slice', async () => {
        const rows = randomRows(seeded(17), sized(120, 400), end - 2 * week, end - sized(315, 200) * hour);
        // Many of one moment: a slice may end between them.
        const together = rows
          .slice(0, 30)
          .map((row) => ({ ...row, requestId: `same-${row.requestId}`, atMs: start + day }));
        await store.usage.insertMany([...rows, ...together]);
        const cells = async (): Promise<readonly unknown[]> => {
          const found = await place.query(`SELECT ${cellTable.list}, grain_ms, start_ms FROM usage_cells`);
          return found.map((row) => row.join('|')).sort();
        };
        await sumAll(store, end);
        const expected = await cells();
        expect(expected.length).toBeGreaterThan(100);
        const driver = await driverOf(place);
        try {
          for (const [rowsPerSlice, cellsPerCommit] of [
            [1, 1],
            [3, 7],
            [50, 1_000],
          ] as const) {
            await place.query('DELETE FROM usage_cells');
            await place.query('UPDATE usage_rollup SET hour_until_ms = 0, day_until_ms = 0, week_until_ms = 0');
            const slice = createSliceSize(rowsPerSlice, [rowsPerSlice, rowsPerSlice]);
            const sliced = rollupStore(driver, { slice, cellsPerCommit });
            while (await sliced.step(end));
            expect(await cells()).toEqual(expected);
          }
        } finally {
          await driver.close();
        }
      });

      test('also where a row comes, and one is corrected, between two slices of an hour that is being summed', async () => {
        const startMs = Math.floor(start / hour) * hour;
        const rows = Array.from({ length: 9 }, (_, at) => aUsageRow({ atMs: startMs + at * 1_000, costNano: 1n }));
        await store.usage.insertMany(rows);
        const opening = anOpening({ requestId: 'swept', attemptId: 'swept.1', atMs: startMs + 500, estimateNano: 40n });
        await store.attempts.open(opening);
        await store.attempts.sweep(store.instanceId, startMs + 1_000);
        const driver = await driverOf(place);
        try {
          const sliced = rollupStore(driver, { slice: createSliceSize(2, [2, 2]), cellsPerCommit: 2 });
          for (let steps = 0; steps < 8; steps += 1) expect(await sliced.step(end)).toBe(true);
          await store.usage.insertMany([aUsageRow({ atMs: startMs + 1, costNano: 100n })]);
          const row = aUsageRow({ requestId: 'swept', atMs: startMs + 500, costNano: 1_000n });
          await store.attempts.close({ attemptId: 'swept.1', costNano: 1_000n, estimated: false, atMs: end, row });
          expect((await store.analytics.state()).hourUntilMs).toBe(0);
          while (await sliced.step(end));
        } finally {
          await driver.close();
        }
        expect(await bySums()).toEqual([11n, 1_109n]);
      });

      test('and what a replica staged that lost its turn is never seen, and removed by the next one', async () => {
        const startMs = Math.floor(start / hour) * hour;
        const rows = randomRows(seeded(19), 40, startMs, startMs + hour);
        await store.usage.insertMany(rows);
        const driver = await driverOf(place);
        try {
          const period = await readNow(driver, startMs);
          expect(Number((await place.query('SELECT COUNT(*) FROM usage_cells'))[0]?.[0])).toBe(period.staged);
          expect(await store.analytics.total(whole, {})).toMatchObject({ requests: requestsIn(rows) });
          await store.analytics.rollup.bringBack(end);
          expect(await place.query('SELECT COUNT(*) FROM usage_cells')).toEqual([[0n]]);
          expect(await driver.run(sealPeriod, period, 0)).toBe(false);
          expect(await place.query('SELECT COUNT(*) FROM usage_cells')).toEqual([[0n]]);
        } finally {
          await driver.close();
        }
        await sumAll(store, end);
        expect((await bySums())?.[0]).toBe(BigInt(requestsIn(rows)));
      });

      test('in one replica at a time: a scheduled run is taken once and comes again', async () => {
        const claims = await Promise.all([1, 2, 3].map(() => store.analytics.rollup.claim(1_000, 61_000)));
        expect(claims.filter(Boolean)).toHaveLength(1);
        expect(await store.analytics.rollup.claim(60_999, 99_000)).toBe(false);
        expect(await store.analytics.rollup.claim(61_000, 99_000)).toBe(true);
      });

      test('when rows are removed: their sums stay, and nothing sums what is left of them', async () => {
        const rows = randomRows(seeded(3), sized(240, 600), end - sized(6, 10) * day, end - hour);
        await store.usage.insertMany(rows);
        await sumAll(store, end);
        const before = await figures();
        const { rollup } = store.analytics;
        await rollup.retainFrom(end - 4 * day);
        const retainedFromMs = Math.floor((end - 4 * day) / hour) * hour;
        expect(await store.analytics.state()).toMatchObject({ retainedFromMs });
        expect(await rollup.removeRows(50)).toBe(50);
        expect(await figures()).toEqual(before);
        while ((await rollup.removeRows(50)) > 0);
        expect(await figures()).toEqual(before);
        const left = await place.query('SELECT COUNT(*), MIN(at_ms) FROM usage_rows');
        expect(Number(left[0]?.[0])).toBe(rows.filter((row) => row.atMs >= retainedFromMs).length);
        await store.usage.insertMany([aUsageRow({ atMs: end - 9 * day })]);
        await sumAll(store, end);
        expect(await figures()).toEqual(before);
        expect(await rollup.removeRows(50)).toBe(1);
        await rollup.retainFrom(end - 4 * day);
        expect(await place.query('SELECT COUNT(*) FROM usage_marks')).toEqual([[0n]]);
        const page = await store.analytics.page({ filter: { models: ['model-1'] }, range: whole, limit: 1_000 });
        expect(page.items.length).toBe(
          rows.filter((row) => row.model === 'model-1' && row.atMs >= retainedFromMs).length,
        );
      });

      test('when a retention lets rows go: pass by pass, a few in each commit, while others write', async () => {
        const rows = randomRows(seeded(5), 1_300, end - sized(6, 10) * day, end - 5 * day);
        const kept = randomRows(seeded(6), 50, end - 2 * day, end - day).map((row) => ({
          ...row,
          requestId: `kept-${row.requestId}`,
        }));
        await store.usage.insertMany([...rows, ...kept]);
        const steps: number[] = [];
        const counted: RollupStore = {
          ...store.analytics.rollup,
          async removeRows(limit) {
            const gone = await store.analytics.rollup.removeRows(limit);
            steps.push(gone);
            // A writer between two steps does not wait for the remaining steps.
            await store.usage.insertMany([aUsageRow({ requestId: `while-${steps.length}`, atMs: end })]);
            return gone;
          },
        };
        const onFault = (error: unknown): never => {
          throw error;
        };
        const pass = (retentionDays: number | undefined, nowMs: number) =>
          createRollups({ store: counted, nowMs: () => nowMs, retentionDays, onFault }).pass();
        await pass(undefined, end);
        expect(steps).toEqual([]);
        const before = await store.analytics.total({ ...whole, toMs: end - day }, {});
        expect(await pass(4, end + hour)).toMatchObject({ removed: 1_300 });
        expect(steps).toEqual([500, 500, 300]);
        expect(await store.analytics.total({ ...whole, toMs: end - day }, {})).toEqual(before);
        const left = await place.query(`SELECT COUNT(*) FROM usage_rows WHERE at_ms < ${end}`);
        expect(left).toEqual([[50n]]);
        expect((await store.analytics.state()).retainedFromMs).toBe(Math.floor((end + hour - 4 * day) / hour) * hour);
        const { rollup } = store.analytics;
        const firstKept = Math.floor(Math.min(...kept.map(({ atMs }) => atMs)) / hour) * hour;
        expect(await rollup.hourOfNewest(1_000_000)).toBeUndefined();
        expect(await rollup.hourOfNewest(1)).toBeGreaterThan(firstKept);
      });

      test('attempts go with the rows of their time, whatever order their ids are in; open ones and newer ones stay', async () => {
        const attempt = (id: string, atMs: number, state: string) =>
          `('${id}', '${id.slice(0, -2)}', 't', '', 0, 0, ${state === 'settled' ? 5 : 'NULL'}, '${state}', '', 'p', 'm', ${atMs})`;
        const rows = Array.from({ length: 1_400 }, (_, index) =>
          attempt(`${(index * 7_919) % 1_400}-${index}.1`, end - (index % 2 === 0 ? 9 : 1) * day, 'settled'),
        );
        await place.query(
          `INSERT INTO attempt_rows (id, request_id, token_id, scopes, reserve_nano, estimate_nano, cost_nano, state, instance_id, provider, model, at_ms)
           VALUES ${[...rows, attempt('open.1', end - 9 * day, 'dispatched')].join(', ')}`,
        );
        await store.usage.insertMany([aUsageRow({ atMs: end - 9 * day })]);
        const onFault = (error: unknown): never => {
          throw error;
        };
        const pass = (retentionDays: number | undefined) =>
          createRollups({ store: store.analytics.rollup, nowMs: () => end, retentionDays, onFault }).pass();
        expect(await pass(undefined)).toMatchObject({ attemptsRemoved: 0 });
        await place.query('UPDATE usage_rollup SET due_at_ms = 0');
        expect(await pass(5)).toMatchObject({ removed: 1, attemptsRemoved: 700 });
        expect(
          await place.query(`SELECT state, COUNT(*) FROM attempt_rows WHERE at_ms < ${end - 5 * day} GROUP BY state`),
        ).toEqual([['dispatched', 1n]]);
        expect(await place.query('SELECT COUNT(*) FROM attempt_rows')).toEqual([[701n]]);
      });

      test('when a late closing corrects a swept attempt whose hour was summed, and the row moves to another hour', async () => {
        const firstHour = Math.ceil(start / hour) * hour;
        const atMs = firstHour + hour - 1;
        const opening = anOpening({ requestId: 'late', attemptId: 'late.1', atMs: atMs + 2 });
        await store.attempts.open(opening);
        await store.attempts.sweep(store.instanceId, atMs + 50);
        await sumAll(store, end);
        expect(await store.analytics.total(whole, {})).toMatchObject({ requests: 1, costNano: 400n });
        const row = aUsageRow({ requestId: 'late', atMs, costNano: 77n });
        const closing = { attemptId: 'late.1', costNano: 77n, estimated: false, atMs: atMs + 90, row };
        expect([await store.attempts.close(closing), await store.attempts.close(closing)]).toEqual([true, false]);
        await sumAll(store, end);
        expect(await store.analytics.total(whole, {})).toMatchObject({ requests: 1, costNano: 77n });
        const hours = await place.query(
          "SELECT start_ms, cost_nano FROM usage_cells WHERE view = 'all' AND grain_ms = 3600000",
        );
        expect(hours).toEqual([[BigInt(firstHour), 77n]]);
      });

      test('and removes no row of an hour that is not summed, or not summed again', async () => {
        await store.usage.insertMany([aUsageRow({ atMs: start })]);
        await store.analytics.rollup.retainFrom(end);
        expect(await store.analytics.rollup.removeRows(50)).toBe(0);
        await sumAll(store, end);
        await store.usage.insertMany([aUsageRow({ atMs: start })]);
        await store.analytics.rollup.retainFrom(end - day);
        expect(await store.analytics.rollup.removeRows(50)).toBe(0);
        await sumAll(store, end);
        await store.analytics.rollup.retainFrom(end - day);
        expect(await store.analytics.rollup.removeRows(50)).toBe(2);
      });
    });
  });
}

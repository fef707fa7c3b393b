/**
 * A crowd of usage rows: some thousands, or as many as WEIR_TEST_USAGE_ROWS says. What the console asks must be found by indexes
 * and by reading few rows, in a table of any size. A million of them, in the long run, must be answered in half a second.
 */

import { expect, setDefaultTimeout } from 'bun:test';
import { dimensions } from '../../src/admin/contracts/contract.ts';
import { createAnalyticsAdmin } from '../../src/admin/usage/analytics.ts';
import type { AnalyticsFilter, Range } from '../../src/store/analytics/analytics-store.ts';
import type { BucketName } from '../../src/store/analytics/segment-sources.ts';
import { readSlice, tallySlice } from '../../src/store/analytics/summing/period-slices.ts';
import {
  type Breakdown,
  type GroupColumn,
  usageGroups,
  usageJointSums,
  usageLines,
} from '../../src/store/analytics/usage-groups.ts';
import { type Conditions, isOfCells } from '../../src/store/analytics/usage-narrowing.ts';
import { countUsage, usagePage } from '../../src/store/analytics/usage-pages.ts';
import { nextPeriod } from '../../src/store/analytics/usage-rollup.ts';
import { usageSeries } from '../../src/store/analytics/usage-series.ts';
import type { Steps } from '../../src/store/sql/statement.ts';
import type { Store } from '../../src/store/store.ts';
import { needing } from '../harness/needs.ts';
import { openPlans, type QueryPlans } from '../harness/query-plans.ts';
import { isFullSize, sized } from '../harness/size.ts';
import { engines, type StorePlace } from '../harness/store-places.ts';
import { addCrowd, crowdOwners } from '../harness/usage-crowd.ts';

setDefaultTimeout(900_000);

const askedRows = process.env['WEIR_TEST_USAGE_ROWS'];
const isLongRun = Number(askedRows) >= 1_000_000;
const answerMsMax = 500;
/** Of the pairs of a span and a search every so many-th is looked at, so that each of both occurs. */
const pairsStep = sized(3, 1);
const hour = 3_600_000;
const day = 24 * hour;
const toMs = Date.UTC(2026, 9, 1, 10, 37);

/** SQLite plans without statistics, so a few rows do there; PostgreSQL reads a small table from end to end whatever its indexes. */
function crowdOn(engine: 'sqlite' | 'postgres') {
  const isSmall = engine === 'sqlite' && !isFullSize;
  const rows = Number(askedRows ?? (isSmall ? 3_000 : 20_000));
  // Fewer hours to sum in the short run: each is a commit.
  const spanDays = isLongRun ? 90 : isSmall ? 5 : sized(12, 15);
  return { rows, spanDays, fromMs: toMs - spanDays * day, farBackMs: toMs - (spanDays * day * 2) / 3 };
}

const adminOf = ({ analytics, tokens, requestErrors }: Store) =>
  createAnalyticsAdmin({ analytics, tokens, errors: requestErrors });

const last = (lengthMs: number): Range => ({ fromMs: toMs - lengthMs, toMs });

const spans = [
  ['1 hour', hour, 'minute'],
  ['24 hours', day, 'hour'],
  ['7 days', 7 * day, 'hour'],
  ['30 days', 30 * day, 'day'],
  ['90 days', 90 * day, 'day'],
  ['1 year', 365 * day, 'week'],
] as const satisfies readonly (readonly [string, number, BucketName])[];

const searches: readonly (readonly [string, AnalyticsFilter, Conditions])[] = [
  ['everything', {}, []],
  ['one token', { tokenIds: ['token-150'] }, [['token_id', ['token-150']]]],
  ['two tokens', { tokenIds: ['token-9', 'token-150'] }, [['token_id', ['token-9', 'token-150']]]],
  ['a model', { models: ['model-3'] }, [['model', ['model-3']]]],
  [
    'a failure of a model',
    { models: ['model-3'], codes: ['code_3'] },
    [
      ['model', ['model-3']],
      ['code', ['code_3']],
    ],
  ],
  ['an account', { ownerId: 'owner-7' }, [['owner_id', ['owner-7']]]],
  [
    'failures of an account',
    { ownerId: 'owner-7', statusClasses: [4, 5] },
    [
      ['owner_id', ['owner-7']],
      ['status_class', [4, 5]],
    ],
  ],
  ['a user', { endUsers: ['user-9'] }, [['end_user', ['user-9']]]],
  [
    'a user of a model',
    { endUsers: ['user-9'], models: ['model-3'] },
    [
      ['end_user', ['user-9']],
      ['model', ['model-3']],
    ],
  ],
  ['a key', { keys: ['provider-1/key-0'] }, [['key', ['provider-1/key-0']]]],
  ['what is not there', { models: ['nothing'] }, [['model', ['nothing']]]],
  ['the most expensive', { costNanoMin: 5_000_000_000n }, [['cost_nano_min', [5_000_000_000]]]],
  ['the slowest', { totalMsMin: 900_000 }, [['total_ms_min', [900_000]]]],
  ['an id', { requestIdPrefix: 'crowd_1' }, [['request_id_prefix', ['crowd_1']]]],
];

for (const engine of engines) {
  const { afterAll, beforeAll, describe, test } = needing(engine.name);
  const { rows, spanDays, fromMs, farBackMs } = crowdOn(engine.name);
  describe(`${rows} usage rows on ${engine.name}`, () => {
    let place: StorePlace;
    let store: Store;
    let plans: QueryPlans;
    const figures: string[] = [];

    async function timed<Result>(what: string, work: () => Promise<Result>) {
      const startedMs = performance.now();
      const result = await work();
      const tookMs = performance.now() - startedMs;
      figures.push(`${engine.name.padEnd(9)} ${what.padEnd(52)} ${tookMs.toFixed(1)} ms`);
      return { result, tookMs };
    }

    /** For queries that a user of the console waits for. */
    async function answered<Result>(what: string, work: () => Promise<Result>): Promise<Result> {
      const { result, tookMs } = await timed(what, work);
      if (isLongRun) expect(tookMs, what).toBeLessThan(answerMsMax);
      return result;
    }

    beforeAll(async () => {
      place = await engine.place();
      store = await place.open();
      await timed('rows made', () => addCrowd(place, { rows, fromMs, toMs, tokens: 200 }));
      let steps = 0;
      await timed('summed', async () => {
        while (await store.analytics.rollup.step(toMs)) steps += 1;
      });
      figures.push(`${engine.name.padEnd(9)} ${steps} steps`);
      if (place.databaseUrl !== undefined) await place.query('VACUUM ANALYZE usage_cells');
      plans = openPlans(place);
    });
    afterAll(async () => {
      if (isLongRun) console.log(figures.join('\n'));
      await plans.close();
      await place.dispose();
    });

    test('the sums are the sums of the rows', async () => {
      const [counted] = await place.query(
        'SELECT COUNT(*), CAST(SUM(cost_nano) AS BIGINT), CAST(SUM(output_total) AS BIGINT) FROM usage_rows',
      );
      const total = await store.analytics.total({ fromMs: 0, toMs: toMs + day }, {});
      expect([BigInt(total.requests), total.costNano, BigInt(total.outputTokens)]).toEqual(counted as bigint[]);
      expect(total.requests).toBe(rows);
    });

    test('an overview, of all and of one token', async () => {
      const admin = adminOf(store);
      for (const [name, lengthMs] of spans) {
        const whole = await answered(`overview of ${name}`, () => admin.overview(last(lengthMs), {}));
        const mine = await answered(`overview of ${name}, one token`, () =>
          admin.overview(last(lengthMs), { tokenIds: ['token-0'] }),
        );
        expect(mine.tokens).toHaveLength(1);
        expect(whole.total.requests).toBeGreaterThan(mine.total.requests);
      }
      for (const [name, lengthMs] of spans) {
        const own = await answered(`overview of ${name}, one account`, () =>
          admin.overview(last(lengthMs), { ownerId: 'owner-0' }),
        );
        expect(own.tokens.length).toBeLessThanOrEqual(rows / crowdOwners);
      }
      await answered('overview of 90 days, streams only', () => admin.overview(last(90 * day), { stream: true }));
    });

    test('a breakdown by every dimension, of all, of an account and of a model', async () => {
      const admin = adminOf(store);
      for (const by of dimensions) {
        for (const [what, filter] of [
          ['', {}],
          [', one account', { ownerId: 'owner-7' }],
          [', one model', { models: ['model-3'] }],
        ] as const) {
          const question = { by, range: last(spanDays * day), filter, order: 'cost', limit: 8 } as const;
          const view = await answered(`breakdown by ${by}${what}`, () => admin.breakdown(question));
          const shown = [...view.items, ...(view.rest === undefined ? [] : [view.rest])];
          if (!view.overlapping) {
            expect(shown.reduce((sum, { requests }) => sum + requests, 0)).toBe(view.total.requests);
          }
        }
      }
    });

    test('requests, newest and far back', async () => {
      for (const [name, filter] of searches) {
        const range = { fromMs: 0, toMs };
        await answered(`requests: ${name}`, () => store.analytics.page({ filter, range, limit: 50 }));
        const cursor = { atMs: farBackMs, id: '!' };
        await answered(`requests: ${name}, far back`, () => store.analytics.page({ filter, range, limit: 50, cursor }));
        const newest = { atMs: toMs - 10_000, id: '!' };
        await answered(`requests: ${name}, newer than the newest`, () =>
          store.analytics.page({ filter, range, limit: 50, cursor: newest, direction: 'newer' }),
        );
        await answered(`requests: ${name}, counted`, () => store.analytics.count(range, filter));
      }
    });

    test('every statement is served by an index', async () => {
      const breakdowns: readonly Breakdown[] = [
        { by: 'model', order: 'cost' },
        { by: 'code', order: 'requests' },
      ];
      const asked: Steps<unknown>[] = [];
      const folder = engine.name === 'postgres' ? 'database' : 'reader';
      for (const [at, [, lengthMs, bucket]] of spans.entries()) {
        const range = [toMs - lengthMs, toMs] as const;
        for (const [nth, [name, , conditions]] of searches.entries()) {
          // An id that holds no time can be in any row; such a sum reads them all.
          if (name === 'an id' || (at + nth) % pairsStep !== 0) continue;
          asked.push(
            usageSeries.steps(bucket, ...range, conditions),
            usageGroups.steps(breakdowns, ...range, conditions, 10),
          );
          for (const by of ['token_id', 'end_user', 'key'] as const satisfies readonly GroupColumn[]) {
            asked.push(usageGroups.steps([{ by }], ...range, conditions, 10));
          }
          asked.push(
            usageLines.steps(bucket, 'end_user', ...range, conditions, [['user-9', [0]]], folder),
            usageLines.steps(bucket, 'token_id', ...range, conditions, [['token-9', [0]]], folder),
            usageJointSums.steps(['end_user', 'model'], ...range, conditions, 10),
          );
        }
      }
      for (const [, , conditions] of searches) {
        asked.push(usagePage.steps(conditions, 0, toMs, 'older', null, 51), countUsage.steps(conditions, 0, toMs));
        asked.push(usagePage.steps(conditions, fromMs, toMs, 'newer', [farBackMs, '!'], 51));
      }
      const firstDayMs = Math.floor(fromMs / day) * day;
      const slice = { fromId: '', toId: 'crowd_5' };
      const users = ['user-1', 'user-9'];
      asked.push(
        tallySlice.steps(hour, firstDayMs + day, '', firstDayMs + day + hour, 10),
        tallySlice.steps(day, firstDayMs, '', firstDayMs + day, 10),
        readSlice.steps(hour, { ...slice, fromMs: firstDayMs + day, toMs: firstDayMs + day + hour }, users, true),
        readSlice.steps(day, { ...slice, fromMs: firstDayMs, toMs: firstDayMs + day }, users, true),
      );
      asked.push(nextPeriod.steps(hour, fromMs, toMs), nextPeriod.steps(day, fromMs, toMs));
      const scans: string[] = [];
      for (const operation of asked) scans.push(...(await plans.workOf(operation)).scans);
      expect(scans).toEqual([]);
    });

    test('a sum reads only the rows of the ends of its range, and a page not many more than it shows', async () => {
      // The other engine does not count what it reads; its statements are the same.
      if (place.databaseUrl === undefined) return;
      const rowsPerHour = rows / spanDays / 24;
      for (const [name, , conditions] of searches.filter(([, , given]) => isOfCells(given))) {
        for (const [span, lengthMs, bucket] of spans) {
          const { rowsRead = 0 } = await plans.workOf(usageSeries.steps(bucket, toMs - lengthMs, toMs, conditions));
          expect(rowsRead, `${name}, ${span}`).toBeLessThanOrEqual(Math.ceil(4 * rowsPerHour));
        }
        const tail = usagePage.steps(conditions, 0, toMs + day, 'newer', [toMs - 60_000, '!'], 51);
        expect((await plans.workOf(tail)).rowsRead ?? 0, `${name}, the newest`).toBeLessThanOrEqual(rowsPerHour);
        const { rowsRead = 0 } = await plans.workOf(usagePage.steps(conditions, 0, toMs, 'older', null, 51));
        expect(rowsRead, `${name}, a page`).toBeLessThan(rows / 10);
        figures.push(`${engine.name.padEnd(9)} rows read for a page of ${name}: ${rowsRead}`);
      }
    });
  });
}

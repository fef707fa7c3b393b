/**
 * A crowd of usage rows: 100,000, or as many as WEIR_TEST_USAGE_ROWS says. What the console asks must be found by indexes, in
 * a table of any size; the times are printed for people to look at, because a machine's speed proves nothing.
 */

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { createAnalyticsAdmin } from '../../src/admin/analytics.ts';
import type { AnalyticsFilter, Range } from '../../src/store/analytics-store.ts';
import { type BucketName, type GroupWish, usageGroups, usageSeries } from '../../src/store/operations/analytics.ts';
import { readPeriod } from '../../src/store/operations/usage-cells.ts';
import type { Conditions } from '../../src/store/operations/usage-narrowing.ts';
import { countUsage, usagePage } from '../../src/store/operations/usage-pages.ts';
import { nextPeriod } from '../../src/store/operations/usage-rollup.ts';
import type { Operation } from '../../src/store/statement.ts';
import type { Store } from '../../src/store/store.ts';
import { fullScansOf } from '../harness/query-plans.ts';
import { engines, type StorePlace } from '../harness/store-places.ts';
import { addCrowd } from '../harness/usage-crowd.ts';

setDefaultTimeout(900_000);

const rows = Number(process.env['WEIR_TEST_USAGE_ROWS'] ?? 100_000);
const hour = 3_600_000;
const day = 24 * hour;
const toMs = Date.UTC(2026, 9, 1, 10, 37);
const fromMs = toMs - 90 * day;
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
  ['what is not there', { models: ['nothing'] }, [['model', ['nothing']]]],
  ['the dearest', { costNanoMin: 5_000_000_000n }, [['cost_nano_min', [5_000_000_000]]]],
  ['the slowest', { totalMsMin: 900_000 }, [['total_ms_min', [900_000]]]],
  ['an id', { requestIdPrefix: 'crowd_1' }, [['request_id_prefix', ['crowd_1']]]],
];

for (const engine of engines) {
  describe(`${rows} usage rows on ${engine.name}`, () => {
    let place: StorePlace;
    let store: Store;
    const figures: string[] = [];

    async function timed<Result>(what: string, work: () => Promise<Result>): Promise<Result> {
      const startedMs = performance.now();
      const result = await work();
      figures.push(`${engine.name.padEnd(9)} ${what.padEnd(44)} ${(performance.now() - startedMs).toFixed(1)} ms`);
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
    });
    afterAll(async () => {
      console.log(figures.join('\n'));
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
      const admin = createAnalyticsAdmin({ analytics: store.analytics, tokenName: async (id) => id });
      for (const [name, lengthMs] of spans) {
        const whole = await timed(`overview of ${name}`, () => admin.overview(last(lengthMs), {}));
        const mine = await timed(`overview of ${name}, one token`, () =>
          admin.overview(last(lengthMs), { tokenIds: ['token-0'] }),
        );
        expect(mine.tokens).toHaveLength(1);
        expect(whole.total.requests).toBeGreaterThan(mine.total.requests);
      }
      await timed('overview of 90 days, streams only', () => admin.overview(last(90 * day), { stream: true }));
    });

    test('requests, newest and far back', async () => {
      for (const [name, filter] of searches) {
        const range = { fromMs: 0, toMs };
        await timed(`requests: ${name}`, () => store.analytics.page({ filter, range, limit: 50 }));
        const cursor = { atMs: toMs - 60 * day, id: '!' };
        await timed(`requests: ${name}, 60 days back`, () =>
          store.analytics.page({ filter, range, limit: 50, cursor }),
        );
        await timed(`requests: ${name}, counted`, () => store.analytics.count(range, filter));
      }
    });

    test('every statement is served by an index', async () => {
      const wishes: readonly GroupWish[] = [
        ['model', 'cost'],
        ['code', 'requests'],
      ];
      const asked: Operation<unknown>[] = [];
      for (const [, lengthMs, bucket] of spans) {
        const range = [toMs - lengthMs, toMs] as const;
        for (const [name, , conditions] of searches) {
          // Letters that tell no time can be in any row; such a sum reads them all.
          if (name === 'an id') continue;
          asked.push(usageSeries(bucket, ...range, conditions), usageGroups(wishes, ...range, conditions, 10));
          asked.push(usageGroups([['token_id', 'cost']], ...range, conditions, 10));
        }
      }
      for (const [, , conditions] of searches) {
        asked.push(usagePage(conditions, 0, toMs, 'older', null, 51), countUsage(conditions, 0, toMs));
        asked.push(usagePage(conditions, fromMs, toMs, 'newer', [toMs - 60 * day, '!'], 51));
      }
      asked.push(
        readPeriod(hour, Math.floor(fromMs / day) * day + day),
        readPeriod(day, Math.floor(fromMs / day) * day),
      );
      asked.push(nextPeriod(hour, fromMs, toMs), nextPeriod(day, fromMs, toMs));
      const scans: string[] = [];
      for (const operation of asked) scans.push(...(await fullScansOf(place, operation)));
      expect(scans).toEqual([]);
    });
  });
}

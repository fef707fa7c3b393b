/** Requests without a price are counted alike in rows and in the cells that sum them, and listed by model, on both engines. */

import { expect, setDefaultTimeout } from 'bun:test';
import { isUnpriced } from '../../src/ledger/unpriced.ts';
import type { Store } from '../../src/store/store.ts';
import { unpricedModels } from '../../src/store/usage/unpriced-models.ts';
import { needing } from '../harness/needs.ts';
import { openPlans } from '../harness/query-plans.ts';
import { aUsageRow, engines, type StorePlace } from '../harness/store-places.ts';

setDefaultTimeout(300_000);

const hour = 3_600_000;
const day = 24 * hour;
const end = Date.UTC(2026, 8, 17, 13, 37, 21);
const whole = { fromMs: end - 20 * day, toMs: end };
const used = { input: { total: 10 }, output: { total: 5 } };
const nothing = { input: {}, output: {} };

/** Each as a request can end; `costNano` differs so that no two are mistaken for each other. */
const kinds = [
  { priceVersion: '', usage: used, costNano: 0n },
  // A part of it had a price.
  { priceVersion: '', usage: used, costNano: 7n },
  { priceVersion: '', usage: nothing, units: { requests: 1 }, costNano: 0n },
  { priceVersion: '', usage: { input: {}, output: { total: 3 } }, status: 499, code: 'client_left', costNano: 0n },
  { priceVersion: '', usage: nothing, status: 400, code: 'upstream_refused', costNano: 0n },
  { priceVersion: '', usage: { input: { total: 0 }, output: { total: 0 } }, costNano: 0n },
  { priceVersion: 'free', usage: used, costNano: 0n },
  { priceVersion: 'operator', usage: used, costNano: 11n },
  { priceVersion: 'guess: a b', usage: used, units: { requests: 1 }, costNano: 13n },
] as const;
const expected = 4;

const rowsAt = (atMs: number, more: object = {}) =>
  kinds.map((kind, index) => aUsageRow({ ...kind, requestId: `r${atMs}-${index}`, atMs: atMs + index, ...more }));

for (const engine of engines) {
  const { afterEach, beforeEach, describe, test } = needing(engine.name);
  describe(`requests without a price on ${engine.name}`, () => {
    let place: StorePlace;
    let store: Store;
    beforeEach(async () => {
      place = await engine.place();
      store = await place.open(() => end);
    });
    afterEach(() => place.dispose());

    const counts = async () => {
      const { analytics } = store;
      const [groups] = await analytics.groups([{ by: 'model' }], whole, {}, 10);
      const series = await analytics.series(whole, 'day', {});
      return {
        total: (await analytics.total(whole, {})).unpriced,
        narrowed: (await analytics.total(whole, { tokenIds: ['t-2'] })).unpriced,
        costly: (await analytics.total(whole, { costNanoMin: 7n })).unpriced,
        days: series.map(({ unpriced }) => unpriced),
        models: groups?.map(({ key, unpriced }) => [key, unpriced]),
      };
    };

    test('rows, hours, days and weeks say the same before and after they are summed, and when their rows are gone', async () => {
      const rows = [
        ...rowsAt(end - 9 * day, { model: 'a', tokenId: 't-1' }),
        ...rowsAt(end - 3 * day, { model: 'b', tokenId: 't-2' }),
      ];
      expect(rows.filter(isUnpriced)).toHaveLength(2 * expected);
      await store.usage.insertMany(rows);
      const expectedCounts = {
        total: 2 * expected,
        narrowed: expected,
        costly: 2,
        days: [expected, expected],
        models: [
          ['a', expected],
          ['b', expected],
        ],
      };
      expect(await counts()).toEqual(expectedCounts);
      while (await store.analytics.rollup.step(end));
      expect(await place.query('SELECT COUNT(*) FROM usage_cells WHERE unpriced > 0')).not.toEqual([[0n]]);
      expect(await counts()).toEqual(expectedCounts);
      const [bySum] = await store.usage.summarise('token', {});
      expect(bySum?.unpriced).toBe(expected);
      await store.analytics.rollup.retainFrom(end - day);
      while ((await store.analytics.rollup.removeRows(50)) > 0);
      expect(await place.query('SELECT COUNT(*) FROM usage_rows')).toEqual([[0n]]);
      // Only rows hold which of them cost more.
      expect(await counts()).toEqual({ ...expectedCounts, costly: 0 });
    });

    test('a late row of a summed hour is counted too', async () => {
      await store.usage.insertMany(rowsAt(end - 3 * day));
      while (await store.analytics.rollup.step(end));
      await store.usage.insertMany([aUsageRow({ ...kinds[0], requestId: 'late', atMs: end - 3 * day + hour / 2 })]);
      while (await store.analytics.rollup.step(end));
      expect((await store.analytics.total(whole, {})).unpriced).toBe(expected + 1);
    });

    test('models are listed by their price names, the most used first, and an owner sees only the own ones', async () => {
      const at = (model: string, atMs: number, more = {}) =>
        aUsageRow({ ...kinds[0], requestId: `${model}-${atMs}`, provider: 'up', upstreamModel: model, atMs, ...more });
      await store.usage.insertMany([
        at('often', end - day, { model: 'alias' }),
        at('often', end - hour),
        at('rare', end - 2 * day, { tokenId: 'hers', usage: nothing, units: { images: 2 } }),
        at('old', end - 40 * day),
        at('priced', end - day, { priceVersion: 'operator' }),
        at('refused', end - day, { usage: nothing, status: 400, code: 'upstream_refused' }),
      ]);
      const often = {
        provider: 'up',
        model: 'often',
        requests: 2,
        inputTokens: 20,
        outputTokens: 10,
        lastAtMs: end - hour,
      };
      const rare = { ...often, model: 'rare', requests: 1, inputTokens: 0, outputTokens: 0, lastAtMs: end - 2 * day };
      const listed = await store.analytics.unpricedModels(whole, 10);
      expect(listed).toEqual([often, { ...rare, units: { images: 2 } }]);
      expect(await store.analytics.unpricedModels(whole, 1)).toEqual([often]);
      const terms = { name: 'hers' };
      await store.tokens.insert({ id: 'hers', digest: 'd', hint: '', terms, createdAtMs: 1, ownerId: 'mara' });
      expect((await store.analytics.unpricedModels(whole, 10, 'mara')).map(({ model }) => model)).toEqual(['rare']);
      expect(await store.analytics.unpricedModels(whole, 10, 'olga')).toEqual([]);
    });

    test('cells from before say 0, and sums that take them in count from then on', async () => {
      await store.usage.insertMany(rowsAt(end - 9 * day));
      while (await store.analytics.rollup.step(end));
      await place.query('UPDATE usage_cells SET unpriced = 0');
      await store.usage.insertMany(rowsAt(end - hour / 2));
      expect((await store.analytics.total(whole, {})).unpriced).toBe(expected);
    });

    if (engine.name === 'sqlite')
      test('the list is read by its own small index', async () => {
        await store.usage.insertMany(rowsAt(end - day));
        await store.close();
        const plans = openPlans(place);
        const { scans } = await plans.workOf(unpricedModels.steps(whole.fromMs, whole.toMs, 10, null));
        await plans.close();
        expect(scans).toEqual([]);
        const plan = await place.query(
          "EXPLAIN QUERY PLAN SELECT provider FROM usage_rows WHERE price_version = '' AND at_ms >= 1 AND at_ms < 2",
        );
        expect(plan.map((row) => String(row[3])).join()).toContain('usage_rows_unpriced');
      });
  });
}

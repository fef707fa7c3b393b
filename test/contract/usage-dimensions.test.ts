/** Usage by every dimension, on both engines: what cells answer equals what the rows say, over ranges that are cut anywhere. */

import { expect, setDefaultTimeout } from 'bun:test';
import type { TokenTerms } from '../../src/access/caller.ts';
import type { UsageRow } from '../../src/ledger/ledger.ts';
import type { AnalyticsFilter, Bucket, GroupColumn, Range } from '../../src/store/analytics/analytics-store.ts';
import { otherUsers, usersPerPeriodMax } from '../../src/store/analytics/cell-views.ts';
import { tagsPerPeriodMax } from '../../src/store/analytics/tag-sets.ts';
import { dimensions } from '../../src/store/migrations/0020-0029/0020-dimensions.ts';
import type { Store } from '../../src/store/store.ts';
import { needing } from '../harness/needs.ts';
import { sized } from '../harness/size.ts';
import { aUsageRow, engines, type StorePlace } from '../harness/store-places.ts';
import { bucketsByHand, columnOf, figuresOf, matches, randomRows, seeded } from '../harness/usage-by-hand.ts';

setDefaultTimeout(300_000);

const hour = 3_600_000;
const day = 24 * hour;
/** A Thursday, 13:37:21 UTC. */
const end = Date.UTC(2026, 8, 17, 13, 37, 21);
const start = end - sized(16, 40) * day;

async function sumAll(store: Store, nowMs: number): Promise<void> {
  while (await store.analytics.rollup.step(nowMs));
}

const columns = ['model', 'provider', 'token_id', 'end_user', 'tags', 'endpoint', 'key', 'code'] as const;

const filters: readonly AnalyticsFilter[] = [
  {},
  { models: ['model-1', 'model-2'] },
  { tokenIds: ['token-1', 'token-3'] },
  { endUsers: ['user-1', 'user-4'] },
  { keys: ['up-0/key-1'], stream: true },
  { endUsers: ['user-2'], keys: ['up-1/key-0', 'up-1/key-1'] },
  { costNanoMin: 600_000_000n },
  { tags: ['nightly', 'a_b'] },
  { tags: ['eu'], models: ['model-1'], tokenIds: ['token-1', 'token-2'] },
  { tags: ['nightly'], endUsers: ['user-1', 'user-2'] },
];

/** Ends that are somewhere, at edges, and a millisecond beside them. */
function anyRange(random: () => number): Range {
  const cut = (): number => {
    const atMs = Math.floor(start - day + random() * (end - start + 2 * day));
    const unit = [1, hour, day][Math.floor(random() * 3)] ?? 1;
    return Math.round(atMs / unit) * unit + Math.floor(random() * 3) - 1;
  };
  const ends = [cut(), cut()] as const;
  return { fromMs: Math.min(...ends), toMs: Math.max(...ends) };
}

const keyed = <Sum extends { readonly keys: readonly string[] }>(sums: readonly Sum[]): readonly Sum[] =>
  sums.toSorted((a, b) => (a.keys.join('\0') < b.keys.join('\0') ? -1 : 1));

for (const engine of engines) {
  const { afterAll, afterEach, beforeAll, beforeEach, describe, test } = needing(engine.name);
  describe(`dimensions on ${engine.name}`, () => {
    describe('equal sums by hand', () => {
      const rows = randomRows(seeded(17), sized(500, 3_000), start, end);
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

      for (const [index, filter] of filters.entries()) {
        test(`lines of each column, filter ${index}`, async () => {
          const random = seeded(index + 1);
          for (const by of columns) {
            const range = anyRange(random);
            const bucket =
              (['hour', 'day', 'week'] as const satisfies readonly Bucket[])[Math.floor(random() * 3)] ?? 'day';
            const inRange = rows.filter((row) => matches(row, filter, range));
            const keys = [...new Set(inRange.map(columnOf[by]))].slice(0, 5);
            // Each group is a line of its own, and all of them are one more.
            const lines = keys.map((key, at) => [key, [at, keys.length]] as const);
            const found = await store.analytics.lines(by, lines, range, bucket, filter);
            const byHand = [...keys.map((key) => [key]), keys].flatMap((members, line) =>
              bucketsByHand(
                inRange.filter((row) => members.includes(columnOf[by](row))),
                bucket,
              ).map(({ firstEvents: _, totals: __, ...point }) => ({ line, ...point })),
            );
            const sorted = found.toSorted((a, b) => a.line - b.line || a.startMs - b.startMs);
            expect([by, sorted]).toEqual([by, byHand]);
          }
        });

        test(`sums of several columns together, filter ${index}`, async () => {
          const random = seeded(index + 50);
          const together: readonly (readonly GroupColumn[])[] = [
            [],
            ['end_user'],
            ['end_user', 'model'],
            ['model', 'end_user', 'key'],
            ['token_id', 'model'],
            ['key', 'code', 'endpoint'],
            ['tags'],
            ['tags', 'token_id'],
            ['model', 'tags'],
            ['end_user', 'tags'],
          ];
          for (const given of together) {
            const range = anyRange(random);
            const inRange = rows.filter((row) => matches(row, filter, range));
            const groups = Map.groupBy(inRange, (row) => JSON.stringify(given.map((by) => columnOf[by](row))));
            const byHand = [...groups].map(([keys, members]) => ({ keys: JSON.parse(keys), ...figuresOf(members) }));
            const found = await store.analytics.jointGroups(given, range, filter, 10_000);
            expect([given, keyed(found)]).toEqual([given, keyed(byHand)]);
          }
        });
      }

      test('a sum of all groups is the whole, whatever they are grouped by', async () => {
        const random = seeded(3);
        for (const by of columns) {
          const range = anyRange(random);
          const { requests, costNano } = await store.analytics.total(range, {});
          const [groups = []] = await store.analytics.groups([{ by }], range, {}, 10_000);
          expect([by, groups.reduce((sum, group) => sum + group.requests, 0)]).toEqual([by, requests]);
          expect(groups.reduce((sum, group) => sum + group.costNano, 0n)).toBe(costNano);
        }
      });
    });

    describe('of their own', () => {
      let place: StorePlace;
      let store: Store;
      const whole = { fromMs: start - 7 * day, toMs: end + 7 * day };

      beforeEach(async () => {
        place = await engine.place();
        store = await place.open();
      });
      afterEach(() => place.dispose());

      const userRows = (count: number): UsageRow[] =>
        Array.from({ length: count }, (_, at) =>
          aUsageRow({ atMs: start + at, endUser: `user-${at}`, costNano: BigInt(10_000 - at), model: `m${at % 2}` }),
        );
      const users = async (filter: AnalyticsFilter = {}) =>
        (await store.analytics.groups([{ by: 'end_user' }], whole, filter, 10_000))[0] ?? [];

      test('sums name the users that cost most, and count all others as one', async () => {
        const rows = userRows(usersPerPeriodMax + 200);
        await store.usage.insertMany([...rows, aUsageRow({ atMs: start, costNano: 1n })]);
        expect(await users()).toHaveLength(rows.length + 1);
        await sumAll(store, end);
        const found = await users();
        expect(found).toHaveLength(usersPerPeriodMax + 2);
        const others = rows.slice(usersPerPeriodMax);
        expect(found.find(({ key }) => key === otherUsers)).toEqual({ key: otherUsers, ...figuresOf(others) });
        expect(found.find(({ key }) => key === '')?.requests).toBe(1);
        const odd = await users({ models: ['m1'] });
        expect(odd.find(({ key }) => key === otherUsers)?.requests).toBe(others.length / 2);
        expect(odd.reduce((sum, { costNano }) => sum + costNano, 0n)).toBe(
          rows.reduce((sum, row, at) => sum + (at % 2 === 1 ? row.costNano : 0n), 0n),
        );
      });

      test('a user whom sums do not name is found all the same, and its count is not called exact', async () => {
        await store.usage.insertMany(userRows(usersPerPeriodMax + 3));
        await sumAll(store, end);
        const range = whole;
        const last = { endUsers: [`user-${usersPerPeriodMax + 1}`] };
        const { items } = await store.analytics.page({ filter: last, range, limit: 10 });
        expect(items.map(({ endUser }) => endUser)).toEqual(last.endUsers);
        expect(await store.analytics.count(range, last)).toEqual({ requests: 3, exact: false });
        const exact = await store.analytics.total(range, { ...last, costNanoMin: 0n });
        expect(exact.requests).toBe(1);
      });

      const tags = async (filter: AnalyticsFilter = {}) =>
        ((await store.analytics.groups([{ by: 'tags' }], whole, filter, 10_000))[0] ?? []).map(
          ({ key, requests }) => [key, requests] as const,
        );

      test('a tag of many requests stays itself beside tags that each of them has alone', async () => {
        const count = tagsPerPeriodMax + 200;
        const rows = Array.from({ length: count }, (_, at) =>
          aUsageRow({ atMs: start + at, tags: ['nightly', `run-${at}`], costNano: BigInt(10_000 - at) }),
        );
        await store.usage.insertMany([...rows, aUsageRow({ atMs: start, costNano: 1n })]);
        expect(await tags()).toHaveLength(count + 1);
        await sumAll(store, end);
        const found = new Map(await tags());
        expect(found.size).toBe(tagsPerPeriodMax + 1);
        expect(found.get(',nightly,(others),')).toBe(201);
        expect(found.get('')).toBe(1);
        expect((await store.analytics.total(whole, { tags: ['nightly'] })).requests).toBe(count);
        // One that sums do not name is found by its requests.
        const last = { tags: [`run-${count - 1}`] };
        const { items } = await store.analytics.page({ filter: last, range: whole, limit: 5 });
        expect(items.map((row) => row.tags)).toEqual([['nightly', `run-${count - 1}`]]);
        expect((await store.analytics.count(whole, last)).exact).toBe(false);
        expect(await store.analytics.top(whole, last, 'cost', 3)).toHaveLength(1);
      });

      test('tags of a late row are summed again, and who sends none has no cells of tags and kind', async () => {
        await store.usage.insertMany([aUsageRow({ atMs: start })]);
        await sumAll(store, end);
        expect(await place.query("SELECT COUNT(*) FROM usage_cells WHERE view = 'tag'")).toEqual([[0n]]);
        await store.usage.insertMany([aUsageRow({ atMs: start + 1, tags: ['late'], model: 'x' })]);
        await sumAll(store, end);
        expect((await tags()).toSorted()).toEqual([
          ['', 1],
          [',late,', 1],
        ]);
        expect(await tags({ models: ['x'] })).toEqual([[',late,', 1]]);
      });

      test('requests without users have no cells by user and kind', async () => {
        await store.usage.insertMany([aUsageRow({ atMs: start }), aUsageRow({ atMs: start + day })]);
        await sumAll(store, end);
        expect(await place.query("SELECT COUNT(*) FROM usage_cells WHERE view = 'user'")).toEqual([[0n]]);
        expect((await users()).map(({ key, requests }) => [key, requests])).toEqual([['', 2]]);
      });

      test('users of a late row are summed again', async () => {
        await store.usage.insertMany([aUsageRow({ atMs: start, endUser: 'ann' })]);
        await sumAll(store, end);
        await store.usage.insertMany([
          aUsageRow({ atMs: start + 1, endUser: 'bo', costNano: 5n }),
          aUsageRow({ atMs: start + 2, costNano: 7n }),
        ]);
        await sumAll(store, end);
        expect((await users()).map(({ key, costNano }) => [key, costNano])).toEqual([
          ['ann', 600n],
          ['', 7n],
          ['bo', 5n],
        ]);
      });

      test('a user is cut to 64 characters, in rows and in what is looked for', async () => {
        const long = 'u'.repeat(70);
        await store.usage.insertMany([aUsageRow({ atMs: start, endUser: `${long}\0` })]);
        await sumAll(store, end);
        expect((await users()).map(({ key }) => key)).toEqual(['u'.repeat(64)]);
        expect((await store.analytics.total(whole, { endUsers: [long] })).requests).toBe(1);
      });

      test('labels and owners come from tokens as they are now', async () => {
        const token = (id: string, labels: readonly string[] | undefined, ownerId?: string) =>
          store.tokens.insert({
            ...{ id, digest: `digest-${id}`, hint: '', createdAtMs: start },
            ...(ownerId !== undefined && { ownerId }),
            terms: { name: `name of ${id}`, ...(labels !== undefined && { labels }) } as TokenTerms,
          });
        await token('one', ['red', 'blue']);
        await token('two', ['blue']);
        await token('three', undefined);
        await store.usage.insertMany(
          ['one', 'two', 'three', 'unknown'].map((tokenId, at) =>
            aUsageRow({ atMs: start, tokenId, costNano: BigInt(2 ** at) }),
          ),
        );
        await sumAll(store, end);
        const cost = async (labels: readonly string[]) => (await store.analytics.total(whole, { labels })).costNano;
        expect(await cost(['blue'])).toBe(3n);
        expect(await cost(['red'])).toBe(1n);
        expect(await cost(['red', 'blue', 'none'])).toBe(3n);
        expect(await cost(['re'])).toBe(0n);
        expect((await store.analytics.total(whole, { labels: ['blue'], tokenIds: ['two'] })).costNano).toBe(2n);
        const noUnit = { teamId: null, teamName: null, projectId: null, projectName: null };
        const facts = await store.tokens.facts(['one', 'three', 'unknown']);
        expect(facts.toSorted((a, b) => (a.id < b.id ? -1 : 1))).toEqual([
          { id: 'one', name: 'name of one', labels: ['red', 'blue'], ownerId: null, ownerName: null, ...noUnit },
          { id: 'three', name: 'name of three', labels: [], ownerId: null, ownerName: null, ...noUnit },
        ]);
        const many = Array.from({ length: 300 }, (_, at) => `no-${at}`);
        expect((await store.tokens.facts([...many, 'two'])).map(({ id }) => id)).toEqual(['two']);
      });

      test('messages of failed requests are read together', async () => {
        const error = (requestId: string, attempt: number) => ({
          ...{ requestId, attempt, atMs: start, provider: 'up', keyId: '', code: 'x' },
          message: `${requestId} ${attempt}`,
        });
        await store.requestErrors.insertMany([error('a', 0), error('a', 1), error('b', 1), error('c', 0)]);
        const many = Array.from({ length: 300 }, (_, at) => `no-${at}`);
        expect([...(await store.requestErrors.messagesOf(['a', 'b', ...many, 'c']))]).toEqual([
          ['a', 'a 0'],
          ['c', 'c 0'],
        ]);
      });

      test('a period that an earlier version summed meanwhile is summed again', async () => {
        const recent = end - 5 * hour;
        await store.usage.insertMany([
          aUsageRow({ atMs: recent, endUser: 'ann' }),
          aUsageRow({ atMs: end - 30 * hour, endUser: 'ann' }),
        ]);
        await sumAll(store, end);
        const cells = () =>
          place.query('SELECT view, grain_ms, start_ms, requests FROM usage_cells ORDER BY view, grain_ms, start_ms');
        const before = await cells();
        await place.query("DELETE FROM usage_cells WHERE view NOT IN ('all', 'kind', 'token')");
        await sumAll(store, end);
        expect(await cells()).toEqual(before);
        expect(await store.analytics.rollup.step(end)).toBe(false);
      });

      test('sums from before the views existed are copied into them', async () => {
        const rows = randomRows(seeded(23), 200, start, end - day).map(({ endUser: _, keyId: __, ...row }) => row);
        await store.usage.insertMany(rows);
        await sumAll(store, end);
        const views = "view IN ('by-token', 'by-key', 'by-user')";
        const cells = () =>
          place.query(
            `SELECT view, grain_ms, start_ms, token_id, provider, key_id, end_user, requests, failures, input_tokens, cost_nano, unpriced,
               cost_nano_max, total_ms_max FROM usage_cells WHERE ${views} ORDER BY view, grain_ms, start_ms, token_id, provider`,
          );
        const summed = await cells();
        const before = await store.analytics.total(whole, { tokenIds: ['token-1'] });
        expect(summed.length).toBeGreaterThan(100);
        await place.query(`DELETE FROM usage_cells WHERE ${views}`);
        for (const sql of dimensions.statements) if (sql.startsWith('INSERT')) await place.query(sql);
        expect(await cells()).toEqual(summed);
        expect(await store.analytics.total(whole, { tokenIds: ['token-1'] })).toEqual(before);
      });
    });
  });
}

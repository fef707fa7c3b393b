/** Tables of prices in running replicas: one fetches what is due, all have it, and the last good one stays. Both engines, an injected clock. */

import { expect } from 'bun:test';
import { LiveTables } from '../../src/configuration/live-tables.ts';
import { confirmHeld, planUpdate, removeTable, updatePrices } from '../../src/configuration/update-prices.ts';
import { loadPriceLibrary } from '../../src/prices/price-library.ts';
import { leftOutText } from '../../src/prices/tables/left-out.ts';
import type { PriceTable } from '../../src/prices/tables/table.ts';
import type { Store } from '../../src/store/store.ts';
import { needing } from '../harness/needs.ts';
import { engines, type StorePlace } from '../harness/store-places.ts';
import { until } from '../harness/until.ts';

const hourMs = 3_600_000;

/** A table with one model of a vendor that has a preset. */
const tableOf = (input: number, output = 8): string =>
  JSON.stringify([
    {
      id: 'openai',
      name: 'OpenAI',
      api_pattern: 'x',
      models: [{ id: 'gpt-4.1', match: { equals: 'gpt-4.1' }, prices: { input_mtok: input, output_mtok: output } }],
    },
  ]);

for (const engine of engines) {
  const { afterEach, beforeEach, describe, test } = needing(engine.name);
  describe(`running replicas on ${engine.name}`, () => {
    let place: StorePlace;
    let now = 0;
    const warnings: string[] = [];

    beforeEach(async () => {
      place = await engine.place();
      now = Date.parse('2026-11-16T12:00:00Z');
      warnings.length = 0;
    });
    afterEach(() => place.dispose());

    const address = 'https://ann:secret@prices.test/table.json?key=secret';
    async function aReplica(fetch: () => Promise<string>, addresses: readonly string[] = [address]) {
      const store = await place.open(() => now);
      let tables: readonly PriceTable[] = [];
      let fetches = 0;
      const live = new LiveTables({
        store: store.priceTables,
        addresses,
        refreshMs: 24 * hourMs,
        fetch: () => {
          fetches += 1;
          return fetch();
        },
        bundled: loadPriceLibrary,
        apply: (applied) => {
          tables = applied;
        },
        nowMs: () => now,
        warn: (message) => warnings.push(message),
      });
      await live.start();
      return {
        live,
        store,
        fetches: () => fetches,
        inputUsd: () => {
          const nano = tables[0]?.find('openai', 'gpt-4.1', now)?.price?.input?.nanoPerMillion;
          return nano === undefined ? undefined : Number(nano) / 1e9;
        },
      };
    }
    const parts = (store: Store) => ({ store: store.priceTables, addresses: [], nowMs: () => now });
    const polled = (replica: { live: LiveTables; inputUsd(): number | undefined }, usd: number) =>
      until(async () => {
        await replica.live.poll();
        return replica.inputUsd() === usd;
      });

    test('one of two fetches, both have the price, and it is fetched again when its time has come', async () => {
      let usd = 2.1;
      const fetch = async () => tableOf(usd);
      const [one, two] = [await aReplica(fetch), await aReplica(fetch)];
      await polled(one, 2.1);
      await polled(two, 2.1);
      expect(one.fetches() + two.fetches()).toBe(1);
      usd = 2.2;
      now += 23 * hourMs;
      await Promise.all([one.live.poll(), two.live.poll()]);
      expect(one.fetches() + two.fetches()).toBe(1);
      now += 2 * hourMs;
      await polled(one, 2.2);
      await polled(two, 2.2);
      expect(one.fetches() + two.fetches()).toBe(2);
      expect((await one.store.priceTables.heads()).heads[0]?.origin).toBe('https://prices.test/table.json?…');
      expect(warnings).toEqual([]);
    });

    test('without a configured table there is no request', async () => {
      const replica = await aReplica(async () => tableOf(2.1), []);
      await replica.live.poll();
      expect([replica.fetches(), replica.inputUsd()]).toEqual([0, undefined]);
    });

    test.each([
      ['a server that is gone', () => Promise.reject(new Error('connection refused')), 'connection refused'],
      ['half of a file', async () => tableOf(2).slice(0, 40), ''],
      ['a page that is no table', async () => '<html>', ''],
      ['a price below zero', async () => tableOf(-1), 'input_mtok'],
    ])('the last good one stays over %s, and over a restart', async (_what, broken, said) => {
      let fetch: () => Promise<string> = async () => tableOf(2.1);
      const one = await aReplica(() => fetch());
      await polled(one, 2.1);
      fetch = broken;
      now += 25 * hourMs;
      await until(async () => {
        // The first poll may find that the fetch before it is still being recorded.
        await one.live.poll();
        return (await one.store.priceTables.fetchState()).fault !== undefined;
      });
      expect((await one.store.priceTables.fetchState()).fault).toStartWith('https://prices.test/table.json?…: ');
      expect((await one.store.priceTables.fetchState()).fault).toContain(said);
      expect(one.inputUsd()).toBe(2.1);
      await one.live.stop();
      const two = await aReplica(() => fetch());
      expect(two.inputUsd()).toBe(2.1);
      expect(warnings).toHaveLength(1);
      // It is tried again well before the next day.
      now += hourMs;
      fetch = async () => tableOf(2.3);
      await polled(two, 2.3);
      await until(async () => (await two.store.priceTables.fetchState()).fault === undefined);
    });

    test('a change by another process is seen at a later check, and read once', async () => {
      const replica = await aReplica(async () => '', []);
      const other = await place.open(() => now);
      await updatePrices(tableOf(2.5), '/tmp/t.json', parts(other));
      await polled(replica, 2.5);
      const { kept } = replica.live;
      await replica.live.poll();
      expect(replica.live.kept).toBe(kept);
    });

    test('what changes by more than ten times waits until it is confirmed', async () => {
      const replica = await aReplica(async () => '', []);
      const { store } = replica;
      await updatePrices(tableOf(2.5), '/tmp/t.json', parts(store));
      const { comparison } = await updatePrices(tableOf(250), '/tmp/t.json', parts(store));
      expect(comparison.held.map(({ model }) => model)).toEqual(['gpt-4.1']);
      await replica.live.poll();
      expect(replica.inputUsd()).toBe(2.5);
      expect((await planUpdate(tableOf(260), '/tmp/t.json', parts(store))).comparison.held).toHaveLength(1);
      expect(await confirmHeld('genai-prices', () => false, parts(store))).toEqual([]);
      expect(await confirmHeld('genai-prices', () => true, parts(store))).toHaveLength(1);
      await replica.live.poll();
      expect(replica.inputUsd()).toBe(250);
      const changes = await store.priceTables.changes(10, 'gpt-4.1');
      expect(changes.map(({ state, after }) => [state, after])).toEqual([
        ['confirmed', 250_000_000_000n],
        ['held', 250_000_000_000n],
        ['in effect', 2_500_000_000n],
      ]);
    });

    /** Models by name, each with the rest of its entry. */
    const litellm = (models: Readonly<Record<string, object>>): string =>
      JSON.stringify(
        Object.fromEntries(
          Object.entries(models).map(([name, entry]) => [name, { litellm_provider: 'openai', mode: 'chat', ...entry }]),
        ),
      );
    const sold = { input_cost_per_token: 2.5e-6, output_cost_per_token: 8e-6 };

    test('a model that is not understood keeps its price, and the next table that is understood changes it', async () => {
      const replica = await aReplica(async () => '', []);
      const { store } = replica;
      const update = (models: Readonly<Record<string, object>>) => updatePrices(litellm(models), 'f', parts(store));
      const priceIn = async (model: string) => {
        await replica.live.poll();
        return replica.live.kept.tables[0]?.table.find('openai', model, now)?.price;
      };
      await update({ 'gpt-4.1': sold, other: sold });
      const before = await priceIn('gpt-4.1');
      expect(before?.input?.nanoPerMillion).toBe(2_500_000_000n);
      const raised = { ...sold, output_cost_per_token: 9e-6 };
      for (const broken of [
        { ...raised, cost_per_banana: 1 },
        { ...raised, input_cost_per_token: -1 },
        { currency: 'EUR' },
      ]) {
        const { comparison } = await update({
          'gpt-4.1': broken,
          other: raised,
          fresh: { ...sold, cost_per_banana: 1 },
        });
        expect(comparison.changes.find(({ model }) => model === 'gpt-4.1')?.kind).toBe('kept');
        expect(await priceIn('gpt-4.1')).toEqual(before);
        expect((await priceIn('other'))?.output?.nanoPerMillion).toBe(9_000_000_000n);
        expect((await priceIn('fresh'))?.incomplete).toBe(true);
        const [table] = replica.live.kept.tables;
        expect([table?.held, table?.unread.map(({ model }) => model)]).toEqual([[], ['gpt-4.1']]);
        // Nothing of it waits for a confirmation.
        expect(await confirmHeld('litellm', () => true, parts(store))).toEqual([]);
      }
      await update({ 'gpt-4.1': raised, other: raised });
      expect((await priceIn('gpt-4.1'))?.output?.nanoPerMillion).toBe(9_000_000_000n);
      // One without a host is known by its name; one that is gone is gone.
      await update({ 'gpt-4.1': { litellm_provider: 7 }, fresh: sold });
      expect((await priceIn('gpt-4.1'))?.output?.nanoPerMillion).toBe(9_000_000_000n);
      expect(await priceIn('other')).toBeUndefined();
    });

    test('what a fetch leaves out is in the log and in what the tables say, once', async () => {
      const text = litellm({ 'gpt-4.1': { ...sold, cost_per_banana: 1 }, other: sold });
      const replica = await aReplica(async () => text);
      await until(async () => {
        await replica.live.poll();
        return replica.live.kept.tables.length === 1;
      });
      await replica.live.stop();
      expect(warnings).toEqual(['Parts of a price list are not understood and left out: weir prices.']);
      const named = replica.live.kept.tables[0]?.whole.leftOut.named.map(leftOutText);
      expect(named).toEqual(['line 1, gpt-4.1/cost_per_banana: This unit of a price is not known.']);
      expect((await replica.store.priceTables.fetchState()).fault).toBeUndefined();
    });

    test('a table of which nothing is understood, or that shrinks to less than half, is rejected', async () => {
      const store = await place.open(() => now);
      const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`m${at}`, sold]));
      const refusal = (models: Readonly<Record<string, object>>): Promise<string> =>
        updatePrices(litellm(models), 'f', parts(store)).then(() => 'none', String);
      expect(await refusal({ m: { cost_per_banana: 1 } })).toContain('m/cost_per_banana');
      await updatePrices(litellm(many(50)), 'f', parts(store));
      expect(await refusal(many(24))).toContain(
        'It prices 24 models; the table in effect prices 50. If it is meant, remove that one with `weir prices remove litellm` first.',
      );
      await updatePrices(litellm(many(25)), 'f', parts(store));
      await updatePrices(litellm(many(5)), 'f', parts(store));
      expect((await store.priceTables.heads()).heads[0]?.models).toBe(5);
    });

    test('a removed table leaves its prices in the history', async () => {
      const store = await place.open(() => now);
      await updatePrices(tableOf(2.5), '/tmp/t.json', parts(store));
      expect(await removeTable('models.dev', parts(store))).toBe(false);
      expect(await removeTable('genai-prices', parts(store))).toBe(true);
      expect((await store.priceTables.heads()).heads).toEqual([]);
      const [input, output] = await store.priceTables.changes(2);
      expect([input?.rate, input?.before, input?.after, input?.state]).toEqual([
        'input',
        2_500_000_000n,
        undefined,
        'removed',
      ]);
      expect([output?.rate, output?.state]).toEqual(['output', 'removed']);
    });

    test('the same file again changes nothing but its age', async () => {
      const store = await place.open(() => now);
      await updatePrices(tableOf(2.5), '/tmp/t.json', parts(store));
      const before = await store.priceTables.heads();
      now += hourMs;
      const again = await updatePrices(tableOf(2.5), '/tmp/t.json', parts(store));
      expect(again.isSame).toBe(true);
      const after = await store.priceTables.heads();
      expect(after.revision).toBe(before.revision);
      expect(after.heads[0]?.fetchedAtMs).toBe(now);
    });

    test('several that update at once do so one after the other', async () => {
      const store = await place.open(() => now);
      const other = await place.open(() => now);
      await Promise.all([
        updatePrices(tableOf(2.5), 'a', parts(store)),
        updatePrices(tableOf(2.6), 'b', parts(other)),
        updatePrices(tableOf(2.7), 'c', parts(store)),
      ]);
      expect((await store.priceTables.heads()).revision).toBe(4);
    });
  });
}

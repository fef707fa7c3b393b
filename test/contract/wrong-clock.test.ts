/** What a clock that was wrong for a while wrote is taken back: turns, and sums and removals ahead of their time. On both engines. */

import { expect } from 'bun:test';
import { createRollups } from '../../src/ledger/rollups.ts';
import type { Store } from '../../src/store/store.ts';
import { needing } from '../harness/needs.ts';
import { aUsageRow, engines, type StorePlace } from '../harness/store-places.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const nowMs = Date.UTC(2026, 10, 19, 12, 30);
const furthestMs = day;

/** Every kind of work that one of several processes does: a new kind is a row here. */
const turns: Readonly<Record<string, (store: Store, atMs: number) => Promise<boolean>>> = {
  usage_rollup: (store, atMs) => store.analytics.rollup.claim(atMs, atMs + minute),
  alert_turns: (store, atMs) => store.alerts.claimTurn(atMs, atMs + minute),
  request_export_turns: (store, atMs) => store.requestExports.claim(atMs, atMs + minute),
  price_fetches: (store, atMs) =>
    store.priceTables.claim({ nowMs: atMs, nextMs: atMs + minute, addresses: '', isFirst: false, furthestMs }),
};

for (const engine of engines) {
  const { afterEach, beforeEach, describe, test } = needing(engine.name);
  describe(`a wrong clock on ${engine.name}`, () => {
    let place: StorePlace;
    let store: Store;
    beforeEach(async () => {
      place = await engine.place();
      store = await place.open();
    });
    afterEach(() => place.dispose());

    test('every table of turns is known here', async () => {
      const tables =
        engine.name === 'sqlite'
          ? "SELECT m.name FROM sqlite_master m, pragma_table_info(m.name) c WHERE m.type = 'table' AND c.name = 'due_at_ms'"
          : "SELECT table_name FROM information_schema.columns WHERE column_name = 'due_at_ms'";
      const named = (await place.query(tables)).map(([name]) => String(name));
      // Work that has a row of its own, with its own time.
      const single = ['tasks', 'task_callbacks', 'alert_deliveries'];
      expect(named.filter((name) => !single.includes(name)).sort()).toEqual(Object.keys(turns).sort());
    });

    test.each(
      Object.entries(turns),
    )('%s: a turn of a later time is taken back, one that is due soon is not', async (_, claim) => {
      for (const aheadMs of [2 * day, 31 * day, 400 * day]) {
        expect(await claim(store, nowMs + aheadMs)).toBe(true);
        expect(await claim(store, nowMs)).toBe(true);
        expect(await claim(store, nowMs)).toBe(false);
        expect(await claim(store, nowMs + minute)).toBe(true);
      }
      expect(await claim(store, nowMs - 2 * minute)).toBe(false);
    });

    test('sums and removals continue, and every row that is left is summed once', async () => {
      const add = async (name: string, atMs: number, count: number) => {
        const row = (index: number) => aUsageRow({ requestId: `${name}-${index}`, atMs: atMs + index });
        await store.usage.insertMany(Array.from({ length: count }, (_, index) => row(index)));
      };
      const passAt = (atMs: number, wallMs = atMs) =>
        createRollups({
          store: store.analytics.rollup,
          nowMs: () => atMs,
          wallMs: () => wallMs,
          retentionDays: 30,
          onFault: (error) => {
            throw error;
          },
        }).pass();
      await add('old', nowMs - 3 * day, 10);
      await passAt(nowMs - 2 * hour);
      // A process that was not used for days sums up to its newest request at first: nothing was summed ahead of its time.
      await passAt(nowMs - 3 * day, nowMs);
      expect(await place.query('SELECT start_ms FROM usage_marks')).toEqual([]);
      expect((await store.analytics.state()).hourUntilMs).toBeGreaterThan(nowMs - 4 * hour);
      // Another process, 31 days ahead: it sums up to its own time, and would remove all there is.
      await passAt(nowMs + 31 * day);
      const left = Number((await place.query('SELECT COUNT(*) FROM usage_rows'))[0]?.[0]);
      await add('new', nowMs - 90 * minute, 7);
      expect((await passAt(nowMs))?.removed).toBe(0);
      expect(Number((await place.query('SELECT COUNT(*) FROM usage_rows'))[0]?.[0])).toBe(left + 7);
      const state = await store.analytics.state();
      for (const untilMs of [state.hourUntilMs, state.dayUntilMs, state.weekUntilMs, state.retainedFromMs])
        expect(untilMs).toBeLessThanOrEqual(nowMs);
      const total = await store.analytics.total({ fromMs: nowMs - 10 * day, toMs: nowMs }, {});
      expect(total.requests).toBe(17);
      await passAt(nowMs + 3 * hour);
      expect((await store.analytics.total({ fromMs: nowMs - 10 * day, toMs: nowMs }, {})).requests).toBe(17);
    });
  });
}

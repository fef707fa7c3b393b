/** What the store promises about alerts, on both engines: raised once over all stores, delivered by one at a time. */

import { expect } from 'bun:test';
import type { ChannelRecord, NewAlert, NewDelivery, RuleRecord } from '../../src/store/alerts/alert-records.ts';
import type { Store } from '../../src/store/store.ts';
import { needing } from '../harness/needs.ts';
import { engines, type StorePlace } from '../harness/store-places.ts';

const alert = (given: Partial<NewAlert> = {}): NewAlert => ({
  ...{ kind: 'budget', subject: 'team:team_1#b1', occurrence: '2026-11', threshold: '80', subjectName: 'Team “A”' },
  ...{
    severity: 'warning',
    title: 'Budget at 80 %',
    detail: 'much\u2028',
    facts: { percent: 80, unit: 'usd' },
    state: 'noted',
  },
  ...given,
});
const to = (channelId: string, given: Partial<NewDelivery> = {}): NewDelivery => ({
  ...{ channelId, ruleId: 'rule_1', dueAtMs: 1_000 },
  ...given,
});

for (const engine of engines) {
  const { afterEach, beforeEach, describe, test } = needing(engine.name);
  describe(`alerts on ${engine.name}`, () => {
    let place: StorePlace;
    let store: Store;
    beforeEach(async () => {
      place = await engine.place();
      store = await place.open(() => 1_000);
    });
    afterEach(() => place.dispose());
    /** On the embedded engine one process has the database; its calls are still concurrent. */
    const stores = async (): Promise<readonly Store[]> =>
      engine.name === 'sqlite' ? [store, store, store] : [store, await place.open(), await place.open()];

    test('an alert is raised by one of three stores, with its deliveries', async () => {
      const three = await stores();
      const raised = await Promise.all(
        three.flatMap(({ alerts }, index) =>
          ['50', '80'].map((threshold) =>
            alerts.raise(`a${index}-${threshold}`, alert({ threshold }), [to('ch_1')], 1_000),
          ),
        ),
      );
      expect(raised.filter(Boolean)).toHaveLength(2);
      const { items } = await store.alerts.list({ limit: 10 }, {});
      expect(items.map(({ threshold }) => threshold).toSorted()).toEqual(['50', '80']);
      const [first] = items;
      expect(first).toMatchObject({
        ...alert({ threshold: first?.threshold ?? '' }),
        raisedAtMs: 1_000,
        seenAtMs: 1_000,
      });
      const sent = await store.alerts.deliveriesOf(items.map(({ id }) => id));
      expect(sent.map(({ channelId, notice, state, tries }) => [channelId, notice, state, tries])).toEqual([
        ['ch_1', 'raised', 'pending', 0],
        ['ch_1', 'raised', 'pending', 0],
      ]);
    });

    test('the next window is another alert; what lasts is repeated by its interval and no oftener', async () => {
      const often = [to('ch_1', { repeatMs: 100 }), to('ch_2')];
      expect(await store.alerts.raise('a1', alert(), often, 1_000)).toBe(true);
      expect(await store.alerts.raise('a2', alert({ occurrence: '2026-12' }), [], 1_000)).toBe(true);
      for (const atMs of [1_050, 1_100, 1_150, 1_199, 1_200]) {
        expect(await store.alerts.raise('x', alert(), often, atMs)).toBe(false);
      }
      const sent = await store.alerts.deliveriesOf(['a1', 'a2', 'x']);
      expect(sent.map(({ channelId, notice, sequence }) => `${channelId} ${notice} ${sequence}`).toSorted()).toEqual([
        'ch_1 raised 0',
        'ch_1 repeated 1',
        'ch_1 repeated 2',
        'ch_2 raised 0',
      ]);
      expect((await store.alerts.known([alert(), alert({ occurrence: 'never' })])).map(({ id }) => id)).toEqual(['a1']);
    });

    test('an open alert is resolved once, and the next one is another', async () => {
      const down = alert({ kind: 'provider-down', subject: 'provider:up', occurrence: 'now', state: 'open' });
      await store.alerts.raise('a1', down, [to('ch_1')], 1_000);
      await store.alerts.raise('a2', alert(), [], 1_000);
      expect((await store.alerts.open()).map(({ id }) => id)).toEqual(['a1']);
      const resolved = await Promise.all(
        (await stores()).map(({ alerts }) => alerts.resolve('a1', [to('ch_1')], 2_000)),
      );
      expect(resolved.filter(Boolean)).toHaveLength(1);
      expect(await store.alerts.resolve('a2', [], 2_000)).toBe(false);
      expect(await store.alerts.open()).toEqual([]);
      expect((await store.alerts.deliveriesOf(['a1'])).map(({ notice }) => notice)).toEqual(['raised', 'resolved']);
      expect(await store.alerts.raise('a3', down, [], 3_000)).toBe(true);
      const { items } = await store.alerts.list({ limit: 10 }, { kind: 'provider-down' });
      expect(items.map(({ id, state }) => [id, state])).toEqual([
        ['a3', 'open'],
        ['a1', 'resolved'],
      ]);
      expect(items[1]?.resolvedAtMs).toBe(2_000);
    });

    test('a delivery is claimed by one store, and by another when that one died', async () => {
      await store.alerts.raise('a1', alert(), [to('ch_1'), to('ch_2', { dueAtMs: 5_000 })], 1_000);
      expect(await store.alerts.claim(999, 500, 10)).toEqual([]);
      const claimed = await Promise.all((await stores()).map(({ alerts }) => alerts.claim(1_000, 500, 10)));
      expect(claimed.flat()).toHaveLength(1);
      const [first] = claimed.flat();
      expect(first).toMatchObject({
        delivery: { channelId: 'ch_1', tries: 1 },
        alert: { id: 'a1', facts: { percent: 80 } },
      });
      expect(await store.alerts.claim(1_499, 500, 10)).toEqual([]);
      const [second] = await store.alerts.claim(1_500, 500, 10);
      expect(second?.delivery.tries).toBe(2);
      const batch = second?.delivery.batch ?? '';
      // The one that was believed dead says what came of its try: too late.
      await store.alerts.endTry(batch, 1, { state: 'delivered', atMs: 1_600 });
      await store.alerts.endTry(batch, 2, { state: 'pending', dueAtMs: 3_000, error: 'status 500' });
      expect(await store.alerts.claim(2_999, 500, 10)).toEqual([]);
      expect(await store.alerts.claim(3_000, 500, 10)).toMatchObject([
        { delivery: { tries: 3, lastError: 'status 500' } },
      ]);
      await store.alerts.endTry(batch, 3, { state: 'delivered', atMs: 3_100 });
      const sent = await store.alerts.deliveriesOf(['a1']);
      expect(sent.map(({ state, endedAtMs, lastError }) => [state, endedAtMs, lastError])).toEqual([
        ['delivered', 3_100, undefined],
        ['pending', undefined, undefined],
      ]);
      expect((await store.alerts.lastDeliveries()).map(({ channelId, state }) => [channelId, state])).toEqual([
        ['ch_1', 'delivered'],
      ]);
    });

    test('a batch is claimed as a whole, and so many batches at a time', async () => {
      const digest = to('ch_1', { batch: 'digest 7:00', dueAtMs: 2_000 });
      for (const threshold of ['50', '80', '100'])
        await store.alerts.raise(`d${threshold}`, alert({ threshold }), [digest], 1_000);
      await store.alerts.raise('other', alert({ occurrence: 'x' }), [to('ch_2', { dueAtMs: 2_001 })], 1_000);
      const [claimed, rest] = [await store.alerts.claim(9_000, 500, 1), await store.alerts.claim(9_000, 500, 1)];
      expect(claimed.map(({ alert: { id } }) => id)).toEqual(['d100', 'd50', 'd80']);
      expect(rest.map(({ alert: { id } }) => id)).toEqual(['other']);
      await store.alerts.endTry('digest 7:00', 1, { state: 'failed', atMs: 9_100, error: 'status 410' });
      const sent = await store.alerts.deliveriesOf(['d50', 'd80', 'd100']);
      expect(new Set(sent.map(({ state, lastError }) => `${state} ${lastError}`))).toEqual(
        new Set(['failed status 410']),
      );
    });

    test('one store at a time evaluates', async () => {
      const turns = await Promise.all((await stores()).map(({ alerts }) => alerts.claimTurn(5_000, 6_000)));
      expect(turns.filter(Boolean)).toHaveLength(1);
      expect(await store.alerts.claimTurn(5_999, 7_000)).toBe(false);
      expect(await store.alerts.claimTurn(6_000, 7_000)).toBe(true);
    });

    test('history is in pages, and bounded by age and number', async () => {
      for (let index = 1; index <= 6; index++)
        await store.alerts.raise(`a${index}`, alert({ occurrence: `${index}` }), [to('ch_1')], index * 1_000);
      const page = await store.alerts.list({ limit: 4 }, { state: 'noted' });
      expect(page.items.map(({ id }) => id)).toEqual(['a6', 'a5', 'a4', 'a3']);
      expect((await store.alerts.list({ limit: 4, after: page.next }, {})).items.map(({ id }) => id)).toEqual([
        'a2',
        'a1',
      ]);
      await store.alerts.expire(2_000, 100);
      expect((await store.alerts.list({ limit: 9 }, {})).items).toHaveLength(5);
      await store.alerts.expire(0, 2);
      expect((await store.alerts.list({ limit: 9 }, {})).items.map(({ id }) => id)).toEqual(['a6', 'a5', 'a4']);
      expect(await store.alerts.deliveriesOf(['a1', 'a3', 'a6'])).toHaveLength(1);
    });

    test('channels and rules come back as they went in; a removed channel gets nothing more', async () => {
      const channel: ChannelRecord = {
        ...{
          id: 'ch_1',
          kind: 'webhook',
          name: 'ops',
          settings: { host: 'hooks.example' },
          sealed: '2.x',
          disabled: false,
        },
        ...{ createdAtMs: 1, updatedAtMs: 2 },
      };
      const rule: RuleRecord = {
        ...{ id: 'rule_1', name: 'all', disabled: true, createdAtMs: 1, updatedAtMs: 2 },
        terms: {
          ...{ kinds: ['budget'], channels: ['ch_1'], severityMin: 'info', budgetPercents: [50], spendFactor: 2.5 },
          ...{ spendUsdMin: '0.5', errorPercent: 10, errorAttemptsMin: 5, expiryDays: [7], shutdownDays: [30] },
          quiet: { timeZone: 'Europe/Berlin', from: '22:00', to: '07:00', criticalPasses: true },
        },
      };
      await store.alerts.channels.put(channel);
      await store.alerts.rules.put(rule);
      await store.alerts.rules.put({ ...rule, name: 'changed' });
      expect(await store.alerts.channels.list()).toEqual([channel]);
      expect(await store.alerts.rules.list()).toEqual([{ ...rule, name: 'changed' }]);
      await store.alerts.raise('a1', alert(), [to('ch_1')], 1_000);
      expect(await store.alerts.channels.remove('ch_1', 1_100)).toBe(true);
      expect(await store.alerts.channels.remove('ch_1', 1_100)).toBe(false);
      expect(await store.alerts.deliveriesOf(['a1'])).toMatchObject([
        { state: 'failed', lastError: 'The channel was deleted.' },
      ]);
      expect([await store.alerts.rules.remove('rule_1'), await store.alerts.rules.remove('rule_1')]).toEqual([
        true,
        false,
      ]);
    });

    test('finds tokens that expire and people with budgets', async () => {
      const insert = (id: string, expiresAtMs?: number) =>
        store.tokens.insert({
          id,
          digest: id,
          hint: '',
          createdAtMs: 1,
          terms: { name: id, ...(expiresAtMs && { expiresAtMs }) },
        });
      await insert('soon', 5_000);
      await insert('later', 50_000);
      await insert('never');
      await insert('revoked', 5_000);
      await store.tokens.revoke('revoked', 2);
      expect((await store.alerts.expiringTokens(10_000)).map(({ id }) => id)).toEqual(['soon']);
      for (const id of ['acc_1', 'acc_2'])
        await store.accounts.insert({ id, name: id, nameKey: id, role: 'member', passwordHash: 'x', createdAtMs: 1 });
      const budgets = [{ id: 'b1', unit: 'usd', limit: 5n, period: 'day' }] as const;
      await store.organization.setPersonTerms('acc_2', { budgets });
      expect(await store.alerts.peopleWithBudgets()).toEqual([{ id: 'acc_2', name: 'acc_2', terms: { budgets } }]);
    });
  });
}

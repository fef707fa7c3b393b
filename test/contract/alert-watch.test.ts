/** From facts to messages on both engines, by an injected clock: once over replicas, quiet hours, repeats, retries, resolved notices. */

import { expect } from 'bun:test';
import type { Message } from '../../src/alerts/channels/message.ts';
import type { Sent } from '../../src/alerts/channels/send.ts';
import { createDeliver } from '../../src/alerts/deliver.ts';
import { thresholdDefaults } from '../../src/alerts/evaluate/evaluate.ts';
import type { Facts } from '../../src/alerts/facts.ts';
import { createAlertWatch } from '../../src/alerts/watch.ts';
import type { RuleTerms } from '../../src/store/alerts/alert-records.ts';
import type { Store } from '../../src/store/store.ts';
import { needing } from '../harness/needs.ts';
import { engines, type StorePlace } from '../harness/store-places.ts';

const minute = 60_000;
const hour = 60 * minute;
const begin = Date.UTC(2026, 10, 17, 12);

for (const engine of engines) {
  const { afterEach, beforeEach, describe, test } = needing(engine.name);
  describe(`watching on ${engine.name}`, () => {
    let place: StorePlace;
    let store: Store;
    let now = begin;
    let facts: Partial<Facts> = {};
    let messages: { readonly channel: string; readonly message: Message }[] = [];
    let answers: Sent[] = [];
    beforeEach(async () => {
      place = await engine.place();
      store = await place.open(() => now);
      [now, facts, messages, answers] = [begin, {}, [], []];
      for (const id of ['ch_1', 'ch_2']) {
        const times = { createdAtMs: begin, updatedAtMs: begin };
        await store.alerts.channels.put({ id, kind: 'slack', name: id, settings: {}, disabled: false, ...times });
      }
    });
    afterEach(() => place.dispose());

    const nothing = { sums: [], minutes: [], ends: [] };
    const replica = (alerts: Store['alerts'] = store.alerts) => {
      const deliver = createDeliver({
        ...{ store: alerts, pageUrl: undefined, retryMs: 30_000, nowMs: () => now, random: () => 0, warn: () => {} },
        send: async (channel, message) => {
          messages.push({ channel: channel.id, message });
          return answers.shift() ?? { ok: true, status: 200, answer: 'ok' };
        },
      });
      const watch = createAlertWatch({
        ...{ store: alerts, deliver, periodMs: 30_000, retentionDays: 90, nowMs: () => now },
        newId: () => `alert_${crypto.randomUUID()}`,
        readFacts: async () => ({
          ...{
            nowMs: now,
            budgets: [],
            spends: [],
            attempts: nothing,
            recent: nothing,
            recentFromMs: now - 5 * minute,
          },
          ...{ providers: ['up'], expiring: [], unpriced: [], ending: [], conditions: [], ...facts },
        }),
        onFault: (_what, cause) => {
          throw cause;
        },
      });
      const signal = new AbortController().signal;
      return { watch, deliver: () => deliver(signal) };
    };
    const rule = (terms: Partial<RuleTerms> = {}) =>
      store.alerts.rules.put({
        ...{ id: 'rule_1', name: 'all', disabled: false, createdAtMs: begin, updatedAtMs: begin },
        terms: {
          ...thresholdDefaults,
          kinds: ['budget', 'provider-down'],
          channels: ['ch_1'],
          severityMin: 'info',
          ...terms,
        },
      });
    const budget = (percent: bigint, windowStartMs = 0) => [
      {
        ...{ scope: 'team:t#b', name: 'team A', unit: 'usd' as const, limit: 100n, spent: percent },
        ...{ windowStartMs, windowEndMs: undefined },
      },
    ];
    const titles = (): string[] => messages.flatMap(({ message }) => message.items.map(({ alert }) => alert.title));
    /** Evaluates and delivers as if a timer had come. */
    const round = async (afterMs = 30_000, { watch, deliver } = replica()): Promise<void> => {
      now += afterMs;
      await watch.evaluate();
      await deliver();
    };

    test('three replicas raise once for each threshold and window, and one of them sends', async () => {
      await rule({ channels: ['ch_1', 'ch_2'] });
      const opened = engine.name === 'sqlite' ? [store, store, store] : [store, await place.open(), await place.open()];
      const three = opened.map(({ alerts }) => replica(alerts));
      for (const percent of [40n, 55n, 60n, 85n, 99n, 100n, 130n]) {
        facts = { budgets: budget(percent) };
        now += 30_000;
        await Promise.all(three.map(async ({ watch, deliver }) => [await watch.evaluate(), await deliver()]));
      }
      facts = { budgets: budget(90n, begin) };
      now += 30_000;
      await Promise.all(three.map(async ({ watch, deliver }) => [await watch.evaluate(), await deliver()]));
      await round();
      const expected = ['50', '80', '100', '80'].map((percent) => `Budget of team A at ${percent} %`);
      expect(titles().toSorted()).toEqual([...expected, ...expected].toSorted());
      expect((await store.alerts.list({ limit: 9 }, {})).items).toHaveLength(4);
    });

    test('quiet hours: the critical pass, the others come at the end as one message', async () => {
      await rule({ quiet: { timeZone: 'UTC', from: '11:00', to: '14:00', criticalPasses: true } });
      facts = { budgets: budget(55n) };
      await round();
      facts = { budgets: budget(85n) };
      await round();
      expect(titles()).toEqual([]);
      facts = { budgets: budget(100n) };
      await round();
      expect(titles()).toEqual(['Budget of team A at 100 %']);
      now = begin + 2 * hour - 1;
      await round(0);
      expect(messages).toHaveLength(1);
      await round(1);
      expect(messages[1]?.message.isDigest).toBe(true);
      expect(titles().slice(1)).toEqual(['Budget of team A at 50 %', 'Budget of team A at 80 %']);
      await round(hour);
      expect(messages).toHaveLength(2);
    });

    test('severity, kinds and disabled channels choose; without rules there is history only', async () => {
      facts = { budgets: budget(100n) };
      await round();
      expect((await store.alerts.list({ limit: 9 }, {})).items).toHaveLength(1);
      await rule({ severityMin: 'critical', channels: ['ch_1', 'ch_2'] });
      const [, second] = await store.alerts.channels.list();
      if (second !== undefined) await store.alerts.channels.put({ ...second, disabled: true });
      facts = { budgets: budget(55n, 1) };
      await round();
      facts = { budgets: budget(100n, 1) };
      await round();
      expect(messages.map(({ channel }) => channel)).toEqual(['ch_1']);
      await rule({ kinds: ['token-expiry'] });
      facts = { budgets: budget(100n, 2) };
      await round();
      expect(messages).toHaveLength(1);
    });

    test('what lasts is repeated, and a notice says when it is over', async () => {
      await rule({ repeatMinutes: 60 });
      const end = (given: object) => ({
        ...{ provider: 'up', keyId: 'k', model: 'm', atMs: now, servedAtMs: 0, rejectedAtMs: 0, forbiddenAtMs: 0 },
        ...{ failedAtMs: 0, requestId: '', code: 'x', message: '', ...given },
      });
      const sums = {
        provider: 'up',
        keyId: 'k',
        model: 'm',
        outputTokens: 0,
        outputMs: 0,
        firstTokens: '',
        totals: '',
      };
      facts = { recent: { ...nothing, sums: [{ ...sums, attempts: 9, failed: 9 }], ends: [end({ failedAtMs: now })] } };
      for (let index = 0; index < 5; index++) await round(30 * minute);
      const notices = () => messages.map(({ message }) => message.items[0]?.notice);
      expect(notices()).toEqual(['raised', 'repeated', 'repeated']);
      // Nothing is requested: it is not known to be over.
      facts = {};
      await round();
      expect(notices()).toHaveLength(3);
      facts = { recent: { ...nothing, ends: [end({ servedAtMs: now + 30_000 })] } };
      await round();
      await round();
      expect(notices()).toEqual(['raised', 'repeated', 'repeated', 'resolved']);
      expect(await store.alerts.open()).toEqual([]);
    });

    test('eight tries over hours, then it is given up; the receiver may ask for more time', async () => {
      await rule();
      facts = { budgets: budget(55n) };
      answers = Array.from({ length: 9 }, () => ({ ok: false, status: 500, answer: 'status 500' }));
      answers[1] = { ok: false, status: 429, answer: 'status 429', retryAfterMs: 15 * minute };
      await round();
      facts = {};
      const id = (await store.alerts.list({ limit: 1 }, {})).items[0]?.id ?? '';
      const waits: number[] = [];
      for (let tries = 1; tries < 8; tries++) {
        const [delivery] = await store.alerts.deliveriesOf([id]);
        waits.push(((delivery?.dueAtMs ?? 0) - now) / 30_000);
        now = (delivery?.dueAtMs ?? 0) - 1;
        await round(0);
        expect(messages).toHaveLength(tries);
        await round(1);
        expect(messages).toHaveLength(tries + 1);
      }
      expect(waits).toEqual([1, 30, 20, 60, 120, 360, 480]);
      await round(48 * hour);
      expect(messages).toHaveLength(8);
      expect(await store.alerts.deliveriesOf([id])).toMatchObject([
        { state: 'failed', tries: 8, lastError: 'status 500' },
      ]);
      expect(new Set(messages.map(({ message }) => message.id)).size).toBe(1);
    });
  });
}

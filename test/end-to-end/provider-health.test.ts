/** What a running Weir says about a provider that fails 40 % of its attempts, one that rejects its key, and a slow one. */

import { expect, setDefaultTimeout } from 'bun:test';
import type { ModelView } from '../../src/admin/contracts/account-contract.ts';
import type { ConfiguredProviderView, ModelDetailView } from '../../src/admin/contracts/configuration-contract.ts';
import type { HealthFiguresView, HealthView } from '../../src/admin/contracts/health-contract.ts';
import type { ConsoleClient } from '../harness/console-client.ts';
import { ownerOf, personOf } from '../harness/console-session.ts';
import { askDatabase } from '../harness/kept-database.ts';
import { needing } from '../harness/needs.ts';
import { until } from '../harness/until.ts';
import {
  sendToUnwell,
  sent,
  slowness,
  startUnwellProviders,
  type UnwellProviders,
} from '../harness/unwell-providers.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

setDefaultTimeout(120_000);

for (const database of ['sqlite', 'postgres'] as const) {
  const { afterAll, beforeAll, describe, test } = needing(database);
  describe(`provider health on ${database}`, () => {
    let providers: UnwellProviders;
    let weir: RunningWeir;
    let owner: ConsoleClient;
    let statuses: readonly number[];
    beforeAll(async () => {
      providers = startUnwellProviders();
      weir = await startWeir({ yaml: providers.yaml, database });
      owner = await ownerOf(weir);
      statuses = await sendToUnwell(weir);
      await until(async () => (await healthOf()).provider('slow')?.attempts === sent.slow);
    });
    afterAll(async () => {
      await weir?.remove();
      providers?.stop();
    });

    async function healthOf() {
      const view = (await owner.get('/health')).body as HealthView;
      return {
        view,
        provider: (name: string) => view.providers.find(({ provider }) => provider === name),
        key: (name: string) => view.keys.find(({ provider }) => provider === name),
        target: (name: string) => view.targets.find(({ provider }) => provider === name),
      };
    }
    const itemsOf = async <Item>(path: string): Promise<readonly Item[]> =>
      ((await owner.get(path)).body as { items: readonly Item[] }).items;

    test('every request was answered, and health counts the attempts that were hidden by fallbacks', async () => {
      expect(new Set(statuses)).toEqual(new Set([200]));
      const health = await healthOf();
      const flaky = { attempts: sent.flaky, failed: sent.flakyFailed, errorRate: 0.4, state: 'degraded' };
      const message = expect.stringContaining('The engine is on fire.');
      for (const found of [health.provider('flaky'), health.key('flaky'), health.target('flaky')]) {
        expect(found).toMatchObject({ ...flaky, lastError: { status: 500, code: 'upstream_failed', message } });
      }
      expect(health.provider('steady')).toMatchObject({
        ...{ attempts: sent.flakyFailed + sent.rejecting, failed: 0, errorRate: 0, state: 'healthy' },
      });
      expect(health.provider('steady')).not.toHaveProperty('lastError');
      expect(health.provider('flaky')?.minutes.reduce((sum, { failed }) => sum + failed, 0)).toBe(sent.flakyFailed);
      expect(health.provider('sandbox')?.state).toBe('no-data');
    });

    test('a rejected key is the state of the key, of every model that needs it, and of the provider', async () => {
      const health = await healthOf();
      const lastError = { status: 401, message: expect.stringContaining('Incorrect API key provided.') };
      for (const found of [health.provider('rejecting'), health.key('rejecting'), health.target('rejecting')]) {
        expect(found).toMatchObject({ state: 'key-rejected', errorRate: 1, lastError });
      }
      const { body } = await owner.get('/model?id=never-called');
      expect((body as ModelDetailView).targets).toMatchObject([
        { provider: 'rejecting', state: 'key-rejected', attempts: 0 },
      ]);
    });

    test('a slow provider is healthy, and its figures say how slow it is', async () => {
      const { provider, target } = await healthOf();
      const found: HealthFiguresView | undefined = provider('slow');
      expect(found).toMatchObject({ state: 'healthy', errorRate: 0 });
      // Percentiles are exact to 3.2 %.
      expect(found?.firstTokenMs?.p50).toBeGreaterThan(slowness.firstTokenMs * 0.96);
      expect(found?.totalMs?.p50).toBeGreaterThan((slowness.firstTokenMs + slowness.outputMs) * 0.96);
      expect(found?.totalMs?.p95).toBeGreaterThanOrEqual(found?.totalMs?.p50 ?? 0);
      expect(found?.tokensPerSecond).toBeGreaterThan(0);
      expect(found?.tokensPerSecond).toBeLessThan((50 * 1_000) / (slowness.outputMs * 0.9));
      expect(target('slow')?.firstTokenMs).toEqual(found?.firstTokenMs);
      // Nothing but streams has a first token.
      expect(provider('flaky')).not.toHaveProperty('firstTokenMs');
      expect(provider('flaky')?.totalMs?.p50).toBeGreaterThanOrEqual(0);
    });

    test('providers, models and a model’s page say the same', async () => {
      const { view } = await healthOf();
      for (const provider of await itemsOf<ConfiguredProviderView>('/providers')) {
        const { inFlight: _now, ...own } =
          view.providers.find((each) => each.provider === provider.name) ?? expect.unreachable();
        expect(provider.health).toMatchObject(own);
        expect(provider.targets.map(({ state }) => state)).toEqual(
          view.targets.filter((target) => target.provider === provider.name).map(({ state }) => state),
        );
        for (const key of provider.keys) {
          const known = view.keys.find(({ provider: name, keyId }) => name === provider.name && keyId === key.id);
          const { state, attempts, failed } = known ?? expect.unreachable();
          expect(key).toMatchObject({ state, attempts, failed });
        }
      }
      const models = await itemsOf<ModelView>('/models');
      const shown = (id: string) => models.find((model) => model.id === id);
      expect(shown('flaky-model')?.health).toMatchObject({ state: 'degraded', errorRate: 0.4 });
      expect(shown('through-flaky')?.targets.map(({ state }) => state)).toEqual(['degraded', 'healthy']);
      expect(shown('through-rejecting')?.health.state).toBe('key-rejected');
      const { body } = await owner.get('/model?id=through-flaky');
      const { targets } = body as ModelDetailView;
      expect(targets).toMatchObject([
        { provider: 'flaky', state: 'degraded', attempts: sent.flaky, failed: sent.flakyFailed },
        { provider: 'steady', state: 'healthy' },
      ]);
    });

    test('a member sees the states, and neither traffic nor what providers said', async () => {
      const member = await personOf(weir, owner, 'member');
      expect((await member.get('/health')).status).toBe(403);
      const [list, detail] = await Promise.all([member.get('/models'), member.get('/model?id=through-rejecting')]);
      const { items } = list.body as { items: readonly ModelView[] };
      expect(items.find(({ id }) => id === 'through-rejecting')?.health).toEqual({ state: 'key-rejected' });
      const { targets } = detail.body as ModelDetailView;
      expect(targets.map(({ state }) => state)).toEqual(['key-rejected', 'healthy']);
      const text = JSON.stringify([list.body, detail.body]);
      for (const hidden of ['Incorrect API key', 'lastError', 'attempts', 'errorRate', 'on fire']) {
        expect(text).not.toContain(hidden);
      }
    });

    test('the metrics count attempts and have the states', async () => {
      const text = await (await fetch(`${weir.url}/metrics`)).text();
      for (const line of [
        `weir_attempts_total{provider="flaky",model="flaky-model",outcome="failed",verdict="uncertain"} ${sent.flakyFailed}`,
        `weir_attempts_total{provider="flaky",model="flaky-model",outcome="served",verdict="served"} ${sent.flaky - sent.flakyFailed}`,
        `weir_attempt_first_token_seconds_count{provider="slow"} ${sent.slow}`,
        'weir_attempt_first_token_seconds_bucket{provider="slow",le="0.5"} 0',
        `weir_attempt_seconds_count{provider="slow"} ${sent.slow}`,
        'weir_provider_state{provider="flaky"} 1',
        'weir_provider_state{provider="rejecting"} 5',
        'weir_provider_state{provider="slow"} 0',
        'weir_provider_state{provider="sandbox"} -1',
        'weir_target_state{provider="rejecting",model="rejecting-model"} 5',
        'weir_key_state{provider="rejecting",key="rejecting-key"} 5',
      ]) {
        expect(text).toContain(`${line}\n`);
      }
    });

    test('after a restart everything is as before: a dead key does not look healthy', async () => {
      const { view } = await healthOf();
      const states = ({ providers: all }: HealthView) =>
        all.map(({ provider, state, failed }) => [provider, state, failed]);
      expect(await weir.stop()).toBe(0);
      // The same attempts as in the ledger, one by one.
      const attempts = await askDatabase(weir, `SELECT provider, verdict FROM attempts WHERE state = 'settled'`);
      const counted = Object.groupBy(attempts, ({ provider }) => provider ?? '');
      for (const { provider, attempts: all, failed } of view.providers) {
        const own = counted[provider] ?? [];
        expect([provider, own.length, own.filter(({ verdict }) => verdict !== '').length]).toEqual([
          provider,
          all,
          failed,
        ]);
      }
      const { stdout } = await weir.command('doctor');
      expect(stdout).toMatch(/health flaky\s+warning\s+degraded; 20 attempts in the last hour, 8 failed \(40 %\)/);
      expect(stdout).toMatch(/health rejecting\s+warning\s+key rejected; .*HTTP 401 .*Incorrect API key provided\./);
      expect(stdout).toMatch(/health slow\s+ok\s+healthy; /);
      await weir.restart();
      expect(states((await healthOf()).view)).toEqual(states(view));
      expect((await healthOf()).key('rejecting')).toMatchObject({ state: 'key-rejected', lastError: { status: 401 } });
    });
  });
}

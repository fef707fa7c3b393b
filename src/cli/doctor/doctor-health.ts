/** The doctor's report on how attempts ended: the same state and figures that the console shows, from the database. */

import type { HealthStateName, LastErrorView, ProviderHealthView } from '../../admin/contracts/health-contract.ts';
import { createHealthReader } from '../../admin/health/health-reader.ts';
import type { MergedConfiguration } from '../../configuration/merge.ts';
import { assembleProvider } from '../../providers/assemble.ts';
import { Catalogue } from '../../routing/catalogue.ts';
import { KeyRing } from '../../routing/keys.ts';
import type { Store } from '../../store/store.ts';
import { printable } from '../table.ts';
import type { Check } from './doctor-providers.ts';

const messageLengthMax = 200;

const stateNames: Readonly<Record<HealthStateName, string>> = {
  'key-rejected': 'key rejected',
  'model-missing': 'model missing',
  'circuit-open': 'circuit open',
  probing: 'probing',
  'rate-limited': 'rate limited',
  degraded: 'degraded',
  healthy: 'healthy',
  'no-data': 'no data',
  disabled: 'disabled',
};

/** Of providers that were ever called. Cooldowns and circuits are known only to the process that serves. */
export function checkHealth(providers: readonly ProviderHealthView[], nowMs: number): readonly Check[] {
  return providers
    .filter(({ attempts, lastError }) => attempts > 0 || lastError !== undefined)
    .map((provider) => ({
      name: printable(`health ${provider.provider}`),
      state: provider.state === 'healthy' || provider.state === 'no-data' ? 'ok' : 'warning',
      detail: [stateNames[provider.state], ...figuresOf(provider), ...errorOf(provider.lastError, nowMs)].join('; '),
    }));
}

function figuresOf({ attempts, failed, firstTokenMs, totalMs }: ProviderHealthView): readonly string[] {
  if (attempts === 0) return ['no attempts in the last hour'];
  const percent = Math.round((failed / attempts) * 1_000) / 10;
  return [
    `${attempts} ${attempts === 1 ? 'attempt' : 'attempts'} in the last hour, ${failed} failed (${percent} %)`,
    ...(firstTokenMs === undefined ? [] : [`first token p50 ${firstTokenMs.p50} ms, p95 ${firstTokenMs.p95} ms`]),
    ...(totalMs === undefined ? [] : [`total p50 ${totalMs.p50} ms, p95 ${totalMs.p95} ms`]),
  ];
}

function errorOf(error: LastErrorView | undefined, nowMs: number): readonly string[] {
  if (error === undefined) return [];
  const { at, status, code, message } = error;
  const what = status === undefined ? code : `HTTP ${status}`;
  const said = message === '' ? '' : ` ${printable(message).slice(0, messageLengthMax)}`;
  return [`last error ${agoText(nowMs - Date.parse(at))}: ${what}${said}`];
}

function agoText(ms: number): string {
  const minutes = Math.max(0, Math.round(ms / 60_000));
  if (minutes < 120) return `${minutes} min ago`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} h ago` : `${Math.round(hours / 24)} days ago`;
}

export async function healthIn(
  store: Pick<Store, 'attemptHealth'>,
  merged: MergedConfiguration,
): Promise<readonly ProviderHealthView[]> {
  const unused = () => Promise.reject(new Error('No provider is called here.'));
  const configs = merged.providers.flatMap(({ config }) => (config?.enabled === true ? [config] : []));
  const providers = configs.map((config) => assembleProvider(config, unused));
  const reader = createHealthReader({
    store: store.attemptHealth,
    flush: async () => undefined,
    catalogue: new Catalogue(providers, []),
    keys: new KeyRing(),
    providerNames: () => providers.map(({ name }) => name),
    nowMs: () => performance.now(),
    wallMs: Date.now,
  });
  return (await reader.read()).view().providers;
}

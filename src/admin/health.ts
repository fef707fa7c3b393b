/** How targets and keys are doing, for the console and for metrics alike. */

import type { Catalogue } from '../routing/catalogue.ts';
import type { Health } from '../routing/health.ts';
import type { KeyRing } from '../routing/keys.ts';
import type { KeyHealthView, TargetHealthView } from './contract.ts';

/** Those that were ever asked or are left alone; a provider may list thousands of models that nobody uses. */
export function targetHealths(catalogue: Pick<Catalogue, 'homes'>, nowMs: number): readonly TargetHealthView[] {
  const views: TargetHealthView[] = [];
  for (const { provider, model, health } of catalogue.homes()) {
    const state = health.state(nowMs);
    if (!health.asked && state === 'ready') continue;
    const firstEventMs = Math.round(health.firstEventMs(nowMs));
    views.push({
      provider: provider.name,
      model,
      state,
      ...readyIn(health, nowMs),
      inFlight: health.inFlight,
      ...(firstEventMs > 0 && { firstEventMs }),
    });
  }
  return views;
}

/** All keys that are configured. */
export function keyHealths(
  { providers }: Pick<Catalogue, 'providers'>,
  keys: Pick<KeyRing, 'states'>,
  nowMs: number,
): readonly KeyHealthView[] {
  const known = new Map([...keys.states()].map(([provider, keyId, health]) => [`${provider} ${keyId}`, health]));
  return providers.flatMap(({ name, keys: ofProvider }) =>
    ofProvider.map(({ id }) => {
      const health = known.get(`${name} ${id}`);
      if (health === undefined) return { provider: name, keyId: id, state: 'ready' as const };
      return { provider: name, keyId: id, state: health.state(nowMs), ...readyIn(health, nowMs) };
    }),
  );
}

export function readyIn(health: Health, nowMs: number): { readonly readyInMs?: number } {
  const readyInMs = Math.ceil(health.readyAtMs(nowMs) - nowMs);
  return readyInMs > 0 && Number.isFinite(readyInMs) ? { readyInMs } : {};
}

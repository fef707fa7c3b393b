/** The health of targets and keys, for the console and for metrics. */

import type { Catalogue } from '../../routing/catalogue.ts';
import type { Health } from '../../routing/health.ts';
import type { KeyRing, KeyState } from '../../routing/keys.ts';
import type { KeyHealthView, TargetHealthView } from '../contracts/contract.ts';

/**
 * Those that were ever called, are cooling down or have an open circuit; a provider may list thousands
 * of unused models.
 */
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
      ...learnedOf(health),
    });
  }
  return views;
}

/** All configured keys. A key that waits for some models only shows them, and when the first is ready. */
export function keyHealths(
  { providers }: Pick<Catalogue, 'providers'>,
  keys: Pick<KeyRing, 'states'>,
  nowMs: number,
): readonly KeyHealthView[] {
  const known = Map.groupBy(keys.states(), ({ provider, keyId }) => `${provider} ${keyId}`);
  return providers.flatMap(({ name, keys: ofProvider }) =>
    ofProvider.map(({ id }) => {
      const ill = (known.get(`${name} ${id}`) ?? []).filter(({ health }) => health.state(nowMs) !== 'ready');
      const own = ill.find(({ model }) => model === undefined) ?? ill.toSorted(byReturn(nowMs))[0];
      if (own === undefined) return { provider: name, keyId: id, state: 'ready' as const };
      const models = own.model === undefined ? [] : ill.flatMap(({ model }) => model ?? []);
      return {
        provider: name,
        keyId: id,
        state: own.health.state(nowMs),
        ...readyIn(own.health, nowMs),
        ...(models.length > 0 && { models: models.toSorted() }),
      };
    }),
  );
}

function byReturn(nowMs: number): (one: KeyState, other: KeyState) => number {
  return (one, other) => one.health.readyAtMs(nowMs) - other.health.readyAtMs(nowMs);
}

function learnedOf({ learned }: Health): Pick<TargetHealthView, 'learned'> {
  const all = learned?.all ?? [];
  return all.length === 0 ? {} : { learned: all };
}

export function readyIn(health: Health, nowMs: number): { readonly readyInMs?: number } {
  const readyInMs = Math.ceil(health.readyAtMs(nowMs) - nowMs);
  return readyInMs > 0 && Number.isFinite(readyInMs) ? { readyInMs } : {};
}

/**
 * Every configured provider, whatever its source: its health, and what of it can be changed here. No
 * field can hold a key.
 */

import { withoutUrlSecrets } from '../../config/problem.ts';
import { shownEntry } from '../../configuration/entry-secrets.ts';
import type { LiveConfiguration } from '../../configuration/live-configuration.ts';
import type { MergedProvider } from '../../configuration/merge.ts';
import type { PresetFacts } from '../../providers/preset-facts.ts';
import type { Catalogue } from '../../routing/catalogue.ts';
import type { KeyRing } from '../../routing/keys.ts';
import type {
  ConfiguredKeyView,
  ConfiguredProviderView,
  PresetView,
  ProviderEntry,
} from '../contracts/configuration-contract.ts';
import { withoutAbsent } from '../tokens/token-terms.ts';
import { providerEntry } from './entry-views.ts';
import { keyHealths } from './health.ts';

export interface ProviderViewParts {
  readonly live: Pick<LiveConfiguration, 'merged' | 'provider'>;
  readonly catalogue: Catalogue;
  readonly keys: KeyRing;
  readonly presets: readonly PresetFacts[];
  /** The monotonic clock of health. */
  nowMs(): number;
}

export function providerViews(parts: ProviderViewParts): readonly ConfiguredProviderView[] {
  const states = keyHealths(parts.catalogue, parts.keys, parts.nowMs());
  return parts.live.merged.providers.map((merged) => {
    const own = states.filter(({ provider }) => provider === merged.name);
    return providerView(parts, merged, new Map(own.map((state) => [state.keyId, state])));
  });
}

type KeyStates = ReadonlyMap<string, Pick<ConfiguredKeyView, 'state' | 'readyInMs' | 'models'>>;

function providerView(parts: ProviderViewParts, merged: MergedProvider, states: KeyStates): ConfiguredProviderView {
  const { name, origin, originText, problem, config, kept } = merged;
  // Where two have one name, the console's is without effect.
  const provider = problem === undefined ? parts.live.provider(name) : undefined;
  const entry = kept === undefined ? (config ? providerEntry(config) : {}) : keptEntry(kept.entry);
  const kind = config?.kind ?? entry.kind ?? name;
  const preset = parts.presets.find((known) => known.kind === kind);
  return withoutAbsent<ConfiguredProviderView>({
    name,
    kind,
    origin,
    originText,
    locked: origin !== 'console',
    state: provider === undefined ? 'disabled' : stateOf(merged),
    pausedAt: merged.pausedAtMs === undefined ? undefined : new Date(merged.pausedAtMs).toISOString(),
    problem,
    baseUrl: withoutUrlSecrets(provider?.baseUrl ?? config?.baseUrl ?? entry.base_url ?? preset?.baseUrl ?? ''),
    entry,
    keys: keyViews(merged, states),
    free: provider?.free ?? preset?.group === 'local',
    models: provider && parts.catalogue.listed(name),
    ...(provider === undefined ? { inFlight: 0 } : loadOf(parts, name)),
    routes: parts.live.merged.routes
      .filter((route) => route.config?.targets.some((target) => target.provider === name))
      .map(({ alias }) => alias),
  });
}

function stateOf({ draining, pausedAtMs }: MergedProvider): ConfiguredProviderView['state'] {
  if (pausedAtMs !== undefined) return 'paused';
  return draining ? 'draining' : 'serving';
}

/** What the console keeps was checked when it was written; where it is wrong by now, `problem` says so. */
function keptEntry(entry: Readonly<Record<string, unknown>>): ProviderEntry {
  return shownEntry(entry);
}

function keyViews({ config, kept }: MergedProvider, states: KeyStates): readonly ConfiguredKeyView[] {
  const locked = kept === undefined;
  const given = config?.keys.map(({ id, value }) => ({ id, ending: endingOf(value) })) ?? [];
  return (kept?.keys ?? given).map(({ id, ending }) => {
    const { state = 'ready', readyInMs, models } = states.get(id) ?? {};
    return withoutAbsent<ConfiguredKeyView>({ id, state, readyInMs, models, ending, locked });
  });
}

const endingCharacters = 4;
/** Of a shorter key, four characters would be too much. */
const keyCharactersMin = 20;

/** Enough to tell several keys apart; nothing of a key that is a file. */
export function endingOf(value: string): string | undefined {
  return value.length < keyCharactersMin || value.startsWith('{') ? undefined : value.slice(-endingCharacters);
}

function loadOf(parts: ProviderViewParts, name: string): { readonly inFlight: number; readonly firstEventMs?: number } {
  const nowMs = parts.nowMs();
  const own = [...parts.catalogue.homes()].filter(({ provider }) => provider.name === name);
  const inFlight = own.reduce((sum, { health }) => sum + health.inFlight, 0);
  const measured = own.map(({ health }) => health.firstEventMs(nowMs)).filter((ms) => ms > 0);
  if (measured.length === 0) return { inFlight };
  const sumMs = measured.reduce((sum, ms) => sum + ms, 0);
  return { inFlight, firstEventMs: Math.round(sumMs / measured.length) };
}

export function presetViews({ presets, live }: Pick<ProviderViewParts, 'presets' | 'live'>): readonly PresetView[] {
  const configured = new Set(live.merged.providers.map(({ config, name }) => config?.kind ?? name));
  return presets.map((preset) => ({ ...preset, configured: configured.has(preset.kind) }));
}

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
import type {
  ConfiguredKeyView,
  ConfiguredProviderView,
  PresetView,
  ProviderEntry,
} from '../contracts/configuration-contract.ts';
import type { HealthReader } from '../health/health-reader.ts';
import type { HealthReport } from '../health/health-report.ts';
import { withoutAbsent } from '../tokens/token-terms.ts';
import { providerEntry } from './entry-views.ts';

export interface ProviderViewParts {
  readonly live: Pick<LiveConfiguration, 'merged' | 'provider'>;
  readonly catalogue: Catalogue;
  readonly health: HealthReader;
  readonly presets: readonly PresetFacts[];
}

export async function providerViews(parts: ProviderViewParts): Promise<readonly ConfiguredProviderView[]> {
  const report = await parts.health.read();
  return parts.live.merged.providers.map((merged) => providerView(parts, merged, report));
}

function providerView(parts: ProviderViewParts, merged: MergedProvider, report: HealthReport): ConfiguredProviderView {
  const { name, origin, originText, problem, config, kept } = merged;
  // Where two have one name, the console's is without effect.
  const provider = problem === undefined ? parts.live.provider(name) : undefined;
  const entry = kept === undefined ? (config ? providerEntry(config) : {}) : keptEntry(kept.entry);
  const kind = config?.kind ?? entry.kind ?? name;
  const preset = parts.presets.find((known) => known.kind === kind);
  const health = problem === undefined ? report.provider(name) : { ...noHealth, provider: name, ...notCalled };
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
    keys: keyViews(merged, problem === undefined ? report : undefined),
    free: provider?.free ?? preset?.group === 'local',
    models: provider && parts.catalogue.listed(name),
    health,
    targets: provider === undefined ? [] : report.targetsOf(name),
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

function keyViews(
  { name, config, kept }: MergedProvider,
  report: HealthReport | undefined,
): readonly ConfiguredKeyView[] {
  const locked = kept === undefined;
  const given = config?.keys.map(({ id, value }) => ({ id, ending: endingOf(value) })) ?? [];
  return (kept?.keys ?? given).map(({ id, ending }) => {
    const {
      provider: _name,
      keyId: _id,
      ...health
    } = report?.key(name, id) ?? { ...noHealth, provider: name, keyId: id };
    return withoutAbsent<ConfiguredKeyView>({ ...health, id, ending, locked });
  });
}

/** Of what is not in effect. */
const noHealth = { state: 'disabled', attempts: 0, failed: 0 } as const;
const notCalled = { inFlight: 0, minutes: [] } as const;

const endingCharacters = 4;
/** Of a shorter key, four characters would be too much. */
const keyCharactersMin = 20;

/** Enough to tell several keys apart; nothing of a key that is a file. */
export function endingOf(value: string): string | undefined {
  return value.length < keyCharactersMin || value.startsWith('{') ? undefined : value.slice(-endingCharacters);
}

export function presetViews({ presets, live }: Pick<ProviderViewParts, 'presets' | 'live'>): readonly PresetView[] {
  const configured = new Set(live.merged.providers.map(({ config, name }) => config?.kind ?? name));
  return presets.map((preset) => ({ ...preset, configured: configured.has(preset.kind) }));
}

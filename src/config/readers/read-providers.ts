/** Builds the list of providers: those of the file, then those whose key is in its usual variable. */

import { holesOf, type Settings } from '../../providers/address.ts';
import { hasHole, presetByName, presets, wireFormats } from '../../providers/presets.ts';
import type { ProviderPreset } from '../../providers/provider.ts';
import { type RetiredPreset, retiredPreset } from '../../providers/retired-presets.ts';
import type { ProviderConfig } from '../../settings/config.ts';
import type { FileProvider } from '../file-schema.ts';
import { nearestName } from '../nearest-name.ts';
import { type Problem, showFound } from '../problem.ts';
import { readCertificates } from './read-egress.ts';
import { type Found, keyFromVariables, type ProviderSources, problem, readKeys, variableKey } from './read-keys.ts';
import { addressVariables, completedBaseUrl, missingSettings, readSettings } from './read-settings.ts';

export const sandboxName = 'sandbox';

export function readFileProvider(name: string, entry: FileProvider, sources: ProviderSources): Found<ProviderConfig> {
  const at = `providers.${name}`;
  const problems: Problem[] = [];
  if (name === sandboxName) {
    problems.push(problem(sources, at, 'the name of the built-in provider', 'any other name; `sandbox` sets it up'));
  }
  const kind = entry.kind ?? name;
  const preset = presetByName(kind);
  if (preset === undefined) {
    const retired = retiredPreset(kind);
    const kindProblem = retired === undefined ? unknownKind(sources, at, entry.kind) : endedKind(sources, at, retired);
    return { problems: [...problems, kindProblem] };
  }
  const enabled = entry.enabled ?? true;
  const keys = readKeys({ at, preset, sources }, entry, hasOwnAddress(preset, entry, sources));
  const given = entry.settings ?? {};
  const settings = readSettings(preset, given, sources.environment, keys.value ?? []);
  const baseUrl = entry.base_url ?? completedBaseUrl(preset, given, settings, sources.environment);
  problems.push(...unknownSettings(sources, at, preset, given));
  if (enabled) {
    if (baseUrl === undefined && (hasHole(preset) || preset.baseUrl === '')) {
      // Where a key contains a part of the base URL, the key that could not be read is the mistake to report.
      const waitsForKey =
        keys.problems.length > 0 && openHoles(preset, settings).some((hole) => hasKeyField(preset, hole));
      if (!waitsForKey) problems.push(missingBaseUrl(sources, at, preset, openHoles(preset, settings)));
    } else {
      const missing = missingSettings(preset, settings, keys.value ?? []);
      problems.push(...missing.map((setting) => missingSetting(sources, at, preset, setting)));
    }
    problems.push(...keys.problems);
  }
  const ca = readCertificates(`${at}.ca_file`, entry.ca_file, sources);
  problems.push(...ca.problems);
  const value: ProviderConfig = {
    name,
    kind,
    baseUrl,
    keys: keys.value ?? [],
    models: entry.models,
    headers: entry.headers ?? {},
    ...someSettings(settings),
    ...(entry.region !== undefined && { region: entry.region }),
    ...(entry.proxy !== undefined && { proxy: entry.proxy }),
    ...(ca.value !== undefined && { ca: ca.value }),
    ...(entry.results !== undefined && { results: entry.results }),
    ...(entry.routes_elsewhere !== undefined && { routesElsewhere: entry.routes_elsewhere }),
    ...(entry.reports_cost !== undefined && { reportsCost: entry.reports_cost }),
    ...(entry.profiles !== undefined && { profiles: entry.profiles }),
    enabled,
    origin: 'file',
  };
  return { value, problems };
}

/** Providers without an entry whose key is in the environment. */
export function discoverProviders(sources: ProviderSources, taken: ReadonlySet<string>): Found<ProviderConfig[]> {
  const { environment } = sources;
  const value: ProviderConfig[] = [];
  const problems: Problem[] = [];
  for (const preset of presets) {
    if (taken.has(preset.name) || preset.keyVariableIsShared === true) continue;
    const found = keyFromVariables(preset, environment);
    const settings = readSettings(preset, {}, environment, found === undefined ? [] : [found]);
    const baseUrl = completedBaseUrl(preset, {}, settings, environment);
    if (found === undefined || (baseUrl === undefined && hasHole(preset))) continue;
    problems.push(...variableKey(preset, found, found.id, { ...sources, source: found.id }).problems);
    value.push({
      name: preset.name,
      kind: preset.name,
      baseUrl,
      keys: [found],
      models: undefined,
      headers: {},
      ...someSettings(settings),
      enabled: true,
      origin: 'environment',
    });
  }
  return { value, problems };
}

function someSettings(settings: Settings): { settings?: Settings } {
  return Object.keys(settings).length === 0 ? {} : { settings };
}

/** Is the provider at its preset's base URL? Only there a key of the environment belongs. */
function hasOwnAddress(preset: ProviderPreset, entry: FileProvider, { environment }: ProviderSources): boolean {
  if (entry.base_url === undefined) return true;
  const given = entry.settings ?? {};
  const settings = readSettings(preset, given, environment, []);
  return sameOrigin(entry.base_url, completedBaseUrl(preset, given, settings, environment) ?? preset.baseUrl);
}

function unknownKind(sources: ProviderSources, at: string, kind: string | undefined): Problem {
  const formats = wireFormats.map((format) => format.name);
  const suggestion = kind === undefined ? undefined : nearestName(kind, [...presets.map((p) => p.name), ...formats]);
  const unknown = problem(
    sources,
    `${at}.kind`,
    showFound(kind),
    `a preset of docs/providers.md, or a wire format: ${formats.join(', ')}`,
  );
  return suggestion === undefined ? unknown : { ...unknown, suggestion };
}

function endedKind(sources: ProviderSources, at: string, { name, label, ended, instead }: RetiredPreset): Problem {
  return problem(sources, `${at}.kind`, `${showFound(name)} (${label}), which ended on ${ended}`, instead);
}

function unknownSettings(sources: ProviderSources, at: string, preset: ProviderPreset, given: Settings): Problem[] {
  const known = Object.keys(preset.settings ?? {});
  return Object.keys(given)
    .filter((name) => !known.includes(name))
    .map((name) => {
      const allowed = known.length === 0 ? `nothing, ${preset.name} has no settings` : known.join(', ');
      const suggestion = nearestName(name, known);
      const unknown = problem(sources, `${at}.settings.${name}`, 'an unknown key', allowed);
      return suggestion === undefined ? unknown : { ...unknown, suggestion };
    });
}

function missingSetting(sources: ProviderSources, at: string, preset: ProviderPreset, name: string): Problem {
  const variables = preset.settings?.[name]?.variables ?? [];
  return problem(sources, `${at}.settings.${name}`, 'nothing', `a text${orVariable(variables)}`);
}

function missingBaseUrl(
  sources: ProviderSources,
  at: string,
  preset: ProviderPreset,
  holes: readonly string[],
): Problem {
  const shape = preset.baseUrl === '' ? 'the base URL of the provider' : `a base URL like ${preset.baseUrl}`;
  const orSettings = holes.length === 0 ? '' : `, or ${holes.map((name) => `settings.${name}`).join(' and ')}`;
  const variables = orVariable(addressVariables(preset, holes));
  return problem(sources, `${at}.base_url`, 'nothing', shape + orSettings + variables);
}

function openHoles(preset: ProviderPreset, settings: Settings): string[] {
  return [...new Set(holesOf(preset.baseUrl))].filter((hole) => settings[hole] === undefined);
}

function hasKeyField(preset: ProviderPreset, hole: string): boolean {
  return preset.settings?.[hole]?.keyField !== undefined;
}

function orVariable(names: readonly string[]): string {
  return names.length === 0 ? '' : `, or the variable ${names.join(' or ')}`;
}

function sameOrigin(a: string, b: string): boolean {
  return URL.parse(a)?.origin === URL.parse(b)?.origin;
}

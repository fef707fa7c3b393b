/** Makes the list of providers: those of the file, then those whose key lies in its usual variable. */

import { hasHole, presetByName, presets, wireFormats } from '../providers/presets.ts';
import type { ProviderPreset } from '../providers/provider.ts';
import type { ProviderConfig, ProviderKey } from './config.ts';
import type { FileKey, FileProvider } from './file-schema.ts';
import { nearestName } from './nearest-name.ts';
import { isPrivateAddress } from './private-address.ts';
import { hidden, type Problem, showFound } from './problem.ts';
import { type Environment, variableValue } from './read-scalars.ts';
import { httpAddress } from './values.ts';

export interface ProviderSources {
  readonly environment: Environment;
  readonly readFile: (path: string) => string | undefined;
  /** The configuration file's name, for messages. */
  readonly source: string;
}

interface Found<T> {
  readonly value?: T;
  readonly problems: readonly Problem[];
}

export const sandboxName = 'sandbox';

export function readFileProvider(name: string, entry: FileProvider, sources: ProviderSources): Found<ProviderConfig> {
  const at = `providers.${name}`;
  const problems: Problem[] = [];
  if (name === sandboxName) {
    problems.push(problem(sources, at, 'the name of the built-in provider', 'any other name; `sandbox` sets it up'));
  }
  const kind = entry.kind ?? name;
  const preset = presetByName(kind);
  if (preset === undefined) return { problems: [...problems, unknownKind(sources, at, entry.kind)] };
  const enabled = entry.enabled ?? true;
  const baseUrl = entry.base_url ?? completedBaseUrl(preset, sources.environment);
  if (enabled && baseUrl === undefined && (hasHole(preset) || preset.baseUrl === '')) {
    problems.push(missingBaseUrl(sources, at, preset));
  }
  const keys = readKeys(at, entry, preset, sources);
  problems.push(...(enabled ? keys.problems : []));
  const value: ProviderConfig = {
    name,
    kind,
    baseUrl,
    keys: keys.value ?? [],
    models: entry.models,
    headers: entry.headers ?? {},
    enabled,
    origin: 'file',
  };
  return { value, problems };
}

/** Providers that nobody configured but whose key is in the environment. */
export function discoverProviders(environment: Environment, taken: ReadonlySet<string>): Found<ProviderConfig[]> {
  const value: ProviderConfig[] = [];
  const problems: Problem[] = [];
  for (const preset of presets) {
    if (taken.has(preset.name) || preset.keyVariableIsShared === true) continue;
    const found = keyFromVariables(preset, environment);
    const baseUrl = completedBaseUrl(preset, environment);
    if (found === undefined || (baseUrl === undefined && hasHole(preset))) continue;
    const key = checkedKey(found.id, found, found.id);
    problems.push(...key.problems);
    value.push({
      name: preset.name,
      kind: preset.name,
      baseUrl,
      keys: [found],
      models: undefined,
      headers: {},
      enabled: true,
      origin: 'environment',
    });
  }
  return { value, problems };
}

/** Values of every variable that holds a provider's key, so that no message repeats one. */
export function keyVariableValues(environment: Environment): string[] {
  return presets.flatMap((preset) => preset.keyVariables.flatMap((name) => variableValue(environment, name) ?? []));
}

function keyFromVariables(preset: ProviderPreset, environment: Environment): ProviderKey | undefined {
  for (const name of preset.keyVariables) {
    const value = variableValue(environment, name);
    if (value !== undefined) return { id: name, value };
  }
  return undefined;
}

function completedBaseUrl(preset: ProviderPreset, environment: Environment): string | undefined {
  for (const { variable, template } of preset.baseUrlFrom ?? []) {
    const value = variableValue(environment, variable)?.replace(/\/+$/, '');
    if (value === undefined) continue;
    const ending = template.slice(template.indexOf('{value}') + '{value}'.length);
    // Some documents write the whole address into the variable; it must not get its path twice.
    const whole = template.startsWith('{value}') && value.endsWith(ending);
    const address = httpAddress('').schema.safeParse(whole ? value : template.replace('{value}', value));
    return address.success ? address.data : undefined;
  }
  return undefined;
}

function readKeys(
  at: string,
  entry: FileProvider,
  preset: ProviderPreset,
  sources: ProviderSources,
): Found<ProviderKey[]> {
  const ways = (['key', 'key_env', 'key_file', 'keys'] as const).filter((way) => entry[way] !== undefined);
  if (ways.length > 1) {
    return { problems: [problem(sources, at, ways.join(' and '), 'only one of key, key_env, key_file, keys')] };
  }
  if (ways.length === 0) return keyWithoutEntry(at, entry, preset, sources);
  const entries = entry.keys ?? [{ key: entry.key, key_env: entry.key_env, key_file: entry.key_file }];
  const keys: ProviderKey[] = [];
  const problems: Problem[] = [];
  entries.forEach((keyEntry, index) => {
    const place = entry.keys === undefined ? at : `${at}.keys[${index}]`;
    const found = readKey(place, keyEntry, index, sources);
    problems.push(...found.problems);
    if (found.value === undefined) return;
    const { id, value } = found.value;
    if (keys.some((other) => other.id === id)) {
      problems.push(problem(sources, `${place}.id`, showFound(id), 'an id that no other key of the provider has'));
    }
    keys.push({ id, value });
  });
  return { value: keys, problems };
}

/** No key is written down: take it from the preset's variable, do without, or say that one is missing. */
function keyWithoutEntry(
  at: string,
  entry: FileProvider,
  preset: ProviderPreset,
  sources: ProviderSources,
): Found<ProviderKey[]> {
  // A key from the environment belongs to the preset's own address and is never sent to another one.
  const ownAddress = entry.base_url === undefined || sameOrigin(entry.base_url, preset.baseUrl);
  const key = ownAddress ? keyFromVariables(preset, sources.environment) : undefined;
  if (key !== undefined) return { value: [key], problems: checkedKey(key.id, key, key.id).problems };
  const free = preset.local === true || preset.auth.style === 'none';
  if (free || (entry.base_url !== undefined && isPrivateAddress(entry.base_url))) return { value: [], problems: [] };
  const variables = ownAddress && preset.keyVariables.length > 0 ? ` or the variable ${preset.keyVariables[0]}` : '';
  return { problems: [problem(sources, `${at}.key`, 'nothing', `one of key, key_env, key_file, keys${variables}`)] };
}

function readKey(place: string, entry: FileKey, index: number, sources: ProviderSources): Found<ProviderKey> {
  const ways = (['key', 'key_env', 'key_file'] as const).filter((way) => entry[way] !== undefined);
  if (ways.length !== 1) {
    const found = ways.length === 0 ? 'nothing' : ways.join(' and ');
    return { problems: [problem(sources, place, found, 'one of key, key_env, key_file')] };
  }
  if (entry.key !== undefined) return { value: { id: entry.id ?? `key-${index + 1}`, value: entry.key }, problems: [] };
  if (entry.key_env !== undefined) {
    const value = variableValue(sources.environment, entry.key_env);
    if (value !== undefined)
      return checkedKey(`${place}.key_env`, { id: entry.id ?? entry.key_env, value }, sources.source);
    // Whoever pastes a key here by mistake must not find it in the log.
    const shown = /^[A-Z][A-Z0-9_]*$/.test(entry.key_env) ? `${entry.key_env}, which is not set` : hidden;
    return { problems: [problem(sources, `${place}.key_env`, shown, 'the name of a variable that is set')] };
  }
  const path = entry.key_file ?? '';
  const value = sources.readFile(path)?.trim();
  if (value !== undefined && value !== '') {
    return checkedKey(`${place}.key_file`, { id: entry.id ?? `key-${index + 1}`, value }, sources.source);
  }
  const state = value === undefined ? 'cannot be read' : 'is empty';
  return {
    problems: [problem(sources, `${place}.key_file`, `${showFound(path)}, which ${state}`, 'a file with the key')],
  };
}

/** What a header cannot carry would fail on every request; better once, at the start. */
function checkedKey(place: string, key: ProviderKey, source: string): Found<ProviderKey> {
  if (/^[\x21-\x7e]+$/.test(key.value)) return { value: key, problems: [] };
  return { problems: [{ key: place, source, found: hidden, allowed: 'a key without spaces or line breaks' }] };
}

function unknownKind(sources: ProviderSources, at: string, kind: string | undefined): Problem {
  const formats = wireFormats.map((format) => format.name);
  const suggestion = kind === undefined ? undefined : nearestName(kind, [...presets.map((p) => p.name), ...formats]);
  const told = problem(
    sources,
    `${at}.kind`,
    showFound(kind),
    `a preset of docs/configuration.md, or a wire format: ${formats.join(', ')}`,
  );
  return suggestion === undefined ? told : { ...told, suggestion };
}

function missingBaseUrl(sources: ProviderSources, at: string, preset: ProviderPreset): Problem {
  const variables = (preset.baseUrlFrom ?? []).map(({ variable }) => variable);
  const shape = preset.baseUrl === '' ? 'the address of the provider' : `an address like ${preset.baseUrl}`;
  const orVariable = variables.length === 0 ? '' : `, or the variable ${variables.join(' or ')}`;
  return problem(sources, `${at}.base_url`, 'nothing', `${shape}${orVariable}`);
}

function sameOrigin(a: string, b: string): boolean {
  return URL.parse(a)?.origin === URL.parse(b)?.origin;
}

function problem(sources: ProviderSources, key: string, found: string, allowed: string): Problem {
  return { key, source: sources.source, found, allowed };
}

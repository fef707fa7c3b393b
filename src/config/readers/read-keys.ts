/** Finds a provider's keys: written down in the file, named by it, or in the variables of its preset. */

import { readAccessKey, readKeyPair, readServiceAccount } from '../../providers/key-forms.ts';
import { presets } from '../../providers/presets.ts';
import type { ProviderPreset } from '../../providers/provider.ts';
import type { ProviderKey } from '../../settings/config.ts';
import type { FileKey, FileProvider } from '../file-schema.ts';
import { isPrivateAddress } from '../private-address.ts';
import { hidden, type Problem, showFound } from '../problem.ts';
import { type Environment, variableValue } from './read-scalars.ts';

export interface ProviderSources {
  readonly environment: Environment;
  readonly readFile: (path: string) => string | undefined;
  /** The configuration file's name, for messages. */
  readonly source: string;
}

export interface Found<T> {
  readonly value?: T;
  readonly problems: readonly Problem[];
}

/** Where a key is written, and its provider. */
interface KeyPlace {
  readonly at: string;
  readonly preset: ProviderPreset;
  readonly sources: ProviderSources;
}

/** Values of every variable that holds a provider's key, so that no message repeats one. A path to a key is no secret. */
export function keyVariableValues(environment: Environment): string[] {
  return presets.flatMap((preset) =>
    [...preset.keyVariables, ...(preset.keyParts ?? []).map(({ variable }) => variable)]
      .flatMap((name) => variableValue(environment, name) ?? [])
      .filter((value) => !isKeyPath(preset, value)),
  );
}

/** The key in the preset's variable, unchanged. */
export function keyFromVariables(preset: ProviderPreset, environment: Environment): ProviderKey | undefined {
  for (const name of preset.keyVariables) {
    const value = variableValue(environment, name);
    if (value !== undefined) return { id: name, value };
  }
  return undefined;
}

/** Some keys come in several variables; all but the optional ones must be set. */
function keyFromParts(preset: ProviderPreset, environment: Environment): ProviderKey | undefined {
  const [first] = preset.keyParts ?? [];
  if (first === undefined) return undefined;
  const values: string[] = [];
  for (const { variable, optional } of preset.keyParts ?? []) {
    const value = variableValue(environment, variable);
    if (value !== undefined) values.push(value);
    else if (optional !== true) return undefined;
  }
  return { id: first.variable, value: values.join(':') };
}

export function readKeys(place: KeyPlace, entry: FileProvider, ownAddress: boolean): Found<ProviderKey[]> {
  const { at, sources } = place;
  const given = (['key', 'key_env', 'key_file', 'keys'] as const).filter((name) => entry[name] !== undefined);
  if (given.length > 1) {
    return { problems: [problem(sources, at, given.join(' and '), 'only one of key, key_env, key_file, keys')] };
  }
  if (given.length === 0) return keyWithoutEntry(place, entry, ownAddress);
  const entries = entry.keys ?? [{ key: entry.key, key_env: entry.key_env, key_file: entry.key_file }];
  const keys: ProviderKey[] = [];
  const problems: Problem[] = [];
  entries.forEach((keyEntry, index) => {
    const keyAt = entry.keys === undefined ? at : `${at}.keys[${index}]`;
    const found = readKey({ ...place, at: keyAt }, keyEntry, index);
    problems.push(...found.problems);
    if (found.value === undefined) return;
    const { id, value } = found.value;
    if (keys.some((other) => other.id === id)) {
      problems.push(problem(sources, `${keyAt}.id`, showFound(id), 'an id that no other key of the provider has'));
    }
    keys.push({ id, value });
  });
  return { value: keys, problems };
}

/** No key is written down: take it from the preset's variables, do without, or say that one is missing. */
function keyWithoutEntry(place: KeyPlace, entry: FileProvider, ownAddress: boolean): Found<ProviderKey[]> {
  const { at, preset, sources } = place;
  // A key from the environment belongs to the preset's own base URL and is never sent to another one.
  const key = ownAddress
    ? (keyFromVariables(preset, sources.environment) ?? keyFromParts(preset, sources.environment))
    : undefined;
  if (key !== undefined) {
    const found = variableKey(preset, key, key.id, { ...sources, source: key.id });
    return found.value === undefined ? { problems: found.problems } : { value: [found.value], problems: [] };
  }
  const free = preset.local === true || preset.auth.style === 'none';
  if (free || (entry.base_url !== undefined && isPrivateAddress(entry.base_url))) return { value: [], problems: [] };
  const names = [preset.keyVariables[0], preset.keyParts?.[0]?.variable].filter((name) => name !== undefined);
  const variables = ownAddress && names.length > 0 ? ` or the variable ${names.join(' or ')}` : '';
  return { problems: [problem(sources, `${at}.key`, 'nothing', `one of key, key_env, key_file, keys${variables}`)] };
}

function readKey({ at, preset, sources }: KeyPlace, entry: FileKey, index: number): Found<ProviderKey> {
  const given = (['key', 'key_env', 'key_file'] as const).filter((name) => entry[name] !== undefined);
  if (given.length !== 1) {
    const found = given.length === 0 ? 'nothing' : given.join(' and ');
    return { problems: [problem(sources, at, found, 'one of key, key_env, key_file')] };
  }
  const id = entry.id ?? entry.key_env ?? `key-${index + 1}`;
  if (entry.key !== undefined) return checkedKey(preset, { id, value: entry.key }, `${at}.key`, sources);
  if (entry.key_env !== undefined) {
    const value = variableValue(sources.environment, entry.key_env);
    if (value !== undefined) return variableKey(preset, { id, value }, `${at}.key_env`, sources);
    // A key that was pasted here by mistake must not be logged.
    const shown = /^[A-Z][A-Z0-9_]*$/.test(entry.key_env) ? `${entry.key_env}, which is not set` : hidden;
    return { problems: [problem(sources, `${at}.key_env`, shown, 'the name of a variable that is set')] };
  }
  return fileKey(preset, id, entry.key_file ?? '', `${at}.key_file`, sources);
}

/** A variable holds the key, or the path of its file where keys are files. */
export function variableKey(
  preset: ProviderPreset,
  key: ProviderKey,
  at: string,
  sources: ProviderSources,
): Found<ProviderKey> {
  if (isKeyPath(preset, key.value)) return fileKey(preset, key.id, key.value, at, sources);
  return checkedKey(preset, key, at, sources);
}

function isKeyPath(preset: ProviderPreset, value: string): boolean {
  return preset.auth.style === 'service-account' && !value.startsWith('{');
}

function fileKey(
  preset: ProviderPreset,
  id: string,
  path: string,
  at: string,
  sources: ProviderSources,
): Found<ProviderKey> {
  const value = sources.readFile(path)?.trim();
  if (value !== undefined && value !== '') return checkedKey(preset, { id, value }, at, sources);
  const state = value === undefined ? 'cannot be read' : 'is empty';
  return { problems: [problem(sources, at, `${showFound(path)}, which ${state}`, 'a file with the key')] };
}

/** A key that a header cannot carry, or that cannot sign, would fail every request; it is refused once, at start. */
function checkedKey(
  preset: ProviderPreset,
  key: ProviderKey,
  at: string,
  { source }: ProviderSources,
): Found<ProviderKey> {
  const allowed = keyFault(preset, key.value);
  return allowed === undefined
    ? { value: key, problems: [] }
    : { problems: [{ key: at, source, found: hidden, allowed }] };
}

function keyFault(preset: ProviderPreset, value: string): string | undefined {
  if (preset.auth.style === 'service-account') {
    if (readServiceAccount(value) !== undefined) return undefined;
    return 'the key file of a service account, in JSON with client_email and private_key';
  }
  if (!/^[\x21-\x7e]+$/.test(value)) return 'a key without spaces or line breaks';
  if (preset.auth.style === 'jwt-hs256' && value.includes(':') && readKeyPair(value) === undefined) {
    return 'an API key, or an access key and its secret as ACCESS:SECRET';
  }
  if (preset.auth.style !== 'aws-sigv4' || !value.includes(':') || readAccessKey(value) !== undefined) return undefined;
  return 'an API key, or an access key as ID:SECRET or ID:SECRET:SESSION_TOKEN';
}

export function problem(sources: ProviderSources, key: string, found: string, allowed: string): Problem {
  return { key, source: sources.source, found, allowed };
}

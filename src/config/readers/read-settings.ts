/** Fills the placeholders in a preset's URLs: from the file, from variables, from the key itself, or with a default. */

import { fillHoles, holesOf, pathsOf, type Settings } from '../../providers/address.ts';
import { keyField, readAccessKey } from '../../providers/key-forms.ts';
import type { ProviderPreset } from '../../providers/provider.ts';
import type { ProviderKey } from '../../settings/config.ts';
import { httpAddress } from '../../settings/values.ts';
import { settingValue } from '../file-schema.ts';
import { type Environment, variableValue } from './read-scalars.ts';

/** What is known of each setting that the preset declares; one without a value is absent. */
export function readSettings(
  preset: ProviderPreset,
  given: Settings,
  environment: Environment,
  keys: readonly ProviderKey[],
): Settings {
  const found: Record<string, string> = {};
  for (const [name, setting] of Object.entries(preset.settings ?? {})) {
    const value =
      given[name] ??
      firstVariable(setting.variables, environment) ??
      keys.flatMap((key) => (setting.keyField && keyField(key.value, setting.keyField)) || [])[0] ??
      setting.default;
    if (value !== undefined && settingValue().safeParse(value).success) found[name] = value;
  }
  return found;
}

/** The preset's own base URL without placeholders; undefined where it has none, or where one of them stays open. */
export function completedBaseUrl(
  preset: ProviderPreset,
  given: Settings,
  settings: Settings,
  environment: Environment,
): string | undefined {
  const holes = holesOf(preset.baseUrl);
  if (holes.length === 0) return undefined;
  // A variable with the whole URL is ignored where the file sets a part of it.
  const fromVariable = holes.some((hole) => given[hole] !== undefined) ? undefined : wholeAddress(preset, environment);
  if (fromVariable !== undefined) return checked(fromVariable);
  const special = preset.baseUrlFor?.find(({ setting, value }) => settings[setting] === value);
  const filled = fillHoles(special?.baseUrl ?? preset.baseUrl, settings);
  return filled.includes('{') ? undefined : checked(filled);
}

/** Settings that are required beside the base URL: for paths, and for signing with these keys. */
export function missingSettings(preset: ProviderPreset, settings: Settings, keys: readonly ProviderKey[]): string[] {
  const inPaths = Object.values(preset.formats).flatMap((path) => pathsOf(path).flatMap(holesOf));
  const signs = preset.auth.style === 'aws-sigv4' && keys.some((key) => readAccessKey(key.value) !== undefined);
  return [...new Set([...inPaths, ...(signs ? ['region'] : [])])].filter((name) => settings[name] === undefined);
}

/** The variables that would have filled these placeholders of the URL. */
export function addressVariables(preset: ProviderPreset, holes: readonly string[]): string[] {
  const forHoles = holes.flatMap((hole) => preset.settings?.[hole]?.variables ?? []);
  return [...(preset.baseUrlFrom ?? []).map(({ variable }) => variable), ...forHoles];
}

function wholeAddress(preset: ProviderPreset, environment: Environment): string | undefined {
  for (const { variable, template } of preset.baseUrlFrom ?? []) {
    const value = variableValue(environment, variable)?.replace(/\/+$/, '');
    if (value === undefined) continue;
    const ending = template.slice(template.indexOf('{value}') + '{value}'.length);
    // Some documents write the whole URL into the variable; its path must not be added twice.
    return template.startsWith('{value}') && value.endsWith(ending) ? value : template.replace('{value}', value);
  }
  return undefined;
}

function firstVariable(names: readonly string[], environment: Environment): string | undefined {
  for (const name of names) {
    const value = variableValue(environment, name);
    if (value !== undefined) return value;
  }
  return undefined;
}

function checked(address: string): string | undefined {
  const result = httpAddress('').schema.safeParse(address);
  return result.success ? result.data : undefined;
}

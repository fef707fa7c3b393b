/** What a person who adds a provider wants to know of each preset. */

import type { TableNames } from '../prices/price.ts';
import { holesOf, pathsOf } from './address.ts';
import { presets, wireFormats } from './presets.ts';
import type { PresetGroup, ProviderPreset } from './provider.ts';

export interface PresetFacts {
  readonly kind: string;
  readonly title: string;
  readonly group: PresetGroup;
  readonly baseUrl: string;
  readonly needsKey: boolean;
  readonly needsBaseUrl: boolean;
  readonly settings: readonly { readonly name: string; readonly required: boolean; readonly example: string }[];
  readonly keyVariable?: string;
  readonly listsModels: boolean;
  readonly operations: readonly string[];
  readonly synonyms: readonly string[];
}

/** Words for all of a group. */
const groupSynonyms: Partial<Readonly<Record<PresetGroup, readonly string[]>>> = {
  local: ['local', 'localhost', 'self-hosted'],
};

/** How a value of a setting looks. */
const examples: Readonly<Record<string, string>> = {
  region: 'us-east-1',
  project: 'my-project',
  resource: 'my-resource',
  account: '0123456789abcdef',
  host: 'dbc-0123456789.cloud.databricks.com',
  gateway: 'default',
};

function settingsOf(preset: ProviderPreset): PresetFacts['settings'] {
  const { baseUrl, formats, settings = {} } = preset;
  const holes = new Set([baseUrl, ...Object.values(formats).flatMap(pathsOf)].flatMap(holesOf));
  return Object.entries(settings).map(([name, { default: usual, keyField }]) => ({
    name,
    required: holes.has(name) && usual === undefined && keyField === undefined,
    example: usual ?? examples[name] ?? '',
  }));
}

function factsOf(preset: ProviderPreset): PresetFacts {
  const { name, label, group, baseUrl, auth, local, formats, operations, modelsPath, synonyms = [] } = preset;
  const [keyVariable] = preset.keyVariables;
  return {
    kind: name,
    title: label.charAt(0).toUpperCase() + label.slice(1),
    group,
    baseUrl,
    needsKey: local !== true && auth.style !== 'none',
    needsBaseUrl: baseUrl === '',
    settings: settingsOf(preset),
    ...(keyVariable !== undefined && { keyVariable }),
    listsModels: modelsPath !== undefined,
    operations: [...(Object.keys(formats).length > 0 ? ['converse'] : []), ...Object.keys(operations ?? {})],
    synonyms: [...synonyms, ...(groupSynonyms[group] ?? [])],
  };
}

/** How price tables name the vendors that sell their own models. */
export const vendorTables: readonly TableNames[] = presets.flatMap((preset) =>
  preset.group === 'maker' && preset.tables !== undefined ? [preset.tables] : [],
);

export const presetFacts: readonly PresetFacts[] = [...presets, ...wireFormats].map(factsOf);

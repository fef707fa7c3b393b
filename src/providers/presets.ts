/** Every provider that Weir knows by name, and what it assumes of one that only names its wire format. */

import { asianProviders } from './presets/asia.ts';
import { localServers } from './presets/local-servers.ts';
import { modelHosts } from './presets/model-hosts.ts';
import { modelMakers } from './presets/model-makers.ts';
import { bearer, chat, messages, modelsPath, responses } from './presets/paths.ts';
import type { ProviderPreset } from './provider.ts';

export const presets: readonly ProviderPreset[] = [...modelMakers, ...asianProviders, ...modelHosts, ...localServers];

/** A provider of any other name: its `kind` is a wire format and its address comes from the configuration. */
export const wireFormats: readonly ProviderPreset[] = [
  {
    name: 'openai-chat',
    label: 'chat format',
    baseUrl: '',
    keyVariables: [],
    auth: bearer,
    formats: { ...chat },
    modelsPath,
  },
  {
    name: 'openai-responses',
    label: 'responses format',
    baseUrl: '',
    keyVariables: [],
    auth: bearer,
    formats: { ...responses },
    modelsPath,
  },
  {
    name: 'anthropic-messages',
    label: 'messages format',
    baseUrl: '',
    keyVariables: [],
    auth: { style: 'header', header: 'x-api-key' },
    headers: { 'anthropic-version': '2023-06-01' },
    formats: { ...messages },
    modelsPath,
  },
  {
    name: 'gemini-generate',
    label: 'content-generation format',
    baseUrl: '',
    keyVariables: [],
    auth: { style: 'header', header: 'x-goog-api-key' },
    formats: { 'gemini-generate': '/models/{model}' },
    modelsPath,
  },
];

const byName: ReadonlyMap<string, ProviderPreset> = new Map(
  [...presets, ...wireFormats].map((preset) => [preset.name, preset]),
);

/** What a provider's `kind` stands for: a preset, or the bare assumptions of a wire format. */
export function presetByName(name: string): ProviderPreset | undefined {
  return byName.get(name);
}

/** Does the address still have a part that only the operator knows? */
export function hasHole(preset: ProviderPreset): boolean {
  return preset.baseUrl.includes('{');
}

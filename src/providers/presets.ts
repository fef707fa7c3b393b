/** Every provider that Weir knows by name, and what it assumes of one that only names its wire format. */

import { anthropic } from './presets/anthropic.ts';
import { asianProviders } from './presets/asia.ts';
import { azure, azureDeployments } from './presets/azure.ts';
import { bedrock } from './presets/bedrock.ts';
import { gemini } from './presets/gemini.ts';
import { localServers } from './presets/local-servers.ts';
import { modelHosts } from './presets/model-hosts.ts';
import { modelMakers } from './presets/model-makers.ts';
import { openai } from './presets/openai.ts';
import { bearer, chat, generate, messages, modelsPath, olderChat, responses } from './presets/paths.ts';
import { vertex } from './presets/vertex.ts';
import type { ProviderPreset } from './provider.ts';

export const presets: readonly ProviderPreset[] = [
  openai,
  anthropic,
  gemini,
  azure,
  azureDeployments,
  vertex,
  bedrock,
  ...modelMakers,
  ...asianProviders,
  ...modelHosts,
  ...localServers,
];

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
    quirks: olderChat,
  },
  {
    name: 'openai-responses',
    label: 'responses format',
    baseUrl: '',
    keyVariables: [],
    auth: bearer,
    formats: { ...responses },
    modelsPath,
    quirks: { keepsReplies: true },
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
    quirks: { countsTokens: true },
  },
  {
    name: 'gemini-generate',
    label: 'content-generation format',
    baseUrl: '',
    keyVariables: [],
    auth: { style: 'header', header: 'x-goog-api-key' },
    formats: { ...generate },
    modelsPath,
    quirks: { countsTokens: true },
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

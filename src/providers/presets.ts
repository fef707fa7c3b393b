/** Every provider that Weir knows by name, and what it assumes of one that only names its wire format. */

import { anthropic } from './presets/anthropic.ts';
import { asianProviders } from './presets/asia.ts';
import { chineseProviders } from './presets/china.ts';
import { azure, azureDeployments, azureFoundry } from './presets/clouds/azure.ts';
import { bedrock, bedrockMantle } from './presets/clouds/bedrock.ts';
import { cloudPlatforms } from './presets/clouds/cloud-platforms.ts';
import { vertex } from './presets/clouds/vertex.ts';
import { codingPlans } from './presets/coding-plans.ts';
import { cohere, cohereOperations } from './presets/cohere.ts';
import { gemini } from './presets/gemini.ts';
import { jina } from './presets/jina.ts';
import { localServers } from './presets/local-servers.ts';
import { assemblyai, assemblyaiGateway, assemblyaiSync } from './presets/media/assemblyai.ts';
import { bfl } from './presets/media/bfl.ts';
import { cartesia } from './presets/media/cartesia.ts';
import { deepgram } from './presets/media/deepgram.ts';
import { elevenlabs } from './presets/media/elevenlabs.ts';
import { fal } from './presets/media/fal.ts';
import { kling } from './presets/media/kling.ts';
import { luma, lumaDreamMachine } from './presets/media/luma.ts';
import { recraft } from './presets/media/recraft.ts';
import { replicate } from './presets/media/replicate.ts';
import { runway } from './presets/media/runway.ts';
import { stability } from './presets/media/stability.ts';
import { modelHosts } from './presets/model-hosts.ts';
import { modelVendors } from './presets/model-vendors.ts';
import { openai } from './presets/openai.ts';
import {
  bearer,
  chat,
  cohereChat,
  familyOperations,
  generate,
  generateOperations,
  live,
  messages,
  modelsPath,
  rerank,
  responses,
} from './presets/paths.ts';
import { regionalTwins } from './presets/regional-twins.ts';
import { routers } from './presets/routers.ts';
import { smallerHosts } from './presets/smaller-hosts.ts';
import { voyage, voyageAtlas } from './presets/voyage.ts';
import type { ProviderPreset } from './provider.ts';

export const presets: readonly ProviderPreset[] = [
  openai,
  anthropic,
  gemini,
  azure,
  azureDeployments,
  azureFoundry,
  vertex,
  bedrock,
  bedrockMantle,
  cohere,
  ...modelVendors,
  ...asianProviders,
  ...regionalTwins,
  ...chineseProviders,
  ...codingPlans,
  ...modelHosts,
  ...smallerHosts,
  ...routers,
  ...cloudPlatforms,
  jina,
  voyage,
  voyageAtlas,
  elevenlabs,
  deepgram,
  assemblyai,
  assemblyaiSync,
  assemblyaiGateway,
  cartesia,
  bfl,
  stability,
  recraft,
  replicate,
  fal,
  kling,
  runway,
  luma,
  lumaDreamMachine,
  ...localServers,
];

/** What a server of the chat family may do; where it does not, its own error says so. */
const everything = { ...familyOperations, ...rerank, ...live };

/** A provider of any other name: its `kind` is a wire format and its URL comes from the configuration. */
export const wireFormats: readonly ProviderPreset[] = [
  {
    name: 'openai-chat',
    label: 'OpenAI-compatible server',
    synonyms: ['custom', 'openai compatible', 'own server', 'generic', 'proxy', 'new api', 'one api', 'local'],
    group: 'format',
    docs: 'https://developers.openai.com/api/reference/resources/chat',
    checked: '2026-11-15',
    baseUrl: '',
    keyVariables: [],
    auth: bearer,
    formats: { ...chat },
    operations: everything,
    modelsPath,
    // Of an unnamed server nothing is known but the name that the limit always had.
    quirks: { limitIsMaxTokens: true },
  },
  {
    name: 'openai-responses',
    label: 'Responses-compatible server',
    synonyms: ['custom', 'openai compatible'],
    group: 'format',
    docs: 'https://developers.openai.com/api/reference/resources/responses',
    checked: '2026-11-15',
    baseUrl: '',
    keyVariables: [],
    auth: bearer,
    formats: { ...responses },
    operations: everything,
    modelsPath,
    quirks: { keepsReplies: true },
  },
  {
    name: 'anthropic-messages',
    label: 'Anthropic-compatible server',
    synonyms: ['custom', 'claude compatible', 'anthropic compatible'],
    group: 'format',
    docs: 'https://platform.claude.com/docs/en/api/messages',
    checked: '2026-11-15',
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
    label: 'Gemini-compatible server',
    synonyms: ['custom', 'gemini compatible', 'google compatible'],
    group: 'format',
    docs: 'https://ai.google.dev/api/generate-content',
    checked: '2026-11-16',
    baseUrl: '',
    keyVariables: [],
    auth: { style: 'header', header: 'x-goog-api-key' },
    formats: { ...generate },
    operations: generateOperations,
    modelsPath,
    quirks: { countsTokens: true },
  },
  {
    // Cohere's own lists of models have a shape of their own, so none is declared.
    name: 'cohere-chat',
    label: 'Cohere-compatible server',
    synonyms: ['custom', 'cohere compatible'],
    group: 'format',
    docs: 'https://docs.cohere.com/reference/chat',
    checked: '2026-11-15',
    baseUrl: '',
    keyVariables: [],
    auth: bearer,
    formats: { ...cohereChat },
    operations: cohereOperations,
    quirks: {},
  },
];

const byName: ReadonlyMap<string, ProviderPreset> = new Map(
  [...presets, ...wireFormats].map((preset) => [preset.name, preset]),
);

/** What a provider's `kind` names: a preset, or the bare assumptions of a wire format. */
export function presetByName(name: string): ProviderPreset | undefined {
  return byName.get(name);
}

/** Is it looked for on its usual port of this machine? */
export function isLookedFor({ local, listedOnly }: ProviderPreset): boolean {
  return local === true && listedOnly !== true;
}

/** Does the URL still have a part that only the operator knows? */
export function hasHole(preset: ProviderPreset): boolean {
  return preset.baseUrl.includes('{');
}

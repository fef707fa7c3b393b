/** Presets of the clouds that serve models beside everything else, where one row says all there is to say. */

import type { ProviderPreset } from '../provider.ts';
import {
  bearer,
  chat,
  embeddings,
  messages,
  modelsPath,
  olderChat,
  rerank,
  responses,
  transcription,
} from './paths.ts';

export const cloudPlatforms: readonly ProviderPreset[] = [
  {
    // Its list of models has another shape at another path.
    name: 'cloudflare',
    label: 'Cloudflare Workers AI',
    group: 'cloud',
    docs: 'https://developers.cloudflare.com/workers-ai/configuration/open-ai-compatibility/',
    checked: '2026-11-16',
    tables: { genaiPrices: 'cloudflare', modelsDev: 'cloudflare-workers-ai', litellm: 'cloudflare' },
    baseUrl: 'https://api.cloudflare.com/client/v4/accounts/{account}/ai/v1',
    settings: { account: { variables: ['CLOUDFLARE_ACCOUNT_ID'] } },
    keyVariables: ['CLOUDFLARE_API_TOKEN'],
    // Set wherever somebody deploys a site.
    keyVariableIsShared: true,
    auth: bearer,
    // The messages format since 2026-05-21: https://developers.cloudflare.com/changelog/post/2026-05-21-rest-api/
    formats: { ...chat, ...responses, ...messages },
    operations: embeddings,
    quirks: olderChat,
  },
  {
    name: 'scaleway',
    label: 'Scaleway',
    group: 'cloud',
    docs: 'https://www.scaleway.com/en/developers/api/generative-apis/',
    checked: '2026-11-15',
    tables: { modelsDev: 'scaleway', litellm: 'scaleway' },
    baseUrl: 'https://api.scaleway.ai/v1',
    keyVariables: ['SCW_SECRET_KEY'],
    // Set wherever somebody manages machines there.
    keyVariableIsShared: true,
    auth: bearer,
    formats: { ...chat },
    operations: { ...embeddings, ...rerank, ...transcription },
    modelsPath,
  },
  {
    name: 'wandb',
    label: 'W&B Inference',
    group: 'host',
    docs: 'https://docs.wandb.ai/inference/api-reference',
    checked: '2026-05-01',
    tables: { modelsDev: 'wandb', litellm: 'wandb' },
    baseUrl: 'https://api.inference.wandb.ai/v1',
    keyVariables: ['WANDB_API_KEY'],
    // Set wherever somebody records a training run.
    keyVariableIsShared: true,
    auth: bearer,
    formats: { ...chat },
    operations: {},
    modelsPath,
  },
];

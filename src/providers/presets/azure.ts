/** Azure OpenAI, in both of its forms: the address of today, and the older one with a deployment in its path and a dated version. */

import type { DeclaredOperations } from '../operation-places.ts';
import type { ProviderPreset } from '../provider.ts';
import { onlyOnResponses, ownFormats, toolsOnResponses } from './openai.ts';
import { chat, embeddings, images, live, responses, speech, transcriptions, videos } from './paths.ts';

const resource = { variables: ['AZURE_RESOURCE_NAME'] } as const;

/** Lists of either form name every base model, deployed or not; a deployment's name is the operator's, so none is declared. */
const account = {
  group: 'cloud',
  docs: 'https://learn.microsoft.com/en-us/azure/foundry/openai/latest',
  checked: '2026-11-15',
  tables: { genaiPrices: 'azure', modelsDev: 'azure', litellm: ['azure', 'azure_text'] },
  keyVariables: ['AZURE_OPENAI_API_KEY'],
  auth: { style: 'header', header: 'api-key' },
} as const;

/** Moderation is part of its content filter and has no endpoint of its own. */
const operations = { ...embeddings, ...images, ...speech, ...transcriptions } as const;

export const azure: ProviderPreset = {
  ...account,
  name: 'azure',
  label: 'Azure OpenAI',
  baseUrl: 'https://{resource}.openai.azure.com/openai/v1',
  baseUrlFrom: [{ variable: 'AZURE_OPENAI_ENDPOINT', template: '{value}/openai/v1' }],
  settings: { resource },
  checkPath: '/models',
  quirks: { keepsReplies: true, takes: ownFormats, takesOf: [toolsOnResponses] },
  // Chat first: deployments of other makers' models know no other.
  formats: { ...chat, ...responses },
  modelFormats: [onlyOnResponses],
  // Videos are on the address of today alone, and their pictures are uploaded.
  operations: { ...operations, ...live, 'make-video': { ...videos, fetchesNothing: true } },
};

/** The same wires below a deployment. */
function ofDeployment(given: typeof operations): DeclaredOperations {
  const rows = Object.entries(given).map(([name, { wire, path }]) => [
    name,
    { wire, path: `/deployments/{model}${path}?api-version={api_version}` },
  ]);
  return Object.fromEntries(rows);
}

export const azureDeployments: ProviderPreset = {
  ...account,
  name: 'azure-deployments',
  label: 'Azure OpenAI (deployment paths)',
  baseUrl: 'https://{resource}.openai.azure.com/openai',
  baseUrlFrom: [{ variable: 'AZURE_OPENAI_ENDPOINT', template: '{value}/openai' }],
  settings: {
    resource,
    api_version: { variables: ['OPENAI_API_VERSION', 'AZURE_OPENAI_API_VERSION'], default: '2024-10-21' },
  },
  // The newer form is what the same variable wishes for.
  keyVariableIsShared: true,
  checkPath: '/models?api-version={api_version}',
  formats: {
    'openai-chat': '/deployments/{model}/chat/completions?api-version={api_version}',
    'openai-completions': '/deployments/{model}/completions?api-version={api_version}',
  },
  operations: ofDeployment(operations),
  quirks: { takes: ownFormats },
};

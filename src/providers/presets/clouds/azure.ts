/**
 * Azure OpenAI in both of its forms, the current base URL and the older one with a deployment in its path and a dated
 * version, and Azure AI Foundry, which serves Claude in its own format beside models of other vendors.
 * https://learn.microsoft.com/en-us/azure/foundry/openai/latest (read 2026-11-16).
 */

import type { DeclaredOperations } from '../../declared-operations.ts';
import type { ProviderPreset } from '../../provider.ts';
import { earlierClaude } from '../anthropic.ts';
import { onlyOnResponses, ownFormats, toolsOnResponses } from '../openai.ts';
import { chat, embeddings, images, live, responses, speech, transcriptions, videos } from '../paths.ts';

const resource = { variables: ['AZURE_RESOURCE_NAME'] } as const;

/** Lists of either form name every base model, deployed or not; a deployment's name is the operator's, so none is declared. */
const account = {
  group: 'cloud',
  docs: 'https://learn.microsoft.com/en-us/azure/foundry/openai/latest',
  checked: '2026-11-16',
  tables: { genaiPrices: 'azure', modelsDev: 'azure', litellm: ['azure', 'azure_text'] },
  // The second is what the AI SDK and LiteLLM read: https://models.dev (azure).
  keyVariables: ['AZURE_OPENAI_API_KEY', 'AZURE_API_KEY'],
  auth: { style: 'header', header: 'api-key' },
} as const;

/** Moderation is part of its content filter and has no endpoint of its own. */
const operations = { ...embeddings, ...images, ...speech, ...transcriptions } as const;

export const azure: ProviderPreset = {
  ...account,
  name: 'azure',
  label: 'Azure OpenAI',
  synonyms: ['microsoft', 'gpt', 'openai on azure'],
  baseUrl: 'https://{resource}.openai.azure.com/openai/v1',
  baseUrlFrom: [{ variable: 'AZURE_OPENAI_ENDPOINT', template: '{value}/openai/v1' }],
  settings: { resource },
  checkPath: '/models',
  quirks: { keepsReplies: true, takes: ownFormats, takesOf: [toolsOnResponses] },
  // Chat first: deployments of other vendors' models have no other format.
  formats: { ...chat, ...responses },
  modelFormats: [onlyOnResponses],
  // Videos are served at the current base URL only, and their images are uploaded.
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
  synonyms: ['microsoft', 'gpt'],
  baseUrl: 'https://{resource}.openai.azure.com/openai',
  baseUrlFrom: [{ variable: 'AZURE_OPENAI_ENDPOINT', template: '{value}/openai' }],
  settings: {
    resource,
    api_version: { variables: ['OPENAI_API_VERSION', 'AZURE_OPENAI_API_VERSION'], default: '2024-10-21' },
  },
  // The same variable turns on the newer form.
  keyVariableIsShared: true,
  checkPath: '/models?api-version={api_version}',
  formats: {
    'openai-chat': '/deployments/{model}/chat/completions?api-version={api_version}',
    'openai-completions': '/deployments/{model}/completions?api-version={api_version}',
  },
  operations: ofDeployment(operations),
  quirks: { takes: ownFormats },
};

/** https://platform.claude.com/docs/en/build-with-claude/claude-in-microsoft-foundry (read 2026-11-16). */
export const azureFoundry: ProviderPreset = {
  name: 'azure-foundry',
  label: 'Azure AI Foundry',
  synonyms: ['microsoft', 'claude on azure'],
  group: 'cloud',
  docs: 'https://learn.microsoft.com/en-us/azure/foundry/foundry-models/concepts/endpoints',
  checked: '2026-11-16',
  tables: { genaiPrices: 'azure', modelsDev: 'azure-cognitive-services', litellm: 'azure_ai' },
  baseUrl: 'https://{resource}.services.ai.azure.com',
  settings: { resource: { variables: ['ANTHROPIC_FOUNDRY_RESOURCE', 'AZURE_AI_RESOURCE_NAME'] } },
  keyVariables: ['ANTHROPIC_FOUNDRY_API_KEY', 'AZURE_AI_API_KEY'],
  auth: account.auth,
  headers: { 'anthropic-version': '2023-06-01' },
  // Chat before responses: deployments of most vendors have no other format.
  formats: {
    'anthropic-messages': '/anthropic/v1/messages',
    'openai-chat': '/openai/v1/chat/completions',
    'openai-responses': '/openai/v1/responses',
  },
  modelFormats: [
    // A deployment has the name of its model unless the operator sets another.
    { models: ['*claude*'], formats: ['anthropic-messages'] },
    { ...onlyOnResponses, formats: ['openai-responses'] },
    { models: ['*'], formats: ['openai-chat', 'openai-responses'] },
  ],
  operations: { embed: { wire: 'openai-embeddings', path: '/openai/v1/embeddings' } },
  quirks: { keepsReplies: true, takesOf: [toolsOnResponses, earlierClaude] },
};

/**
 * Cohere: Chat API v2 first, the chat format on its compatible endpoint, embeddings and reranking.
 * https://docs.cohere.com/reference/chat (read 2026-11-15).
 */

import type { DeclaredOperations } from '../declared-operations.ts';
import type { ProviderPreset } from '../provider.ts';
import { bearer, cohereChat, olderChat } from './paths.ts';

export const cohereOperations: DeclaredOperations = {
  embed: { wire: 'cohere-embed', path: '/v2/embed' },
  rerank: { wire: 'cohere-rerank', path: '/v2/rerank' },
};

export const cohere: ProviderPreset = {
  // Its list of models has a shape of its own, so none is declared.
  name: 'cohere',
  label: 'Cohere',
  synonyms: ['command r', 'rerank', 'aya'],
  group: 'maker',
  docs: 'https://docs.cohere.com/reference/chat',
  checked: '2026-11-15',
  tables: { genaiPrices: 'cohere', modelsDev: 'cohere', litellm: ['cohere', 'cohere_chat'] },
  baseUrl: 'https://api.cohere.com',
  keyVariables: ['COHERE_API_KEY', 'CO_API_KEY'],
  auth: bearer,
  checkPath: '/v1/models',
  formats: { ...cohereChat, 'openai-chat': '/compatibility/v1/chat/completions' },
  operations: cohereOperations,
  quirks: {
    ...olderChat,
    rejectsStreamOptions: true,
    // Its compatible API has no budget; https://docs.cohere.com/docs/compatibility-api (read 2026-11-15).
    takesOf: [
      {
        models: /^(?:command-a-(?:reasoning|plus)|north)/,
        profile: { thinking: { kind: 'effort', efforts: ['none', 'high'], byDefault: 'high' } },
      },
    ],
  },
};

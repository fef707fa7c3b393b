/**
 * Voyage: embeddings and reranking, no conversations.
 * https://docs.voyageai.com/reference/embeddings-api (read 2026-11-16).
 */

import type { ProviderPreset } from '../provider.ts';
import { bearer } from './paths.ts';

export const voyage: ProviderPreset = {
  name: 'voyage',
  label: 'Voyage AI',
  group: 'maker',
  docs: 'https://docs.voyageai.com/reference/embeddings-api',
  checked: '2026-11-16',
  tables: { genaiPrices: 'voyageai', litellm: 'voyage' },
  baseUrl: 'https://api.voyageai.com/v1',
  keyVariables: ['VOYAGE_API_KEY'],
  auth: bearer,
  formats: {},
  operations: {
    embed: { wire: 'voyage-embeddings', path: '/embeddings' },
    rerank: { wire: 'voyage-rerank', path: '/rerank' },
  },
};

/** The same models with a key of MongoDB Atlas; its client picks the host by the form of the key. https://www.mongodb.com/docs/voyageai/api-and-clients */
export const voyageAtlas: ProviderPreset = {
  ...voyage,
  name: 'voyage-atlas',
  label: 'Voyage AI (MongoDB Atlas)',
  docs: 'https://www.mongodb.com/docs/api/doc/atlas-embedding-and-reranking-api',
  // None of the tables has its prices.
  tables: {},
  baseUrl: 'https://ai.mongodb.com/v1',
  // The variable selects the URL above.
  keyVariableIsShared: true,
};

/** Jina: embeddings and reranking, no conversations. https://docs.jina.ai (read 2026-11-16). */

import type { ProviderPreset } from '../provider.ts';
import { bearer } from './paths.ts';

export const jina: ProviderPreset = {
  name: 'jina',
  label: 'Jina AI',
  group: 'maker',
  docs: 'https://docs.jina.ai',
  checked: '2026-11-16',
  tables: { litellm: 'jina_ai' },
  baseUrl: 'https://api.jina.ai/v1',
  keyVariables: ['JINA_API_KEY'],
  auth: bearer,
  formats: {},
  operations: {
    embed: { wire: 'jina-embeddings', path: '/embeddings' },
    rerank: { wire: 'jina-rerank', path: '/rerank' },
  },
};

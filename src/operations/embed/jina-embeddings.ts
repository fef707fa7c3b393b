/**
 * Jina embeddings API: names the purpose `task`, and has options for chunking and normalization. https://docs.jina.ai
 * (read 2026-11-16).
 */

import { listWire } from './list-wire.ts';

/** Below every bound that is documented for one of its models. */
const inputsMax = 512;

export const jinaEmbeddings = listWire({
  name: 'jina-embeddings',
  dimensions: 'dimensions',
  purpose: {
    field: 'task',
    words: {
      search_query: 'retrieval.query',
      search_document: 'retrieval.passage',
      classification: 'classification',
      clustering: 'separation',
      similarity: 'text-matching',
    },
  },
  takesTokens: false,
  firstDialect: false,
  passes: ['late_chunking', 'normalized', 'truncate'],
  inputsMax,
});

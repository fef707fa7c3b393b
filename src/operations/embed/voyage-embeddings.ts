/**
 * Voyage embeddings API: two purposes, queries and documents, and a thousand texts at once.
 * https://docs.voyageai.com/reference/embeddings-api (read 2026-11-16).
 */

import { listWire } from './list-wire.ts';

const inputsMax = 1000;

export const voyageEmbeddings = listWire({
  name: 'voyage-embeddings',
  dimensions: 'output_dimension',
  purpose: { field: 'input_type', words: { search_query: 'query', search_document: 'document' } },
  takesTokens: false,
  firstDialect: false,
  passes: ['truncation'],
  inputsMax,
});

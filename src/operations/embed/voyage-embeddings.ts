/** The dialect that knows two purposes, queries and documents, and takes a thousand texts at once. */

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

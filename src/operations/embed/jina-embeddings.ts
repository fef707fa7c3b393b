/** The dialect that says the purpose as a `task` and lets the caller steer how texts are cut and vectors scaled. */

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

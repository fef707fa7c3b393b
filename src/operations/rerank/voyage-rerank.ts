/** The rerank wire that calls the limit `top_k` and answers with `data`. */

import { textRerank } from './text-rerank.ts';

export const voyageRerank = textRerank({
  name: 'voyage-rerank',
  limit: 'top_k',
  namesDocuments: true,
  takesImages: false,
  passes: ['truncation'],
});

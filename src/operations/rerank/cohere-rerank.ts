/** The second version of the rerank wire, which takes texts only and never sends them back. */

import { textRerank } from './text-rerank.ts';

export const cohereRerank = textRerank({
  name: 'cohere-rerank',
  limit: 'top_n',
  tokensPerDocument: 'max_tokens_per_doc',
  namesDocuments: false,
  takesImages: false,
  passes: ['priority'],
});

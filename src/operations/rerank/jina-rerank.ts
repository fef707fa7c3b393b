/** The rerank wire that bills tokens and ranks pictures too; it sends documents back unless told not to. */

import { textRerank } from './text-rerank.ts';

export const jinaRerank = textRerank({
  name: 'jina-rerank',
  limit: 'top_n',
  namesDocuments: true,
  takesImages: true,
  passes: ['truncation'],
});

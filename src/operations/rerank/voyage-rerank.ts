/**
 * Voyage rerank API: calls the limit `top_k` and answers with `data`. https://docs.voyageai.com/reference/reranker-api
 * (read 2026-11-16).
 */

import { textRerank } from './text-rerank.ts';

export const voyageRerank = textRerank({
  name: 'voyage-rerank',
  limit: 'top_k',
  namesDocuments: true,
  takesImages: false,
  passes: ['truncation'],
});

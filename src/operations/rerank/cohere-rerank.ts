/**
 * Cohere Rerank API v2: takes texts only and never sends them back.
 * https://docs.cohere.com/reference/rerank (read 2026-11-15).
 */

import { textRerank } from './text-rerank.ts';

export const cohereRerank = textRerank({
  name: 'cohere-rerank',
  limit: 'top_n',
  tokensPerDocument: 'max_tokens_per_doc',
  namesDocuments: false,
  takesImages: false,
  passes: ['priority'],
});

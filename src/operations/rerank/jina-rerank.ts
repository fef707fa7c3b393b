/**
 * Jina rerank API: bills tokens, ranks images too, and sends documents back unless told not to. https://docs.jina.ai
 * (read 2026-11-16).
 */

import { textRerank } from './text-rerank.ts';

export const jinaRerank = textRerank({
  name: 'jina-rerank',
  limit: 'top_n',
  namesDocuments: true,
  takesImages: true,
  passes: ['truncation'],
});

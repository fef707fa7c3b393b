/**
 * Jina rerank API: bills tokens, ranks images too, and returns documents unless that is switched off. https://docs.jina.ai
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

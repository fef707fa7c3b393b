/** Rerank APIs of Cohere, Jina and Voyage, and Weir's reply, which is the union of them. https://docs.cohere.com/reference/rerank, https://api.jina.ai/docs, https://docs.voyageai.com/reference/reranker-api (read 2026-11-16) */

import { z } from 'zod';
import { cohereMeta } from '../cohere/meta.ts';

const count = z.int().nonnegative();
const text = z.string();
const score = z.number();
/** A document that was sent as an object comes back whole, with the text that was ranked. */
const document = z.looseObject({ text });

const ranked = { index: count, relevance_score: score };

/** https://docs.cohere.com/reference/rerank */
export const cohereRerank = z.strictObject({
  id: text.optional(),
  results: z.array(z.strictObject({ ...ranked, document: document.optional() })),
  meta: cohereMeta.optional(),
});

/** https://api.jina.ai/docs#/Search%20Foundation%20Models/rank_v1_rerank_post */
export const jinaRerank = z.strictObject({
  model: text,
  object: z.literal('list').optional(),
  results: z.array(z.strictObject({ ...ranked, document: z.union([document, text]).optional() })),
  usage: z.strictObject({ total_tokens: count, prompt_tokens: count.optional() }),
});

/** https://docs.voyageai.com/reference/reranker-api */
export const voyageRerank = z.strictObject({
  object: z.literal('list'),
  data: z.array(z.strictObject({ ...ranked, document: text.optional() })),
  model: text,
  usage: z.strictObject({ total_tokens: count }),
});

/** Weir: the union of the three, so that each vendor's library finds its own fields. */
export const weirRerank = z
  .strictObject({
    id: text.min(1),
    object: z.literal('list'),
    model: text.min(1),
    results: z.array(z.strictObject({ ...ranked, document: document.optional() })),
    data: z.array(z.strictObject({ ...ranked, document: text.optional() })),
    meta: cohereMeta,
    usage: z.strictObject({ prompt_tokens: count, total_tokens: count }),
  })
  .refine(
    ({ results }) => results.every(({ relevance_score: one }, at) => one <= (results[at - 1]?.relevance_score ?? one)),
    'results come by falling relevance',
  )
  .refine(
    ({ results }) => new Set(results.map(({ index }) => index)).size === results.length,
    'a document is ranked once',
  )
  .refine(
    ({ results, data }) => JSON.stringify(results.map(place)) === JSON.stringify(data.map(place)),
    '`data` repeats `results`',
  );

function place({ index, relevance_score: one }: { readonly index: number; readonly relevance_score: number }): unknown {
  return [index, one];
}

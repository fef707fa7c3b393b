/** OpenAI embeddings API, and Cohere's. https://platform.openai.com/docs/api-reference/embeddings, https://docs.cohere.com/reference/embed (read 2026-11-16) */

import { z } from 'zod';
import { cohereMeta } from '../cohere/meta.ts';

const count = z.int().nonnegative();
const text = z.string();

/** `encoding_format: base64` gives the little-endian floats of the vector as one text. */
const vector = z.union([z.array(z.number()).min(1), z.base64().min(4)]);

export const openaiEmbeddings = z
  .strictObject({
    object: z.literal('list'),
    data: z.array(z.strictObject({ object: z.literal('embedding'), index: count, embedding: vector })),
    model: text.min(1),
    usage: z.strictObject({ prompt_tokens: count, total_tokens: count }),
  })
  .refine(({ data }) => data.every(({ index }, place) => index === place), 'vectors come in the order of the inputs')
  .refine(({ usage }) => usage.prompt_tokens <= usage.total_tokens, 'a total below its part');

const numbers = z.array(z.array(z.number()).min(1));
const signed = z.array(z.array(z.int().min(-128).max(127)).min(1));
const unsigned = z.array(z.array(z.int().min(0).max(255)).min(1));

export const cohereEmbed = z.strictObject({
  id: text,
  response_type: z.enum(['embeddings_floats', 'embeddings_by_type']).optional(),
  embeddings: z.strictObject({
    float: numbers.optional(),
    int8: signed.optional(),
    uint8: unsigned.optional(),
    binary: signed.optional(),
    ubinary: unsigned.optional(),
    base64: z.array(z.base64()).optional(),
  }),
  texts: z.array(text).optional(),
  images: z.array(z.strictObject({ width: count, height: count, format: text, bit_depth: count })).optional(),
  meta: cohereMeta.optional(),
});

/** Voyage AI's dialect of the first shape. https://docs.voyageai.com/reference/embeddings-api */
export const voyageEmbeddings = z.strictObject({
  object: z.literal('list'),
  data: z.array(
    z.strictObject({ object: z.literal('embedding'), index: count, embedding: vector, text: text.nullish() }),
  ),
  model: text,
  usage: z.strictObject({ total_tokens: count }),
});

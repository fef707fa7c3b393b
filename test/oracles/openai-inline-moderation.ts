/** OpenAI moderation results beside a reply. https://platform.openai.com/docs/api-reference/chat/object (read 2026-11-16). */

import { z } from 'zod';

const result = z.strictObject({
  type: z.literal('moderation_result'),
  model: z.string(),
  flagged: z.boolean(),
  categories: z.record(z.string(), z.boolean()),
  category_scores: z.record(z.string(), z.number()),
  category_applied_input_types: z.record(z.string(), z.array(z.enum(['text', 'image']))),
});
const failure = z.strictObject({ type: z.literal('error'), code: z.string(), message: z.string() });
const results = z.strictObject({ type: z.literal('moderation_results'), model: z.string(), results: z.array(result) });

/** Of chat completions: each side is a list of results. */
export const chatModeration = z.strictObject({
  input: z.union([results, failure]),
  output: z.union([results, failure]),
});

/** Of responses: each side is one result. */
export const responseModeration = z.strictObject({
  input: z.union([result, failure]),
  output: z.union([result, failure]),
});

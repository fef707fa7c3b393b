/** OpenAI moderations API. https://platform.openai.com/docs/api-reference/moderations (read 2026-11-16) */

import { z } from 'zod';

const text = z.string();

/** Categories that apply to text alone, and those that apply to images as well. */
const ofText = [
  'harassment',
  'harassment/threatening',
  'hate',
  'hate/threatening',
  'illicit',
  'illicit/violent',
  'sexual/minors',
] as const;
const ofImages = [
  'self-harm',
  'self-harm/instructions',
  'self-harm/intent',
  'sexual',
  'violence',
  'violence/graphic',
] as const;
const categories = [...ofText, ...ofImages];

const each = <Value extends z.ZodType>(names: readonly string[], value: Value): Record<string, Value> =>
  Object.fromEntries(names.map((name) => [name, value]));

const score = z.number().min(0).max(1);
const kinds = {
  ...each(ofText, z.array(z.literal('text'))),
  ...each(ofImages, z.array(z.enum(['text', 'image']))),
};

/** Weir: categories that only the provider has are listed with those of the reference (docs/moderation.md). */
const result = z.strictObject({
  flagged: z.boolean(),
  categories: z.object(each(categories, z.boolean())).catchall(z.boolean()),
  category_scores: z.object(each(categories, score)).catchall(z.number()),
  category_applied_input_types: z.strictObject(kinds),
});

export const moderation = z.strictObject({ id: text.min(1), model: text.min(1), results: z.array(result).min(1) });

/** Cohere API: metadata of every reply. https://docs.cohere.com/reference/rerank (read 2026-11-16) */

import { z } from 'zod';

const amount = z.number().nonnegative();

export const cohereMeta = z.strictObject({
  api_version: z
    .strictObject({
      version: z.string(),
      is_deprecated: z.boolean().optional(),
      is_experimental: z.boolean().optional(),
    })
    .optional(),
  billed_units: z
    .strictObject({
      images: amount.optional(),
      input_tokens: amount.optional(),
      image_tokens: amount.optional(),
      output_tokens: amount.optional(),
      search_units: amount.optional(),
      classifications: amount.optional(),
      pages: amount.optional(),
    })
    .optional(),
  tokens: z.strictObject({ input_tokens: amount.optional(), output_tokens: amount.optional() }).optional(),
  cached_tokens: amount.optional(),
  warnings: z.array(z.string()).optional(),
});

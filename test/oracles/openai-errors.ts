/** OpenAI error object. https://platform.openai.com/docs/guides/error-codes (read 2026-11-16). */

import { z } from 'zod';

/** Weir: all four fields are strings; `param` and `code` are `""` where nothing is at fault (docs/errors.md). */
export const weirErrorBody = z.strictObject({
  message: z.string(),
  type: z.string(),
  param: z.string(),
  code: z.string(),
});

/** The object as the original service sends it. */
export const openaiErrorBody = z.strictObject({
  message: z.string(),
  type: z.string(),
  param: z.string().nullable(),
  code: z.string().nullable(),
});

/** The error of a provider of this family. */
export const openaiError = z.strictObject({ error: openaiErrorBody });

/** Weir's own error, and a provider's that Weir passes on. */
export const weirError = z.strictObject({ error: weirErrorBody });

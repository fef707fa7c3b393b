/** Google Gemini API: models and embeddings. https://ai.google.dev/api/models, https://ai.google.dev/api/embeddings (read 2026-11-16) */

import { z } from 'zod';
import { modalityCounts } from './content.ts';

const text = z.string();
const count = z.int().nonnegative();

export const model = z.strictObject({
  name: text.regex(/^(models|tunedModels)\/.+/),
  baseModelId: text.optional(),
  version: text,
  displayName: text.optional(),
  description: text.optional(),
  inputTokenLimit: count.optional(),
  outputTokenLimit: count.optional(),
  supportedGenerationMethods: z.array(text).optional(),
  thinking: z.boolean().optional(),
  temperature: z.number().optional(),
  maxTemperature: z.number().optional(),
  topP: z.number().optional(),
  topK: count.optional(),
});

export const modelPage = z.strictObject({ models: z.array(model).optional(), nextPageToken: text.optional() });

const embedding = z.strictObject({
  values: z.array(z.number()),
  shape: z.array(count).optional(),
  statistics: z
    .strictObject({
      truncated: z.boolean().optional(),
      tokenCount: count.optional(),
      tokensDetails: modalityCounts.optional(),
    })
    .optional(),
});
const usageMetadata = z
  .strictObject({ promptTokenCount: count.optional(), promptTokenDetails: modalityCounts.optional() })
  .optional();

export const embedContent = z.strictObject({ embedding, usageMetadata });
export const batchEmbedContents = z.strictObject({ embeddings: z.array(embedding), usageMetadata });

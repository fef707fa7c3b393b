/** OpenAI requests that Weir writes for providers. https://platform.openai.com/docs/api-reference/embeddings/create and its neighbors (read 2026-11-16) */

import { z } from 'zod';

const text = z.string();
const tokens = z.array(z.int().nonnegative()).min(1).max(2048);

export const embeddingRequest = z.strictObject({
  model: text,
  input: z.union([text.min(1), z.array(text.min(1)).min(1).max(2048), tokens, z.array(tokens).min(1).max(2048)]),
  encoding_format: z.enum(['float', 'base64']).optional(),
  dimensions: z.int().positive().optional(),
  user: text.optional(),
});

const moderatedPart = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text'), text }),
  z.strictObject({ type: z.literal('image_url'), image_url: z.strictObject({ url: text }) }),
]);

export const moderationRequest = z.strictObject({
  model: text.optional(),
  input: z.union([text, z.array(text), z.array(moderatedPart)]),
});

export const speechRequest = z.strictObject({
  model: text,
  input: text.max(4096),
  voice: z.union([text, z.strictObject({ id: text })]),
  instructions: text.max(4096).optional(),
  response_format: z.enum(['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm']).optional(),
  speed: z.number().min(0.25).max(4).optional(),
  stream_format: z.enum(['sse', 'audio']).optional(),
});

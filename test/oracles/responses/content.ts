/** OpenAI responses: content parts of messages. https://platform.openai.com/docs/api-reference/responses/object (read 2026-11-16). */

import { z } from 'zod';

const text = z.string();
const count = z.int().nonnegative();

export const annotation = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('file_citation'), file_id: text, index: count, filename: text }),
  z.strictObject({
    type: z.literal('url_citation'),
    url: z.url(),
    start_index: count,
    end_index: count,
    title: text,
  }),
  z.strictObject({
    type: z.literal('container_file_citation'),
    container_id: text,
    file_id: text,
    start_index: count,
    end_index: count,
    filename: text,
  }),
  z.strictObject({ type: z.literal('file_path'), file_id: text, index: count }),
]);

const likelihood = { token: text, logprob: z.number(), bytes: z.array(z.int().min(0).max(255)) };
export const logprob = z.strictObject({ ...likelihood, top_logprobs: z.array(z.strictObject(likelihood)) });

export const outputText = z.strictObject({
  type: z.literal('output_text'),
  text,
  annotations: z.array(annotation),
  logprobs: z.array(logprob),
});
export const refusal = z.strictObject({ type: z.literal('refusal'), refusal: text });
export const reasoningText = z.strictObject({ type: z.literal('reasoning_text'), text });
export const summaryText = z.strictObject({ type: z.literal('summary_text'), text });

export const messagePart = z.discriminatedUnion('type', [outputText, refusal]);
export const streamedPart = z.discriminatedUnion('type', [outputText, refusal, reasoningText]);

const breakpoint = {
  prompt_cache_breakpoint: z
    .strictObject({ mode: z.literal('explicit') })
    .nullable()
    .optional(),
};
export const inputText = z.strictObject({ type: z.literal('input_text'), text, ...breakpoint });
const inputImage = z.strictObject({
  type: z.literal('input_image'),
  image_url: text.nullable().optional(),
  file_id: text.nullable().optional(),
  detail: z.enum(['low', 'high', 'auto', 'original']).nullable().optional(),
  ...breakpoint,
});
const inputFile = z.strictObject({
  type: z.literal('input_file'),
  file_id: text.nullable().optional(),
  filename: text.nullable().optional(),
  file_data: text.nullable().optional(),
  file_url: text.nullable().optional(),
  detail: z.enum(['auto', 'low', 'high']).optional(),
  ...breakpoint,
});
export const inputPart = z.discriminatedUnion('type', [inputText, inputImage, inputFile]);

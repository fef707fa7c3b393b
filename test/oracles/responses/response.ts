/** OpenAI response object. https://platform.openai.com/docs/api-reference/responses/object (read 2026-11-16). */

import { z } from 'zod';
import { responseModeration } from '../openai-inline-moderation.ts';
import { inputPart } from './content.ts';
import { instructions } from './input-items.ts';
import { outputItem } from './output-items.ts';
import { tool, toolChoice } from './tools.ts';

const text = z.string();
const count = z.int().nonnegative();
const time = z.number().nonnegative();

const errorCodes = [
  'server_error',
  'rate_limit_exceeded',
  'invalid_prompt',
  'data_residency_mismatch',
  'bio_policy',
  'vector_store_timeout',
  'invalid_image',
  'invalid_image_format',
  'invalid_base64_image',
  'invalid_image_url',
  'image_too_large',
  'image_too_small',
  'image_parse_error',
  'image_content_policy_violation',
  'invalid_image_mode',
  'image_file_too_large',
  'unsupported_image_media_type',
  'empty_image_file',
  'failed_to_download_image',
  'image_file_not_found',
] as const;

/**
 * Weir: codes that the original service sends and its reference does not list, by which clients decide
 * what to do (docs/errors.md).
 */
const weirErrorCodes = ['context_length_exceeded', 'insufficient_quota', 'usage_not_included'] as const;

const responseError = z.strictObject({
  code: z.enum([...errorCodes, ...weirErrorCodes]),
  message: text,
  // Weir: the rest of the error object, since the list of codes is closed.
  type: text.optional(),
  param: text.nullable().optional(),
});

const summary = z.enum(['auto', 'concise', 'detailed']).nullable().optional();
const reasoning = z.strictObject({
  mode: text.optional(),
  effort: z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']).nullable().optional(),
  summary,
  context: z.enum(['auto', 'current_turn', 'all_turns']).nullable().optional(),
  generate_summary: summary,
});

const textFormat = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text') }),
  z.strictObject({ type: z.literal('json_object') }),
  z.strictObject({
    type: z.literal('json_schema'),
    name: text,
    description: text.nullable().optional(),
    schema: z.record(text, z.unknown()),
    strict: z.boolean().nullable().optional(),
  }),
]);

/** Weir: classes that providers of other formats report and this one has no field for (docs/costs.md). */
const weirClasses = {
  text_tokens: count.optional(),
  audio_tokens: count.optional(),
  image_tokens: count.optional(),
  video_tokens: count.optional(),
};

export const responseUsage = z
  .strictObject({
    input_tokens: count,
    input_tokens_details: z.strictObject({ cached_tokens: count, cache_write_tokens: count, ...weirClasses }),
    output_tokens: count,
    output_tokens_details: z.strictObject({ reasoning_tokens: count, ...weirClasses }),
    total_tokens: count,
  })
  .refine((usage) => usage.total_tokens === usage.input_tokens + usage.output_tokens, 'total_tokens is not the sum');

const promptVariables = z.record(text, z.union([text, inputPart]));

export const responseFields = {
  id: text.min(1),
  object: z.literal('response'),
  created_at: time,
  completed_at: time.nullable().optional(),
  status: z.enum(['completed', 'failed', 'in_progress', 'cancelled', 'queued', 'incomplete']).optional(),
  error: responseError.nullable(),
  incomplete_details: z.strictObject({ reason: z.enum(['max_output_tokens', 'content_filter']).optional() }).nullable(),
  instructions,
  output: z.array(outputItem),
  output_text: text.nullable().optional(),
  // Null in the examples of the reference until the response is complete.
  usage: responseUsage.nullable().optional(),
  model: text,
  previous_response_id: text.nullable().optional(),
  background: z.boolean().nullable().optional(),
  conversation: z.strictObject({ id: text }).nullable().optional(),
  max_output_tokens: count.nullable().optional(),
  max_tool_calls: count.nullable().optional(),
  metadata: z.record(text, text).nullable(),
  moderation: responseModeration.nullable().optional(),
  parallel_tool_calls: z.boolean(),
  prompt: z
    .strictObject({
      id: text,
      version: text.nullable().optional(),
      variables: promptVariables.nullable().optional(),
    })
    .nullable()
    .optional(),
  prompt_cache_key: text.nullable().optional(),
  prompt_cache_retention: z.enum(['in_memory', '24h']).nullable().optional(),
  prompt_cache_options: z.strictObject({ ttl: z.literal('30m'), mode: z.enum(['implicit', 'explicit']) }).optional(),
  reasoning: reasoning.nullable().optional(),
  safety_identifier: text.nullable().optional(),
  service_tier: z.enum(['auto', 'default', 'flex', 'scale', 'priority', 'fast', 'ultrafast']).nullable().optional(),
  temperature: z.number().min(0).max(2).nullable(),
  text: z
    .strictObject({
      format: textFormat.optional(),
      verbosity: z.enum(['low', 'medium', 'high']).nullable().optional(),
    })
    .optional(),
  tool_choice: toolChoice,
  tools: z.array(tool),
  top_logprobs: z.int().min(0).max(20).nullable().optional(),
  top_p: z.number().min(0).max(1).nullable(),
  truncation: z.enum(['auto', 'disabled']).nullable().optional(),
  user: text.nullable().optional(),
  // In the examples of the reference, not in its table.
  store: z.boolean().optional(),
  // Azure: https://learn.microsoft.com/azure/ai-foundry/openai/latest#create-response.
  content_filters: z
    .array(z.looseObject({ blocked: z.boolean(), source_type: text }))
    .nullable()
    .optional(),
  // Open Responses, which requires them: https://www.openresponses.org/reference.
  presence_penalty: z.number().nullable().optional(),
  frequency_penalty: z.number().nullable().optional(),
};

export const response = z.strictObject(responseFields);

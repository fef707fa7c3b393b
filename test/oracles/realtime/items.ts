/** OpenAI Realtime API: the items of a conversation, and a response. https://platform.openai.com/docs/api-reference/realtime-server-events (read 2026-11-16) */

import { z } from 'zod';

const count = z.int().nonnegative();
const text = z.string();

const itemFields = {
  id: text.optional(),
  object: z.literal('realtime.item').optional(),
  status: z.enum(['completed', 'incomplete', 'in_progress']).optional(),
};

const message = <Role extends string, Part extends z.ZodType>(role: Role, part: Part) =>
  z.strictObject({ ...itemFields, type: z.literal('message'), role: z.literal(role), content: z.array(part) });

const systemPart = z.strictObject({ type: z.literal('input_text'), text });
/** `transcript` is null until the audio is transcribed. */
const userPart = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('input_text'), text }),
  z.strictObject({ type: z.literal('input_audio'), audio: text.optional(), transcript: text.nullish() }),
  z.strictObject({
    type: z.literal('input_image'),
    image_url: text,
    detail: z.enum(['auto', 'low', 'high']).optional(),
  }),
]);
const assistantPart = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('output_text'), text }),
  z.strictObject({ type: z.literal('output_audio'), audio: text.optional(), transcript: text.optional() }),
]);

const mcpError = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('protocol_error'), code: z.int(), message: text }),
  z.strictObject({ type: z.literal('tool_execution_error'), message: text }),
  z.strictObject({ type: z.literal('http_error'), code: z.int(), message: text }),
]);

export const conversationItem = z.union([
  message('system', systemPart),
  message('user', userPart),
  message('assistant', assistantPart),
  z.strictObject({
    ...itemFields,
    type: z.literal('function_call'),
    name: text,
    arguments: text,
    call_id: text.optional(),
  }),
  z.strictObject({ ...itemFields, type: z.literal('function_call_output'), call_id: text, output: text }),
  z.strictObject({
    type: z.literal('mcp_approval_response'),
    id: text,
    approval_request_id: text,
    approve: z.boolean(),
    reason: text.nullish(),
  }),
  z.strictObject({
    type: z.literal('mcp_list_tools'),
    id: text.optional(),
    server_label: text,
    tools: z.array(
      z.strictObject({
        name: text,
        input_schema: z.unknown(),
        annotations: z.unknown().optional(),
        description: text.nullish(),
      }),
    ),
  }),
  z.strictObject({
    type: z.literal('mcp_call'),
    id: text,
    server_label: text,
    name: text,
    arguments: text,
    approval_request_id: text.nullish(),
    error: mcpError.nullish(),
    output: text.nullish(),
  }),
  z.strictObject({
    type: z.literal('mcp_approval_request'),
    id: text,
    server_label: text,
    name: text,
    arguments: text,
  }),
]);

export const audioFormat = z.union([
  z.strictObject({ type: z.literal('audio/pcm'), rate: z.literal(24_000).optional() }),
  z.strictObject({ type: z.enum(['audio/pcmu', 'audio/pcma']) }),
]);

const kinds = { audio_tokens: count.optional(), image_tokens: count.optional(), text_tokens: count.optional() };
const usage = z.strictObject({
  total_tokens: count.optional(),
  input_tokens: count.optional(),
  output_tokens: count.optional(),
  input_token_details: z
    .strictObject({
      ...kinds,
      cached_tokens: count.optional(),
      cached_tokens_details: z.strictObject(kinds).optional(),
    })
    .optional(),
  output_token_details: z.strictObject({ audio_tokens: count.optional(), text_tokens: count.optional() }).optional(),
});

/** `conversation_id` is null where the response belongs to no conversation. */
export const response = z.strictObject({
  id: text,
  object: z.literal('realtime.response'),
  status: z.enum(['completed', 'cancelled', 'failed', 'incomplete', 'in_progress']),
  status_details: z
    .strictObject({
      type: z.enum(['completed', 'cancelled', 'failed', 'incomplete']).optional(),
      reason: z.enum(['turn_detected', 'client_cancelled', 'max_output_tokens', 'content_filter']).optional(),
      error: z.strictObject({ type: text.optional(), code: text.optional(), message: text.optional() }).optional(),
    })
    .nullish(),
  output: z.array(conversationItem),
  conversation_id: text.nullish(),
  output_modalities: z.array(z.enum(['text', 'audio'])).optional(),
  max_output_tokens: z.union([count, z.literal('inf')]).optional(),
  audio: z
    .strictObject({
      output: z.strictObject({ format: audioFormat.optional(), voice: text.optional() }).optional(),
    })
    .optional(),
  metadata: z.record(text, text).nullish(),
  usage: usage.nullish(),
});

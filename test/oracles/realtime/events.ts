/** OpenAI Realtime API: the events of the server. https://platform.openai.com/docs/api-reference/realtime-server-events (read 2026-11-16) */

import { z } from 'zod';
import { conversationItem, response } from './items.ts';
import { session } from './session.ts';

const count = z.int().nonnegative();
const text = z.string();
const base64 = text.regex(/^[A-Za-z0-9+/]*={0,2}$/);

const named = <Type extends string, Shape extends z.core.$ZodLooseShape>(type: Type, shape: Shape) =>
  z.strictObject({ type: z.literal(type), event_id: text.min(1), ...shape });

const ofItem = { item_id: text };
const ofResponse = { response_id: text };
const ofOutput = { ...ofResponse, ...ofItem, output_index: count };
const ofContent = { ...ofOutput, content_index: count };
const placed = { item: conversationItem, previous_item_id: text.nullish() };

/** A part is empty when it begins and whole when it ends, with the short names of its kinds. */
const part = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text'), text: text.optional() }),
  z.strictObject({ type: z.literal('audio'), audio: text.optional(), transcript: text.optional() }),
]);

const logprobs = z
  .array(z.strictObject({ token: text, logprob: z.number(), bytes: z.array(z.int().min(0).max(255)) }))
  .nullish();

const transcriptUsage = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('tokens'),
    input_tokens: count,
    output_tokens: count,
    total_tokens: count,
    input_token_details: z.strictObject({ audio_tokens: count.optional(), text_tokens: count.optional() }).optional(),
  }),
  z.strictObject({ type: z.literal('duration'), seconds: z.number().nonnegative() }),
]);

const transcription = 'conversation.item.input_audio_transcription';

const conversationEvents = [
  named('conversation.created', {
    conversation: z.strictObject({ id: text.optional(), object: z.literal('realtime.conversation').optional() }),
  }),
  named('conversation.item.created', placed),
  named('conversation.item.added', placed),
  named('conversation.item.done', placed),
  named('conversation.item.retrieved', { item: conversationItem }),
  named('conversation.item.deleted', ofItem),
  named('conversation.item.truncated', { ...ofItem, content_index: count, audio_end_ms: count }),
  named(`${transcription}.completed`, {
    ...ofItem,
    content_index: count,
    transcript: text,
    usage: transcriptUsage,
    languages: z.array(z.strictObject({ code: text })).optional(),
    logprobs,
  }),
  named(`${transcription}.delta`, { ...ofItem, content_index: count.optional(), delta: text.optional(), logprobs }),
  named(`${transcription}.segment`, {
    ...ofItem,
    content_index: count,
    id: text,
    speaker: text,
    start: z.number(),
    end: z.number(),
    text,
  }),
  named(`${transcription}.failed`, {
    ...ofItem,
    content_index: count,
    error: z.strictObject({
      type: text.optional(),
      code: text.optional(),
      message: text.optional(),
      param: text.optional(),
    }),
  }),
] as const;

const bufferEvents = [
  named('input_audio_buffer.cleared', {}),
  named('input_audio_buffer.committed', { ...ofItem, previous_item_id: text.nullish() }),
  named('input_audio_buffer.speech_started', { ...ofItem, audio_start_ms: count }),
  named('input_audio_buffer.speech_stopped', { ...ofItem, audio_end_ms: count }),
  named('input_audio_buffer.timeout_triggered', { ...ofItem, audio_start_ms: count, audio_end_ms: count }),
  z.strictObject({ type: z.literal('input_audio_buffer.dtmf_event_received'), event: text, received_at: count }),
  named('output_audio_buffer.started', ofResponse),
  named('output_audio_buffer.stopped', ofResponse),
  named('output_audio_buffer.cleared', ofResponse),
] as const;

const responseEvents = [
  named('response.created', { response }),
  named('response.done', { response }),
  named('response.output_item.added', { ...ofResponse, output_index: count, item: conversationItem }),
  named('response.output_item.done', { ...ofResponse, output_index: count, item: conversationItem }),
  named('response.content_part.added', { ...ofContent, part }),
  named('response.content_part.done', { ...ofContent, part }),
  named('response.output_text.delta', { ...ofContent, delta: text }),
  named('response.output_text.done', { ...ofContent, text }),
  named('response.output_audio.delta', { ...ofContent, delta: base64 }),
  named('response.output_audio.done', ofContent),
  named('response.output_audio_transcript.delta', { ...ofContent, delta: text }),
  named('response.output_audio_transcript.done', { ...ofContent, transcript: text }),
  named('response.function_call_arguments.delta', { ...ofOutput, call_id: text, delta: text }),
  named('response.function_call_arguments.done', {
    ...ofOutput,
    call_id: text,
    name: text.optional(),
    arguments: text,
  }),
  named('response.mcp_call_arguments.delta', { ...ofOutput, delta: text, obfuscation: text.nullish() }),
  named('response.mcp_call_arguments.done', { ...ofOutput, arguments: text }),
  named('response.mcp_call.in_progress', { ...ofItem, output_index: count }),
  named('response.mcp_call.completed', { ...ofItem, output_index: count }),
  named('response.mcp_call.failed', { ...ofItem, output_index: count }),
] as const;

/** Weir answers a refused frame by the same event (docs/realtime.md). */
export const errorEvent = named('error', {
  error: z.strictObject({
    type: text.min(1),
    code: text.nullish(),
    message: text.min(1),
    param: text.nullish(),
    event_id: text.nullish(),
  }),
});

/** Weir passes a provider's events on as they are (docs/realtime.md); errors are its own as well, and are judged. */
export const passedEvent = z.union([errorEvent, z.looseObject({ type: text.refine((type) => type !== 'error') })]);

const limits = z.strictObject({
  name: z.enum(['requests', 'tokens']).optional(),
  limit: z.number().optional(),
  remaining: z.number().optional(),
  reset_seconds: z.number().optional(),
});

export const serverEvent = z.discriminatedUnion('type', [
  ...conversationEvents,
  ...bufferEvents,
  ...responseEvents,
  errorEvent,
  named('session.created', { session }),
  named('session.updated', { session }),
  named('rate_limits.updated', { rate_limits: z.array(limits) }),
  named('mcp_list_tools.in_progress', ofItem),
  named('mcp_list_tools.completed', ofItem),
  named('mcp_list_tools.failed', ofItem),
]);

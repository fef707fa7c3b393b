/** OpenAI response streaming events. https://platform.openai.com/docs/api-reference/responses-streaming (read 2026-11-16). */

import { z } from 'zod';
import { annotation, streamedPart, summaryText } from './content.ts';
import { outputItem, shellOutput } from './output-items.ts';
import { response } from './response.ts';

const text = z.string();
const count = z.int().nonnegative();
const numbered = { sequence_number: count };
/** Padding that hides how long a delta is; `stream_options.include_obfuscation` switches it off. */
const padded = { obfuscation: text.optional() };

const ofResponse = <Type extends string>(type: Type) =>
  z.strictObject({ type: z.literal(type), response, ...numbered });
const ofItem = <Type extends string, Fields extends z.ZodRawShape>(type: Type, fields: Fields) =>
  z.strictObject({ type: z.literal(type), item_id: text, output_index: count, ...fields, ...numbered });
const ofPart = <Type extends string, Fields extends z.ZodRawShape>(type: Type, fields: Fields) =>
  ofItem(type, { content_index: count, ...fields });
const ofSummary = <Type extends string, Fields extends z.ZodRawShape>(type: Type, fields: Fields) =>
  ofItem(type, { summary_index: count, ...fields });
const wholeItem = <Type extends string>(type: Type) =>
  z.strictObject({ type: z.literal(type), output_index: count, item: outputItem, ...numbered });

const bytes = z.array(z.int()).nullable().optional();
const likelihood = z.strictObject({
  token: text,
  logprob: z.number(),
  // Weir, and local servers: the bytes, which the same list has in a whole part.
  bytes,
  top_logprobs: z.array(z.strictObject({ token: text.optional(), logprob: z.number().optional(), bytes })).optional(),
});
const likelihoods = { logprobs: z.array(likelihood) };

const lifecycle = [
  ofResponse('response.created'),
  ofResponse('response.queued'),
  ofResponse('response.in_progress'),
  ofResponse('response.completed'),
  ofResponse('response.incomplete'),
  ofResponse('response.failed'),
] as const;

const textual = [
  wholeItem('response.output_item.added'),
  wholeItem('response.output_item.done'),
  ofPart('response.content_part.added', { part: streamedPart }),
  ofPart('response.content_part.done', { part: streamedPart }),
  ofPart('response.output_text.delta', { delta: text, ...likelihoods, ...padded }),
  ofPart('response.output_text.done', { text, ...likelihoods }),
  ofPart('response.output_text.annotation.added', { annotation_index: count, annotation: annotation.nullable() }),
  ofPart('response.refusal.delta', { delta: text, ...padded }),
  ofPart('response.refusal.done', { refusal: text }),
  ofPart('response.reasoning_text.delta', { delta: text, ...padded }),
  ofPart('response.reasoning_text.done', { text }),
  ofSummary('response.reasoning_summary_part.added', { part: summaryText }),
  ofSummary('response.reasoning_summary_part.done', { part: summaryText, status: z.literal('incomplete').optional() }),
  ofSummary('response.reasoning_summary_text.delta', { delta: text, ...padded }),
  ofSummary('response.reasoning_summary_text.done', { text }),
] as const;

const calls = [
  ofItem('response.function_call_arguments.delta', { delta: text, ...padded }),
  ofItem('response.function_call_arguments.done', { name: text, arguments: text }),
  ofItem('response.custom_tool_call_input.delta', { delta: text, ...padded }),
  ofItem('response.custom_tool_call_input.done', { input: text }),
  ofItem('response.mcp_call_arguments.delta', { delta: text, ...padded }),
  ofItem('response.mcp_call_arguments.done', { arguments: text }),
  ofItem('response.code_interpreter_call_code.delta', { delta: text, ...padded }),
  ofItem('response.code_interpreter_call_code.done', { code: text }),
] as const;

/** Steps of tools that the service runs itself. */
const steps = [
  ofItem('response.file_search_call.in_progress', {}),
  ofItem('response.file_search_call.searching', {}),
  ofItem('response.file_search_call.completed', {}),
  ofItem('response.web_search_call.in_progress', {}),
  ofItem('response.web_search_call.searching', {}),
  ofItem('response.web_search_call.completed', {}),
  ofItem('response.code_interpreter_call.in_progress', {}),
  ofItem('response.code_interpreter_call.interpreting', {}),
  ofItem('response.code_interpreter_call.completed', {}),
  ofItem('response.image_generation_call.in_progress', {}),
  ofItem('response.image_generation_call.generating', {}),
  ofItem('response.image_generation_call.completed', {}),
  ofItem('response.image_generation_call.partial_image', {
    partial_image_index: count,
    partial_image_b64: text,
    size: text.optional(),
    quality: text.optional(),
    background: text.optional(),
    output_format: text.optional(),
  }),
  ofItem('response.mcp_call.in_progress', {}),
  ofItem('response.mcp_call.completed', {}),
  ofItem('response.mcp_call.failed', {}),
  ofItem('response.mcp_list_tools.in_progress', {}),
  ofItem('response.mcp_list_tools.completed', {}),
  ofItem('response.mcp_list_tools.failed', {}),
] as const;

const ofCommand = <Type extends string, Fields extends z.ZodRawShape>(type: Type, fields: Fields) =>
  z.strictObject({ type: z.literal(type), output_index: count, command_index: count, ...fields, ...numbered });

const shell = [
  ofCommand('response.shell_call_command.added', { command: text }),
  ofCommand('response.shell_call_command.delta', { delta: text, ...padded }),
  ofCommand('response.shell_call_command.done', { command: text }),
  ofCommand('response.shell_call_output_content.delta', {
    item_id: text,
    delta: z.strictObject({ stdout: text.optional(), stderr: text.optional() }),
  }),
  ofCommand('response.shell_call_output_content.done', { item_id: text, output: z.array(shellOutput) }),
] as const;

const audio = [
  z.strictObject({ type: z.literal('response.audio.delta'), delta: text, ...numbered }),
  z.strictObject({ type: z.literal('response.audio.done'), response_id: text, ...numbered }),
  z.strictObject({ type: z.literal('response.audio.transcript.delta'), delta: text, response_id: text, ...numbered }),
  z.strictObject({ type: z.literal('response.audio.transcript.done'), response_id: text, ...numbered }),
] as const;

const failure = z.strictObject({
  type: z.literal('error'),
  code: text.nullable(),
  message: text,
  param: text.nullable(),
  ...numbered,
});

const succeeding = [...lifecycle, ...textual, ...calls, ...steps, ...shell, ...audio] as const;

export const responseEvent = z.discriminatedUnion('type', [...succeeding, failure]);

/** The error of a request over the WebSocket: https://platform.openai.com/docs/guides/websocket-mode. */
const socketFailure = z.strictObject({
  type: z.literal('error'),
  status: z.int().optional(),
  sequence_number: count.optional(),
  error: z.strictObject({
    type: text,
    code: text.nullable(),
    message: text,
    param: text.nullable(),
    headers: z.record(text, text).optional(),
  }),
});

/** Weir: steering is not supported (docs/responses.md). */
const steerFailure = z.strictObject({
  type: z.literal('response.steer.failed'),
  sequence_number: count,
  steer: z.strictObject({ previous_response_id: text, input: z.unknown() }),
  error: z.strictObject({ type: text, code: z.literal('steering_not_supported'), message: text }),
});

/** Over the WebSocket an event carries the lane of its request. */
function withoutLane(event: unknown): unknown {
  const { stream_id: lane, ...rest } = event as Readonly<Record<string, unknown>>;
  return lane === undefined || typeof lane === 'string' ? rest : event;
}

export const socketEvent = z.preprocess(
  withoutLane,
  z.discriminatedUnion('type', [...succeeding, socketFailure, steerFailure]),
);

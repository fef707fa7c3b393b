/** Cohere chat API v2: replies, events and their order. https://docs.cohere.com/reference/chat, https://docs.cohere.com/reference/chat-stream (read 2026-11-16) */

import { z } from 'zod';
import type { StreamedEvent } from '../oracle.ts';

const count = z.int().nonnegative();
const text = z.string();

const finishReason = z.enum(['COMPLETE', 'STOP_SEQUENCE', 'MAX_TOKENS', 'TOOL_CALL', 'ERROR', 'TIMEOUT']);
const billed = z.strictObject({
  input_tokens: z.number().nonnegative().optional(),
  output_tokens: z.number().nonnegative().optional(),
  search_units: z.number().nonnegative().optional(),
  classifications: z.number().nonnegative().optional(),
});
const usage = z.strictObject({
  billed_units: billed.optional(),
  tokens: z.strictObject({ input_tokens: z.number().optional(), output_tokens: z.number().optional() }).optional(),
  cached_tokens: z.number().nonnegative().optional(),
});
const calledFunction = z.strictObject({ name: text, arguments: text });
const call = z.strictObject({ id: text, type: z.literal('function'), function: calledFunction });
const source = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('document'),
    id: text.optional(),
    document: z.record(text, z.unknown()).optional(),
  }),
  z.strictObject({ type: z.literal('tool'), id: text.optional(), tool_output: z.record(text, z.unknown()).optional() }),
]);
const citation = z.strictObject({
  start: count.optional(),
  end: count.optional(),
  text: text.optional(),
  sources: z.array(source).optional(),
  content_index: count.optional(),
  type: z.enum(['TEXT_CONTENT', 'THINKING_CONTENT', 'PLAN']).optional(),
});
const logprobs = z.strictObject({
  text: text.optional(),
  token_ids: z.array(z.int()),
  logprobs: z.array(z.number()).optional(),
});
const content = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text'), text }),
  z.strictObject({ type: z.literal('thinking'), thinking: text }),
]);

export const chatReply = z.strictObject({
  id: text.min(1),
  finish_reason: finishReason,
  message: z.strictObject({
    role: z.literal('assistant'),
    content: z.array(content).optional(),
    tool_calls: z.array(call).optional(),
    tool_plan: text.optional(),
    citations: z.array(citation).optional(),
  }),
  usage: usage.optional(),
  logprobs: z.array(logprobs).optional(),
});

/** https://docs.cohere.com/reference/errors; `code` and `param` are Weir's. */
export const chatError = z.strictObject({
  id: text.optional(),
  message: text.min(1),
  code: text.optional(),
  param: text.optional(),
});

const says = <Type extends string, Shape extends z.ZodType>(type: Type, message: Shape) =>
  z.strictObject({ type: z.literal(type), index: count, delta: z.strictObject({ message }) });
const ends = <Type extends string>(type: Type) => z.strictObject({ type: z.literal(type), index: count });

/** A stream opens its message with empty lists. */
const openedMessage = z.strictObject({
  role: z.literal('assistant'),
  content: z.array(z.never()).optional(),
  tool_plan: text.optional(),
  tool_calls: z.array(z.never()).optional(),
  citations: z.array(z.never()).optional(),
});

export const chatEvent = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('message-start'),
    id: text.min(1),
    delta: z.strictObject({ message: openedMessage }),
  }),
  says('content-start', z.strictObject({ content })),
  says(
    'content-delta',
    z.strictObject({
      content: z.union([z.strictObject({ text }), z.strictObject({ thinking: text })]),
    }),
  ).extend({ logprobs: logprobs.optional() }),
  ends('content-end'),
  z.strictObject({
    type: z.literal('tool-plan-delta'),
    delta: z.strictObject({ message: z.strictObject({ tool_plan: text }) }),
  }),
  says('tool-call-start', z.strictObject({ tool_calls: call })),
  says(
    'tool-call-delta',
    z.strictObject({ tool_calls: z.strictObject({ function: z.strictObject({ arguments: text }) }) }),
  ),
  ends('tool-call-end'),
  says('citation-start', z.strictObject({ citations: citation })),
  ends('citation-end'),
  z.strictObject({
    type: z.literal('message-end'),
    id: text.optional(),
    delta: z.strictObject({ finish_reason: finishReason, usage: usage.optional(), error: text.optional() }),
  }),
]);

type ChatEvent = z.infer<typeof chatEvent>;

/** `message-start`, then contents, calls and citations that each start, grow and end by their index, then `message-end`, and `[DONE]` where it is sent. */
export function orderFault(events: readonly StreamedEvent[], complete: boolean): string | undefined {
  const open = new Set<string>();
  let started = false;
  let ended = false;
  let done = false;
  for (const { name, data } of events) {
    if (done) return 'an event after [DONE]';
    if (data === '[DONE]') {
      if (!ended) return '[DONE] before message-end';
      done = true;
      continue;
    }
    const event = data as ChatEvent;
    if (name !== undefined && name !== event.type) return `the event ${event.type} is named ${name}`;
    if (ended) return `${event.type} after message-end`;
    if (event.type === 'message-start') {
      if (started) return 'a second message-start';
      started = true;
      continue;
    }
    if (event.type === 'message-end') {
      ended = true;
      const failed = event.delta.finish_reason === 'ERROR';
      if (!failed && (!started || open.size > 0)) return `message-end while ${[...open].join(', ')} is open`;
      continue;
    }
    if (!started) return `${event.type} before message-start`;
    if (event.type === 'tool-plan-delta') continue;
    const place = `${event.type.replace(/-\w+$/, '')} ${event.index}`;
    if (event.type.endsWith('-start')) open.add(place);
    else if (!open.has(place)) return `${event.type} of ${place}, which is not open`;
    if (event.type.endsWith('-end')) open.delete(place);
  }
  return complete && !ended ? 'ends without message-end' : undefined;
}

/** Anthropic Messages API: the events of a stream and their order. https://platform.claude.com/docs/en/build-with-claude/streaming (read 2026-11-16) */

import { z } from 'zod';
import type { StreamedEvent } from '../oracle.ts';
import { citation, contentBlock } from './content.ts';
import {
  container,
  contextManagement,
  deltaUsage,
  errorReply,
  inputTransformations,
  startedMessage,
  stopDetails,
  stopReason,
} from './messages.ts';

const count = z.int().nonnegative();
const text = z.string();

const delta = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text_delta'), text }),
  z.strictObject({ type: z.literal('input_json_delta'), partial_json: text }),
  z.strictObject({ type: z.literal('citations_delta'), citation }),
  z.strictObject({ type: z.literal('thinking_delta'), thinking: text, estimated_tokens: count.nullish() }),
  z.strictObject({ type: z.literal('signature_delta'), signature: text }),
  z.strictObject({
    type: z.literal('compaction_delta'),
    content: text.nullable(),
    encrypted_content: text.nullish(),
  }),
]);

export const streamEvent = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('message_start'), message: startedMessage }),
  z.strictObject({ type: z.literal('content_block_start'), index: count, content_block: contentBlock }),
  z.strictObject({ type: z.literal('content_block_delta'), index: count, delta }),
  z.strictObject({ type: z.literal('content_block_stop'), index: count }),
  z.strictObject({
    type: z.literal('message_delta'),
    delta: z.strictObject({
      stop_reason: stopReason.nullable(),
      stop_sequence: text.nullable(),
      stop_details: stopDetails.nullish(),
      container: container.nullish(),
    }),
    usage: deltaUsage,
    context_management: contextManagement.nullish(),
    input_transformations: inputTransformations,
  }),
  z.strictObject({ type: z.literal('message_stop') }),
  z.strictObject({ type: z.literal('ping') }),
  errorReply,
]);

type StreamEvent = z.infer<typeof streamEvent>;

/** Which deltas a block takes, by its type; blocks that are whole from their start take none. */
const deltasOf: Readonly<Record<string, readonly string[]>> = {
  text: ['text_delta', 'citations_delta'],
  thinking: ['thinking_delta', 'signature_delta'],
  tool_use: ['input_json_delta'],
  server_tool_use: ['input_json_delta'],
  mcp_tool_use: ['input_json_delta'],
  compaction: ['compaction_delta'],
};

/**
 * The first rule that a stream breaks: `message_start`, then blocks one after the other with rising indexes, each started, grown by
 * deltas of its kind and stopped, then `message_delta` and at last `message_stop`; `ping` anywhere; `error` ends it. Each event is
 * named by its type.
 */
export function orderFault(events: readonly StreamedEvent[], complete: boolean): string | undefined {
  let state: 'before' | 'open' | 'closing' | 'over' = 'before';
  let block: OpenBlock | undefined;
  let nextIndex = 0;
  for (const { name, data } of events) {
    const event = data as StreamEvent;
    const { type } = event;
    if (name !== type) return `the event ${type} is named ${name}`;
    if (state === 'over') return `${type} after the end`;
    if (type === 'ping') continue;
    if (type === 'error') state = 'over';
    else if (type === 'message_start') {
      if (state !== 'before') return 'a second message_start';
      state = 'open';
      nextIndex = event.message.content.length;
    } else if (state === 'before') return `${type} before message_start`;
    else if (type === 'message_delta') {
      if (block !== undefined) return `message_delta inside block ${block.index}`;
      state = 'closing';
    } else if (type === 'message_stop') {
      if (state !== 'closing') return 'message_stop without message_delta';
      state = 'over';
    } else if (state === 'closing') return `${type} after message_delta`;
    else {
      const fault = blockFault(event, block, nextIndex);
      if (fault !== undefined) return fault;
      if (type === 'content_block_start') {
        block = { index: event.index, type: event.content_block.type };
        nextIndex = event.index + 1;
      } else if (type === 'content_block_stop') block = undefined;
    }
  }
  return complete && state !== 'over' ? 'ends without message_stop or error' : undefined;
}

interface OpenBlock {
  readonly index: number;
  readonly type: string;
}

type BlockEvent = Extract<StreamEvent, { readonly index: number }>;

function blockFault(event: BlockEvent, open: OpenBlock | undefined, nextIndex: number): string | undefined {
  if (event.type === 'content_block_start') {
    if (open !== undefined) return `block ${event.index} starts inside block ${open.index}`;
    return event.index === nextIndex ? undefined : `block ${event.index} starts where ${nextIndex} is next`;
  }
  if (open?.index !== event.index) return `${event.type} of block ${event.index}, which is not open`;
  if (event.type === 'content_block_stop') return undefined;
  const known = deltasOf[open.type] ?? [];
  return known.includes(event.delta.type) ? undefined : `${event.delta.type} in a block of ${open.type}`;
}

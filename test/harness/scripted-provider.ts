/**
 * A provider that records every body and answers with the reply that a test sets next: a whole reply, or
 * a stream of events.
 */

import type { Server } from 'bun';
import { messageItem, responseReply, responseUsage } from './response-replies.ts';

type Tree = Readonly<Record<string, unknown>>;

/** One JSON value is a whole reply; a list is a stream, each entry its data, with its `type` for the event's name. */
export type ScriptedReply = Tree | readonly Tree[] | { readonly status: number; readonly body: Tree };

export interface ScriptedProvider {
  readonly origin: string;
  /** With the version path, as a `base_url` in `weir.yaml`. */
  readonly base: string;
  readonly bodies: Record<string, unknown>[];
  readonly headers: Headers[];
  /** For the next request, then for the one after it; the last one stays. */
  answer(...replies: ScriptedReply[]): void;
  readonly last: Record<string, unknown>;
  stop(): Promise<void>;
}

export function startScriptedProvider(): ScriptedProvider {
  const bodies: Record<string, unknown>[] = [];
  const headers: Headers[] = [];
  let replies: ScriptedReply[] = [];
  const server: Server<undefined> = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      bodies.push((await request.json()) as Record<string, unknown>);
      headers.push(request.headers);
      const reply = replies.length > 1 ? replies.shift() : replies[0];
      return replyOf(reply ?? {});
    },
  });
  const origin = `http://127.0.0.1:${server.port}`;
  return {
    origin,
    base: `${origin}/v1`,
    bodies,
    headers,
    answer: (...next) => {
      replies = next;
    },
    get last() {
      const body = bodies.at(-1);
      if (body === undefined) throw new Error('Nothing was asked yet.');
      return body;
    },
    stop: () => server.stop(true),
  };
}

function replyOf(reply: ScriptedReply): Response {
  if (Array.isArray(reply)) {
    const text = (reply as readonly Tree[]).map(eventOf).join('');
    return new Response(text, { headers: { 'content-type': 'text/event-stream' } });
  }
  const { status, body } = reply as { status?: unknown; body?: Tree };
  if (typeof status === 'number' && body !== undefined) return Response.json(body, { status });
  return Response.json(reply);
}

function eventOf(data: Tree): string {
  const { type } = data;
  if (type === '[DONE]') return 'data: [DONE]\n\n';
  return `${typeof type === 'string' ? `event: ${type}\n` : ''}data: ${JSON.stringify(data)}\n\n`;
}

/** Replies of each format that call one tool, whole and streamed. */
export interface ScriptedCall {
  readonly id: string;
  readonly name: string;
  readonly args: string;
}

export const chatCall = ({ id, name, args }: ScriptedCall, beside: Tree = {}): Tree => ({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [
    {
      index: 0,
      message: {
        role: 'assistant',
        content: null,
        refusal: null,
        tool_calls: [{ id, type: 'function', function: { name, arguments: args } }],
        ...beside,
      },
      finish_reason: 'tool_calls',
    },
  ],
  usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
});

export const chatText = (content: string): Tree => ({
  ...chatCall({ id: '', name: '', args: '' }),
  choices: [{ index: 0, message: { role: 'assistant', content, refusal: null }, finish_reason: 'stop' }],
});

/** The arguments come in pieces of so many characters. */
export function chatCallStream({ id, name, args }: ScriptedCall, length: number, before: readonly Tree[] = []): Tree[] {
  const chunk = (delta: Tree, finish: string | null = null): Tree => ({
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices: [{ index: 0, delta, finish_reason: finish }],
  });
  const pieces = args.match(new RegExp(`[\\s\\S]{1,${length}}`, 'g')) ?? [];
  return [
    ...before.map((delta) => chunk(delta)),
    chunk({ tool_calls: [{ index: 0, id, type: 'function', function: { name, arguments: '' } }] }),
    ...pieces.map((piece) => chunk({ tool_calls: [{ index: 0, function: { arguments: piece } }] })),
    chunk({}, 'tool_calls'),
    { ...chunk({}), choices: [], usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 } },
    { type: '[DONE]' },
  ];
}

export const messagesCall = ({ id, name, args }: ScriptedCall, before: readonly Tree[] = []): Tree => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'm',
  content: [...before, { type: 'tool_use', id, name, input: JSON.parse(args) }],
  stop_reason: 'tool_use',
  stop_sequence: null,
  usage: { input_tokens: 10, output_tokens: 5 },
});

export function messagesCallStream(
  { id, name, args }: ScriptedCall,
  thought: { thinking: string; signature: string },
): Tree[] {
  const delta = (index: number, value: Tree): Tree => ({ type: 'content_block_delta', index, delta: value });
  const start = (index: number, content_block: Tree): Tree => ({ type: 'content_block_start', index, content_block });
  const usage = { input_tokens: 10, output_tokens: 5 };
  return [
    { type: 'message_start', message: { ...messagesText(''), content: [], stop_reason: null, usage } },
    start(0, { type: 'thinking', thinking: '', signature: '' }),
    delta(0, { type: 'thinking_delta', thinking: thought.thinking }),
    delta(0, { type: 'signature_delta', signature: thought.signature }),
    { type: 'content_block_stop', index: 0 },
    start(1, { type: 'tool_use', id, name, input: {} }),
    delta(1, { type: 'input_json_delta', partial_json: args }),
    { type: 'content_block_stop', index: 1 },
    { type: 'message_delta', delta: { stop_reason: 'tool_use', stop_sequence: null }, usage },
    { type: 'message_stop' },
  ];
}

export function messagesTextStream(text: string): Tree[] {
  const usage = { input_tokens: 10, output_tokens: 5 };
  return [
    { type: 'message_start', message: { ...messagesText(''), content: [], stop_reason: null, usage } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage },
    { type: 'message_stop' },
  ];
}

export const messagesText = (text: string): Tree => ({
  ...messagesCall({ id: '', name: '', args: '{}' }),
  content: [{ type: 'text', text }],
  stop_reason: 'end_turn',
});

export const generateCall = ({ id, name, args }: ScriptedCall): Tree => ({
  candidates: [
    {
      content: { role: 'model', parts: [{ functionCall: { id, name, args: JSON.parse(args) } }] },
      finishReason: 'STOP',
      index: 0,
    },
  ],
  usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
  modelVersion: 'm',
  responseId: 'r',
});

export const responsesText = (text: string): Tree =>
  responseReply({ output: [messageItem(text)], usage: responseUsage(10, 5) });

/** A scripted provider that answers in the three text formats, and refuses or fails as a test says. */

import { messageItem, responseEvents, responseReply, responseUsage } from './response-replies.ts';

export interface Seen {
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Before its head. */
  readonly delayMs?: number;
}

export interface RefusingUpstream {
  readonly base: string;
  /** Every request since the last `reset`. */
  readonly seen: Seen[];
  /** The answer instead of a good reply; absent where the reply is good. */
  answer: (seen: Seen, nth: number) => Answer | undefined;
  /** What each request waits for before it is answered. */
  hold: () => Promise<void> | undefined;
  reset(): void;
  stop(): Promise<void>;
}

export function startRefusing(): RefusingUpstream {
  const seen: Seen[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const one = { path: new URL(request.url).pathname, body: (await request.json()) as Seen['body'] };
      seen.push(one);
      const nth = seen.length;
      await upstream.hold();
      const said = upstream.answer(one, nth);
      if (said === undefined) return goodReply(one);
      if (said.delayMs !== undefined) await Bun.sleep(said.delayMs);
      const text = typeof said.body === 'string' ? said.body : JSON.stringify(said.body);
      const isStream = text.startsWith('data:') || text.startsWith('event:');
      const headers = { 'content-type': isStream ? 'text/event-stream' : 'application/json', ...said.headers };
      return new Response(text, { status: said.status, headers });
    },
  });
  const upstream: RefusingUpstream = {
    base: `http://127.0.0.1:${server.port}`,
    seen,
    answer: () => undefined,
    hold: () => undefined,
    reset() {
      seen.length = 0;
      upstream.hold = () => undefined;
      upstream.answer = () => undefined;
    },
    stop: () => server.stop(true),
  };
  return upstream;
}

function goodReply({ path, body }: Seen): Response {
  const streams = body['stream'] === true || path.includes('streamGenerateContent');
  if (path.endsWith('/messages')) return streams ? events(messagesStream) : Response.json(messagesReply);
  if (path.includes('generateContent') || path.includes('GenerateContent'))
    return streams ? events([['', generateReply]]) : Response.json(generateReply);
  if (path.endsWith('/responses')) {
    const said = responseEvents(responsesReply).map((event) => [String(event['type']), event] as const);
    return streams ? events(said) : Response.json(responsesReply);
  }
  return streams ? events(chatStream, 'data: [DONE]\n\n') : Response.json(chatReply);
}

function events(list: readonly (readonly [event: string, data: object])[], end = ''): Response {
  const text = list.map(([event, data]) => `${event && `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`).join('');
  return new Response(text + end, { headers: { 'content-type': 'text/event-stream' } });
}

const chatReply = {
  id: 'c',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Good day', refusal: null }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 },
};
const chunk = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm' };
const chatStream: readonly (readonly [string, object])[] = [
  ['', { ...chunk, choices: [{ index: 0, delta: { role: 'assistant', content: 'Good day' }, finish_reason: null }] }],
  ['', { ...chunk, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }],
  ['', { ...chunk, choices: [], usage: chatReply.usage }],
];
const messagesReply = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'm',
  content: [{ type: 'text', text: 'Good day' }],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: 1, output_tokens: 2 },
};
const messagesStream: readonly (readonly [string, object])[] = [
  ['message_start', { type: 'message_start', message: { ...messagesReply, content: [], stop_reason: null } }],
  ['content_block_start', { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }],
  ['content_block_delta', { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Good day' } }],
  ['content_block_stop', { type: 'content_block_stop', index: 0 }],
  [
    'message_delta',
    {
      type: 'message_delta',
      delta: { stop_reason: 'end_turn', stop_sequence: null },
      usage: { output_tokens: 2 },
    },
  ],
  ['message_stop', { type: 'message_stop' }],
];
const generateReply = {
  candidates: [{ content: { role: 'model', parts: [{ text: 'Good day' }] }, finishReason: 'STOP', index: 0 }],
  usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 2, totalTokenCount: 3 },
  modelVersion: 'm',
};
const responsesReply = responseReply({ output: [messageItem('Good day')], usage: responseUsage(1, 2) });

/**
 * A provider that answers every conversation with one word, in the format of the request's path, and
 * keeps what it was sent.
 */

import { messageItem, responseReply, responseUsage } from './response-replies.ts';

export interface TakingProvider {
  /** With the version path. */
  readonly base: string;
  /** The body of the last conversation. */
  take(): unknown;
  stop(): Promise<void>;
}

const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };

const answers: readonly (readonly [path: RegExp, answer: object])[] = [
  [
    /\/chat\/completions$/,
    {
      id: 'c1',
      object: 'chat.completion',
      created: 1,
      model: 'm',
      choices: [{ index: 0, message: { role: 'assistant', content: 'ok', refusal: null }, finish_reason: 'stop' }],
      usage,
    },
  ],
  [/\/responses$/, responseReply({ output: [messageItem('ok')], usage: responseUsage(1, 1) })],
  [
    /\/messages$/,
    {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'm',
      content: [{ type: 'text', text: 'ok' }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: { input_tokens: 1, output_tokens: 1 },
    },
  ],
  [
    /:generateContent$/,
    {
      candidates: [{ index: 0, content: { role: 'model', parts: [{ text: 'ok' }] }, finishReason: 'STOP' }],
      usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
    },
  ],
];

/** What a conversation at this path is answered with; undefined where no format is spoken there. */
export function answerTo(pathname: string): object | undefined {
  return answers.find(([path]) => path.test(pathname))?.[1];
}

export function takingProvider(): TakingProvider {
  let last: unknown;
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const { pathname } = new URL(request.url);
      const answer = answerTo(pathname);
      if (request.method !== 'POST' || answer === undefined) return Response.json({ error: {} }, { status: 404 });
      last = await request.json();
      return Response.json(answer);
    },
  });
  return {
    base: `http://127.0.0.1:${server.port}/v1`,
    take: () => last,
    stop: () => server.stop(true),
  };
}

/**
 * A provider of every conversation format that counts the tokens ordered from it: it obeys the largest
 * limit anywhere in a request.
 */

import { messageItem, responseEvents, responseReply, responseUsage } from './response-replies.ts';

export interface SentRequest {
  readonly path: string;
  readonly text: string;
  readonly body: Record<string, unknown>;
}

/** The replies from now on. */
export interface Play {
  /** The reported input tokens of each request. */
  readonly inputTokens: number;
  /** The reported output tokens of each reply; absent: what the largest limit of the request allows. */
  readonly outputTokens?: number;
  /** Words that a stream really carries. */
  readonly words: number;
  /** `cut`: the stream ends without its terminal marker. `hang`: it stays open until the client goes. */
  readonly ending: 'whole' | 'cut' | 'hang';
  /** Chat and content generation report a running usage with every event. */
  readonly runningUsage?: boolean;
}

export interface MeteredUpstream {
  readonly base: string;
  readonly requests: readonly SentRequest[];
  /** Output tokens that all requests together ordered. */
  outputOrdered(): number;
  /** Streams that have sent their words and wait for the client to go. */
  hanging(): number;
  play(play: Play): void;
  reset(): void;
  stop(): Promise<void>;
}

const quiet: Play = { inputTokens: 10, words: 1, ending: 'whole' };

export function startMeteredUpstream(): MeteredUpstream {
  let plays = quiet;
  let requests: SentRequest[] = [];
  let hanging = 0;
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    async fetch(request) {
      const path = new URL(request.url).pathname;
      if (request.method === 'GET') return Response.json({ object: 'list', data: [] });
      const text = await request.text();
      const body = JSON.parse(text) as Record<string, unknown>;
      requests.push({ path, text, body });
      const play = plays;
      if (body['background'] === true && body['stream'] !== true) {
        return Response.json(responseReply({ id: 'r1', status: 'queued' }));
      }
      const wire = wireOf(path);
      const used = { input: play.inputTokens, output: play.outputTokens ?? ordered(body) };
      if (body['stream'] !== true && !path.endsWith(':streamGenerateContent')) return Response.json(wire.whole(used));
      const events = eventsOf(wire, play, used);
      return new Response(
        new ReadableStream({
          async pull(controller) {
            const next = events.shift();
            if (next !== undefined) return controller.enqueue(new TextEncoder().encode(next));
            if (play.ending !== 'hang') return controller.close();
            hanging++;
            await new Promise(() => undefined);
          },
        }),
        { headers: { 'content-type': 'text/event-stream' } },
      );
    },
  });
  return {
    base: `http://127.0.0.1:${server.port}/v1`,
    get requests() {
      return requests;
    },
    outputOrdered: () => requests.reduce((sum, { body }) => sum + ordered(body), 0),
    hanging: () => hanging,
    play(play) {
      plays = play;
    },
    reset() {
      plays = quiet;
      requests = [];
      hanging = 0;
    },
    async stop() {
      await server.stop(true);
    },
  };
}

const limitNames = /^(max|min|n|num)_?(output|completion|new)?_?(tokens|predict|length)$/i;
const countNames = /^(n|best_?of|candidate_?count|num_?return_?sequences)$/i;

/** The largest limit times the largest number of replies, anywhere in the body: what the worst server would write. */
function ordered(body: unknown): number {
  return largest(body, limitNames) * largest(body, countNames);
}

function largest(value: unknown, names: RegExp): number {
  if (typeof value !== 'object' || value === null) return 1;
  let most = 1;
  for (const [name, inner] of Object.entries(value)) {
    if (typeof inner === 'number' && names.test(name)) most = Math.max(most, inner);
    else if (name !== 'messages' && name !== 'contents') most = Math.max(most, largest(inner, names));
  }
  return most;
}

interface Used {
  readonly input: number;
  readonly output: number;
}

interface Wire {
  start(used: Used): string;
  word(text: string, used: Used | undefined): string;
  end(used: Used): string;
  whole(used: Used): object;
}

function eventsOf(wire: Wire, play: Play, used: Used): string[] {
  const soFar = (index: number) =>
    play.runningUsage === true ? { input: used.input, output: Math.ceil((index + 1) / 2) } : undefined;
  const start = wire.start(used);
  const words = Array.from({ length: play.words }, (_, index) => wire.word(' the', soFar(index)));
  return [start, ...words, ...(play.ending === 'whole' ? [wire.end(used)] : [])].filter((text) => text);
}

const data = (value: object): string => `data: ${JSON.stringify(value)}\n\n`;
const named = (value: { readonly type: string; readonly [name: string]: unknown }): string =>
  `event: ${value.type}\n${data(value)}`;

function wireOf(path: string): Wire {
  if (path.endsWith('/messages')) return messages;
  if (path.endsWith('/responses')) return responses;
  if (path.endsWith('/chat/completions')) return chat((text) => ({ delta: { content: text } }), 'message');
  if (path.endsWith('/completions')) return chat((text) => ({ text, logprobs: null }), 'text');
  return generate;
}

function chat(choiceOf: (text: string) => object, kind: 'message' | 'text'): Wire {
  const [whole, chunk] =
    kind === 'text' ? ['text_completion', 'text_completion'] : ['chat.completion', 'chat.completion.chunk'];
  const head = { id: 'c1', object: chunk, created: 1, model: 'm' };
  const usageOf = ({ input, output }: Used) => ({
    usage: { prompt_tokens: input, completion_tokens: output, total_tokens: input + output },
  });
  return {
    start: () => '',
    word: (text, used) =>
      data({ ...head, choices: [{ index: 0, ...choiceOf(text), finish_reason: null }], ...(used && usageOf(used)) }),
    end: (used) =>
      data({ ...head, choices: [{ index: 0, ...choiceOf(''), finish_reason: 'stop' }] }) +
      data({ ...head, choices: [], ...usageOf(used) }) +
      'data: [DONE]\n\n',
    whole: (used) => ({
      ...head,
      object: whole,
      choices: [
        {
          index: 0,
          finish_reason: 'stop',
          ...(kind === 'text'
            ? { text: ' the', logprobs: null }
            : { message: { role: 'assistant', content: ' the', refusal: null } }),
        },
      ],
      ...usageOf(used),
    }),
  };
}

const messages: Wire = {
  // The output of the first event is a placeholder, as it is on the original wire.
  start: ({ input }) =>
    named({
      type: 'message_start',
      message: {
        id: 'm1',
        type: 'message',
        role: 'assistant',
        model: 'm',
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { input_tokens: input, cache_read_input_tokens: 0, cache_creation_input_tokens: 0, output_tokens: 1 },
      },
    }) + named({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
  word: (text) => named({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }),
  end: ({ output }) =>
    named({ type: 'content_block_stop', index: 0 }) +
    named({
      type: 'message_delta',
      delta: { stop_reason: 'end_turn', stop_sequence: null },
      usage: { output_tokens: output },
    }) +
    named({ type: 'message_stop' }),
  whole: ({ input, output }) => ({
    id: 'm1',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [{ type: 'text', text: ' the' }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: input, output_tokens: output },
  }),
};

function replyOf(used: Used): Readonly<Record<string, unknown>> {
  return responseReply({
    id: 'r1',
    output: [messageItem(' the', 'i1')],
    usage: responseUsage(used.input, used.output),
  });
}

/** Numbers only have to grow within a stream. */
let sequence = 0;
const numbered = (event: Readonly<Record<string, unknown>>): string =>
  named({ ...event, type: String(event['type']), sequence_number: sequence++ });
const isDelta = ({ type }: Readonly<Record<string, unknown>>): boolean => type === 'response.output_text.delta';

const responses: Wire = {
  start: (used) => {
    const events = responseEvents(replyOf(used));
    return events.slice(0, events.findIndex(isDelta)).map(numbered).join('');
  },
  word: (delta) =>
    numbered({
      type: 'response.output_text.delta',
      ...{ item_id: 'i1', output_index: 0, content_index: 0 },
      ...{ delta, logprobs: [] },
    }),
  end: (used) => {
    const events = responseEvents(replyOf(used));
    return events
      .slice(events.findIndex(isDelta) + 1)
      .map(numbered)
      .join('');
  },
  whole: replyOf,
};

const generate: Wire = {
  start: () => '',
  word: (text, used) =>
    data({
      candidates: [{ index: 0, content: { role: 'model', parts: [{ text }] } }],
      ...(used && { usageMetadata: { promptTokenCount: used.input, candidatesTokenCount: used.output } }),
    }),
  end: ({ input, output }) =>
    data({
      candidates: [{ index: 0, content: { role: 'model', parts: [{ text: '' }] }, finishReason: 'STOP' }],
      usageMetadata: { promptTokenCount: input, candidatesTokenCount: output },
    }),
  whole: ({ input, output }) => ({
    candidates: [
      { index: 0, content: { role: 'model', parts: [{ text: ' the', logprobs: null }] }, finishReason: 'STOP' },
    ],
    usageMetadata: { promptTokenCount: input, candidatesTokenCount: output },
  }),
};

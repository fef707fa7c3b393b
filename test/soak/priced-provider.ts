/**
 * A provider of four kinds of requests that all cost one cent, which is also their reservation and their estimate: a budget
 * counts requests. It records each request by the nonce in its body, and that is its invoice.
 */

export interface InvoiceLine {
  readonly nonce: string;
  /** `left`: the caller closed its connection before the reply was complete. */
  outcome: 'open' | 'answered' | 'left';
}

export interface PricedProvider {
  /** For `weir.yaml`. */
  readonly yaml: { readonly providers: object; readonly prices: object };
  /** Every request that arrived, in that order. */
  readonly invoice: InvoiceLine[];
  /** How long each reply takes; a stream's, from its first event to its last. */
  replyMs: (nonce: string) => number;
  stop(): Promise<void>;
}

export interface Kind {
  readonly name: string;
  readonly path: string;
  body(nonce: string): object;
  /** What the text of a complete reply has. */
  readonly end: string;
}

export const costNano = 10_000_000n;

const outputTokens = 10;
const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const talk = (nonce: string) => ({
  model: 'talk',
  messages: [{ role: 'user', content: nonce }],
  max_tokens: outputTokens,
});

export const chat: Kind = { name: 'chat', path: '/chat/completions', body: talk, end: '"stop"' };
export const stream: Kind = {
  name: 'stream',
  path: '/chat/completions',
  body: (nonce) => ({ ...talk(nonce), stream: true }),
  end: 'data: [DONE]',
};
const image: Kind = {
  name: 'image',
  path: '/images/generations',
  body: (nonce) => ({ model: 'draw', prompt: nonce }),
  end: pixel,
};
const embedding: Kind = {
  name: 'embedding',
  path: '/embeddings',
  body: (nonce) => ({ model: 'embed', input: nonce }),
  end: '"embedding"',
};
export const kinds: readonly Kind[] = [chat, stream, image, embedding];

const usage = { prompt_tokens: 7, completion_tokens: outputTokens, total_tokens: 7 + outputTokens };
const head = { id: 'chatcmpl-1', created: 1_700_000_000, model: 'talk' };
const chunk = { ...head, object: 'chat.completion.chunk' };
const events: readonly object[] = [
  { ...chunk, choices: [{ index: 0, delta: { role: 'assistant', content: 'It ' }, finish_reason: null }] },
  { ...chunk, choices: [{ index: 0, delta: { content: 'rains.' }, finish_reason: null }] },
  { ...chunk, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
  { ...chunk, choices: [], usage },
];
const message = { role: 'assistant', content: 'It rains.', refusal: null };
const replies: Readonly<Record<string, object>> = {
  talk: {
    ...{ ...head, object: 'chat.completion', usage },
    choices: [{ index: 0, logprobs: null, message, finish_reason: 'stop' }],
  },
  draw: { created: 1, data: [{ b64_json: pixel }] },
  embed: {
    ...{ object: 'list', model: 'embed', usage: { prompt_tokens: 2, total_tokens: 2 } },
    data: [{ object: 'embedding', index: 0, embedding: [0.5, 0.25] }],
  },
};

interface Asked {
  readonly model: string;
  readonly stream?: boolean;
  readonly messages?: readonly [{ readonly content: string }];
  readonly prompt?: string;
  readonly input?: string | readonly string[];
}

const nonceOf = ({ messages, prompt, input }: Asked): string => messages?.[0].content ?? prompt ?? String(input);

export function startPricedProvider(): PricedProvider {
  const invoice: InvoiceLine[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    async fetch(request) {
      // Weir asks for the list of models too, which costs nothing.
      if (request.method !== 'POST') return new Response('not here', { status: 404 });
      const asked = (await request.json()) as Asked;
      const line: InvoiceLine = { nonce: nonceOf(asked), outcome: 'open' };
      invoice.push(line);
      request.signal.addEventListener('abort', () => {
        if (line.outcome === 'open') line.outcome = 'left';
      });
      const takesMs = provider.replyMs(line.nonce);
      if (asked.stream === true)
        return new Response(streamed(line, takesMs), { headers: { 'content-type': 'text/event-stream' } });
      await Bun.sleep(takesMs);
      if (line.outcome === 'open') line.outcome = 'answered';
      return Response.json(replies[asked.model] ?? {});
    },
  });
  const models = Object.keys(replies);
  const up = { kind: 'openai-chat', base_url: `http://127.0.0.1:${server.port}/v1`, key: 'sk-up', models };
  const prices = { talk: { input: 0, output: 1_000 }, draw: { image: 0.01 }, embed: { request: 0.01 } };
  const provider: PricedProvider = {
    yaml: { providers: { up }, prices },
    invoice,
    replyMs: () => 0,
    stop: () => server.stop(true),
  };
  return provider;
}

function streamed(line: InvoiceLine, takesMs: number): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let written = 0;
  return new ReadableStream({
    async pull(controller) {
      const event = events[written++];
      if (event !== undefined) {
        controller.enqueue(encoder.encode(`data: ${JSON.stringify(event)}\n\n`));
        await Bun.sleep(takesMs / events.length);
        return;
      }
      if (line.outcome === 'open') line.outcome = 'answered';
      controller.enqueue(encoder.encode('data: [DONE]\n\n'));
      controller.close();
    },
    cancel() {
      if (line.outcome === 'open') line.outcome = 'left';
    },
  });
}

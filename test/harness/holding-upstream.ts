/**
 * A provider that holds every request until the test answers it, and records which of its callers hung up before that.
 */

export interface HeldRequest {
  readonly path: string;
  /** As text, for requests that are no forms. */
  readonly body: string;
  /** The caller closed its connection. */
  left: boolean;
  answer(reply: Response): void;
}

export interface HoldingUpstream {
  readonly base: string;
  readonly requests: HeldRequest[];
  stop(): Promise<void>;
}

export function startHoldingUpstream(): HoldingUpstream {
  const requests: HeldRequest[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    async fetch(request) {
      const body = await request.text();
      const { promise, resolve } = Promise.withResolvers<Response>();
      const held: HeldRequest = { path: new URL(request.url).pathname, body, left: false, answer: resolve };
      request.signal.addEventListener('abort', () => {
        held.left = true;
        resolve(new Response());
      });
      requests.push(held);
      return promise;
    },
  });
  return { base: `http://127.0.0.1:${server.port}/v1`, requests, stop: () => server.stop(true) };
}

/** A stream of events that the test writes one by one. */
export function writtenStream(): { readonly reply: Response; write(...events: object[]): void; done(): void } {
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    start(given) {
      controller = given;
    },
  });
  const send = (text: string): void => {
    try {
      controller?.enqueue(encoder.encode(`data: ${text}\n\n`));
    } catch {
      // The caller is gone, which is what some tests wait for.
    }
  };
  return {
    reply: new Response(body, { headers: { 'content-type': 'text/event-stream' } }),
    write(...events) {
      for (const event of events) send(JSON.stringify(event));
    },
    done() {
      send('[DONE]');
      controller?.close();
    },
  };
}

/** Events of a chat stream. */
export const chatDelta = (content: string, finish: string | null = null) => ({
  id: 'c',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'm',
  choices: [{ index: 0, delta: { content }, finish_reason: finish }],
});

export const chatUsage = (prompt_tokens: number, completion_tokens: number) => ({
  ...chatDelta(''),
  choices: [],
  usage: { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens },
});

export const chatReply = (prompt_tokens: number, completion_tokens: number) => ({
  id: 'c',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', content: 'So it is.', refusal: null }, finish_reason: 'stop' }],
  usage: { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens },
});

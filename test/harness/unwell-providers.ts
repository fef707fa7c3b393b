/**
 * Four providers of one scripted server: one that fails 40 % of its attempts by their number, one that rejects every key,
 * one that is slow to its first token, and one that always serves, as the fallback of the first two.
 */

import { eventStream } from './canned-provider.ts';
import { post, type Target } from './chat.ts';

/** Lower bounds, which a busy machine does not change. */
export const slowness = { firstTokenMs: 600, outputMs: 300 } as const;

/** Of five attempts the first and the third fail: never so many in a row or at once that the circuit opens. */
const failing: ReadonlySet<number> = new Set([0, 2]);
const rejection = {
  error: { message: 'Incorrect API key provided.', type: 'invalid_request_error', code: 'invalid_api_key' },
};

export interface UnwellProviders {
  /** `weir.yaml` with the four of them, and an alias for each of the first three. */
  readonly yaml: object;
  stop(): void;
}

export function startUnwellProviders(): UnwellProviders {
  let attempts = 0;
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const { pathname } = new URL(request.url);
      const name = pathname.split('/')[1] ?? '';
      if (name === 'rejecting') return Response.json(rejection, { status: 401 });
      if (request.method === 'GET') return Response.json({ object: 'list', data: [{ id: `${name}-model` }] });
      if (name === 'flaky' && failing.has(attempts++ % 5)) {
        return Response.json({ error: { message: 'The engine is on fire.' } }, { status: 500 });
      }
      const { model, stream } = (await request.json()) as { model: string; stream?: boolean };
      if (stream !== true) return Response.json(wholeReply(model));
      return streamedReply(model, name === 'slow' ? slowness : { firstTokenMs: 0, outputMs: 0 });
    },
  });
  const provider = (name: string, ...models: string[]) => ({
    kind: 'openai-chat',
    base_url: `http://127.0.0.1:${server.port}/${name}/v1`,
    keys: [{ id: `${name}-key`, key: `sk-${name}` }],
    models,
  });
  const through = (name: string) => ({
    targets: [
      { provider: name, model: `${name}-model`, tier: 0 },
      { provider: 'steady', model: 'steady-model', tier: 1 },
    ],
  });
  return {
    yaml: {
      providers: {
        flaky: provider('flaky', 'flaky-model'),
        rejecting: provider('rejecting', 'rejecting-model', 'never-called'),
        slow: provider('slow', 'slow-model'),
        steady: provider('steady', 'steady-model'),
      },
      models: { 'through-flaky': through('flaky'), 'through-rejecting': through('rejecting') },
      prices: { 'slow/slow-model': { input: 2, output: 10 } },
    },
    stop: () => server.stop(true),
  };
}

const usage = { prompt_tokens: 10, completion_tokens: 50, total_tokens: 60 };

function wholeReply(model: string): object {
  const message = { role: 'assistant', content: 'Good day', refusal: null };
  const choices = [{ index: 0, message, finish_reason: 'stop' }];
  return { id: 'chatcmpl-1', object: 'chat.completion', created: 1, model, choices, usage };
}

function streamedReply(
  model: string,
  { firstTokenMs, outputMs }: typeof slowness | { firstTokenMs: 0; outputMs: 0 },
): Response {
  const own = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model };
  const chunk = (delta: object, finish_reason: string | null) =>
    eventStream([{ ...own, choices: [{ index: 0, delta, finish_reason }] }]);
  const body = new ReadableStream<string>({
    async start(controller) {
      await Bun.sleep(firstTokenMs);
      controller.enqueue(chunk({ role: 'assistant', content: 'Good ' }, null));
      await Bun.sleep(outputMs);
      controller.enqueue(chunk({ content: 'day' }, 'stop'));
      controller.enqueue(`${eventStream([{ ...own, choices: [], usage }])}data: [DONE]\n\n`);
      controller.close();
    },
  }).pipeThrough(new TextEncoderStream());
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
}

/** What the requests below come to: every one is answered, also where another provider failed before. */
export const sent = { flaky: 20, flakyFailed: 8, rejecting: 3, slow: 4 } as const;

/** One after the other, so that the same attempts fail each time. */
export async function sendToUnwell(target: Target): Promise<readonly number[]> {
  const statuses: number[] = [];
  const say = async (model: string, times: number, fields: object = {}) => {
    for (let time = 0; time < times; time++) {
      const reply = await post(target, { model, messages: [{ role: 'user', content: 'Good day' }], ...fields });
      statuses.push(reply.status);
      await reply.text();
    }
  };
  await say('through-flaky', sent.flaky);
  await say('through-rejecting', sent.rejecting);
  await say('slow-model', sent.slow, { stream: true });
  return statuses;
}

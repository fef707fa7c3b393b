/** A provider that reports an error in a reply of 200: the fallback answers if that helps, and errors are free. */

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { errorOf } from '../harness/chat.ts';
import { until } from '../harness/until.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

const errors = {
  quota: { message: 'You exceeded your current quota', type: 'insufficient_quota', code: 'insufficient_quota' },
  content: { message: 'The prompt was filtered', type: 'invalid_request_error', code: 'content_filter' },
};
const good: Readonly<Record<string, object>> = {
  '/v1/chat/completions': {
    object: 'chat.completion',
    choices: [{ index: 0, message: { role: 'assistant', content: 'Good day', refusal: null }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 },
  },
  '/v1/embeddings': {
    object: 'list',
    data: [{ object: 'embedding', index: 0, embedding: [0.5, 0.25] }],
    usage: { prompt_tokens: 1, total_tokens: 1 },
  },
  '/v1/images/generations': { created: 1, data: [{ b64_json: 'iVBORw0KGgo=' }] },
  '/v1/moderations': { id: 'm', model: 'm', results: [{ flagged: false, categories: {}, category_scores: {} }] },
};

let weir: RunningWeir;
const servers: Bun.Server<undefined>[] = [];
const asked: string[] = [];

function serve(name: string, answer: (path: string) => object): string {
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request) {
      asked.push(name);
      return Response.json(answer(new URL(request.url).pathname));
    },
  });
  servers.push(server);
  return `http://127.0.0.1:${server.port}/v1`;
}

beforeAll(async () => {
  const provider = (base: string) => ({ kind: 'openai', base_url: base, key: 'sk-any', models: ['m'] });
  const providers: Record<string, object> = { well: provider(serve('well', (path) => good[path] ?? {})) };
  const models: Record<string, object> = {};
  for (const path of Object.keys(good)) {
    for (const [word, error] of Object.entries(errors)) {
      const name = `${word}${path.replaceAll('/', '-')}`;
      // Each case has its own provider, so that none is affected by the state of another's key.
      providers[name] = provider(serve(name, () => ({ error })));
      const targets = [name, 'well'].map((each, tier) => ({ provider: each, model: 'm', tier }));
      models[name] = { targets };
    }
  }
  const price = { input: 1, output: 1, image: 1 };
  weir = await startWeir({
    unchecked: 'the provider puts errors into replies of status 200, which pass as they are',
    yaml: { providers, models, prices: { m: price }, clocks: { patience_ms: 0 } },
  });
});
afterAll(async () => {
  await weir.remove();
  await Promise.all(servers.map((server) => server.stop(true)));
});

const bodies: Readonly<Record<string, object>> = {
  '/v1/chat/completions': { messages: [{ role: 'user', content: 'Good day' }] },
  '/v1/embeddings': { input: 'Good day' },
  '/v1/images/generations': { prompt: 'a lake' },
  '/v1/moderations': { input: 'Good day' },
};

const send = (path: string, model: string): Promise<Response> =>
  fetch(`${weir.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${weir.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, ...bodies[path] }),
  });

const keyState = async (provider: string): Promise<string | undefined> =>
  new RegExp(`^weir_key_state\\{provider="${provider}".*\\} (\\d)$`, 'm').exec(
    await (await fetch(`${weir.url}/metrics`)).text(),
  )?.[1];

test.each(Object.keys(good))('%s: a spent quota closes the key, and the next provider answers', async (path) => {
  const model = `quota${path.replaceAll('/', '-')}`;
  const reply = await send(path, model);
  expect([reply.status, reply.headers.get('x-weir-provider')]).toEqual([200, 'well']);
  expect(await reply.json()).not.toHaveProperty('error');
  // The account has nothing left: it gets no request for a while.
  await until(async () => (await keyState(model)) === '5');
  asked.length = 0;
  expect((await send(path, model)).headers.get('x-weir-provider')).toBe('well');
  expect(asked).toEqual(['well']);
});

test.each(Object.keys(good))('%s: a refusal of the content is passed on, and no fallback is tried', async (path) => {
  asked.length = 0;
  const model = `content${path.replaceAll('/', '-')}`;
  const reply = await send(path, model);
  expect(reply.status).toBe(400);
  expect((await errorOf(reply)).code).toBe('content_filter');
  expect(asked).toEqual([model]);
});

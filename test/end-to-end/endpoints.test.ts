/** Access and input on every text endpoint: each refuses in its format's envelope, before a provider is called. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createToken, type MadeToken } from '../harness/token.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

let weir: RunningWeir;
let narrow: MadeToken;
let asked = 0;
const silent = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch: () => {
    asked++;
    return new Response('{}', { status: 500 });
  },
});

beforeAll(async () => {
  const base = `http://127.0.0.1:${silent.port}`;
  const other = (kind: string, version: string) => ({
    kind,
    base_url: `${base}/${version}`,
    key: 'sk-up',
    models: [kind],
  });
  weir = await startWeir({
    yaml: {
      providers: {
        chat: other('openai-chat', 'v1'),
        responses: other('openai-responses', 'v1'),
        messages: other('anthropic-messages', 'v1'),
        generate: other('gemini-generate', 'v1beta'),
      },
    },
  });
  narrow = await createToken(weir, '--models', 'sandbox-*');
});
afterAll(async () => {
  await weir.remove();
  await silent.stop(true);
});

interface Endpoint {
  readonly name: string;
  path(model: string): string;
  body(model: string): Record<string, unknown>;
  /** The error object wherever this format's envelope puts it. */
  errorIn(tree: Record<string, unknown>): Record<string, unknown>;
  readonly headers?: Record<string, string>;
  readonly modelInPath?: boolean;
}

const inError = (tree: Record<string, unknown>) => tree['error'] as Record<string, unknown>;
const inMessagesError = (tree: Record<string, unknown>) => {
  expect(tree['type']).toBe('error');
  expect(tree['request_id']).toStartWith('req_');
  return inError(tree);
};
const ask = [{ role: 'user', content: 'hi' }];
const contents = [{ role: 'user', parts: [{ text: 'hi' }] }];
const endpoints: readonly Endpoint[] = [
  {
    name: 'chat',
    path: () => '/v1/chat/completions',
    body: (model) => ({ model, messages: ask }),
    errorIn: inError,
  },
  { name: 'completions', path: () => '/v1/completions', body: (model) => ({ model, prompt: 'hi' }), errorIn: inError },
  { name: 'responses', path: () => '/v1/responses', body: (model) => ({ model, input: 'hi' }), errorIn: inError },
  {
    name: 'messages',
    path: () => '/v1/messages',
    body: (model) => ({ model, max_tokens: 50, messages: ask }),
    errorIn: inMessagesError,
  },
  {
    name: 'generate-content',
    path: (model) => `/v1beta/models/${model}:generateContent`,
    body: () => ({ contents }),
    errorIn: inError,
    modelInPath: true,
  },
  {
    name: 'cohere-chat',
    path: () => '/v2/chat',
    body: (model) => ({ model, messages: ask }),
    errorIn(tree) {
      expect(tree['id']).toStartWith('req_');
      return tree;
    },
  },
];

function call(
  endpoint: Endpoint,
  model: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Response> {
  return fetch(weir.url + endpoint.path(model), {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${weir.token}`, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

async function refused(
  endpoint: Endpoint,
  reply: Response,
): Promise<{ status: number; code: unknown; param: unknown }> {
  const error = endpoint.errorIn((await reply.json()) as Record<string, unknown>);
  expect(typeof error['message']).toBe('string');
  expect(reply.headers.get('x-request-id')).toStartWith('req_');
  expect(asked).toBe(0);
  return { status: reply.status, code: error['code'], param: error['param'] };
}

describe.each(endpoints.map((endpoint) => [endpoint.name, endpoint] as const))('%s', (_name, endpoint) => {
  const good = () => endpoint.body('sandbox-chat');

  test('answers, whole', async () => {
    const reply = await call(endpoint, 'sandbox-chat', good());
    expect([reply.status, await reply.text()]).toEqual([200, expect.stringContaining('hi')]);
  });

  test('no token, a wrong one, a model outside its list, an unknown model', async () => {
    const none = await call(endpoint, 'sandbox-chat', good(), { authorization: '' });
    expect(await refused(endpoint, none)).toMatchObject({ status: 401, code: 'token_missing' });
    const wrong = await call(endpoint, 'sandbox-chat', good(), { authorization: 'Bearer nonsense' });
    expect((await refused(endpoint, wrong)).status).toBe(401);
    const outside = await call(endpoint, 'openai-chat', endpoint.body('openai-chat'), {
      authorization: `Bearer ${narrow.token}`,
    });
    expect(await refused(endpoint, outside)).toMatchObject({ status: 403, code: 'model_not_allowed' });
    const unknown = await call(endpoint, 'no-such-model', endpoint.body('no-such-model'));
    expect(await refused(endpoint, unknown)).toMatchObject({ status: 404, code: 'model_not_found' });
  });

  test.each(['', 'null', '[]', '"text"', '{', '{"model":'])('a body of %j is malformed', async (body) => {
    expect(await refused(endpoint, await call(endpoint, 'sandbox-chat', body))).toMatchObject({
      status: 400,
      code: 'json_malformed',
    });
  });

  test('too deep a body and a wrong content type', async () => {
    const deep = `{"model":"sandbox-chat","x":${'['.repeat(100_000)}`;
    expect((await refused(endpoint, await call(endpoint, 'sandbox-chat', deep))).status).toBe(400);
    const typed = await call(endpoint, 'sandbox-chat', good(), { 'content-type': 'text/plain' });
    expect(await refused(endpoint, typed)).toMatchObject({ status: 415, code: 'content_type_unsupported' });
  });

  test('names of prototype properties are ordinary keys', async () => {
    const body = JSON.stringify(good()).replace('{', '{"__proto__":{"polluted":1},"constructor":{"x":1},');
    expect((await call(endpoint, 'sandbox-chat', body)).status).toBe(200);
    expect((await call(endpoint, 'sandbox-chat', good())).status).toBe(200);
  });

  test('a GET is a 405 with Allow, an unknown sibling a 404, in the same envelope', async () => {
    if (endpoint.modelInPath === true || endpoint.name === 'responses') return;
    const reply = await fetch(weir.url + endpoint.path('x'), { headers: { authorization: `Bearer ${weir.token}` } });
    expect(reply.headers.get('allow')).toContain('POST');
    expect(await refused(endpoint, reply)).toMatchObject({ status: 405, code: 'method_not_allowed' });
  });
});

const wrong = (endpoint: string, param: string, change: Record<string, unknown>) => [endpoint, param, change] as const;
const bad = [
  wrong('chat', 'model', { model: '' }),
  wrong('chat', 'messages', { messages: 'x' }),
  wrong('chat', 'max_tokens', { max_tokens: -1 }),
  wrong('completions', 'model', { model: 5 }),
  wrong('completions', 'prompt', { prompt: { a: 1 } }),
  wrong('completions', 'max_tokens', { max_tokens: 1.5 }),
  wrong('completions', 'n', { n: 0 }),
  wrong('responses', 'model', { model: null }),
  wrong('responses', 'input', { input: 7 }),
  wrong('responses', 'max_output_tokens', { max_output_tokens: 0 }),
  wrong('responses', 'stream', { stream: 'yes' }),
  wrong('messages', 'model', { model: [] }),
  wrong('messages', 'messages', { messages: [] }),
  wrong('messages', 'max_tokens', { max_tokens: undefined }),
  wrong('messages', 'max_tokens', { max_tokens: 1e30 }),
  wrong('messages', 'tools', { tools: {} }),
  wrong('generate-content', 'contents', { contents: undefined }),
  wrong('generate-content', 'contents', { contents: [] }),
  wrong('generate-content', 'generationConfig.maxOutputTokens', { generationConfig: { maxOutputTokens: -3 } }),
];

test.each(bad)('%s names the field %s', async (name, param, change) => {
  const endpoint = endpoints.find((one) => one.name === name);
  if (endpoint === undefined) throw new Error(name);
  const body = { ...endpoint.body('sandbox-chat'), ...change };
  const found = await refused(endpoint, await call(endpoint, 'sandbox-chat', body));
  expect(found).toMatchObject({ status: 400, param });
  expect(String(found.code)).toMatch(/^field_(missing|invalid)$/);
});

test('a library of the content-generation family reads its own kind of error', async () => {
  const headers = { 'content-type': 'application/json', 'x-goog-api-key': weir.token };
  const url = `${weir.url}/v1beta/models/no-such-model:generateContent`;
  const reply = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ contents }) });
  expect(await reply.json()).toMatchObject({ error: { code: 404, status: 'NOT_FOUND' } });
});

test('an unknown action is a 404', async () => {
  for (const place of ['sandbox-chat:doMagic', 'sandbox-chat', ':generateContent', 'a/b:toString']) {
    const url = `${weir.url}/v1beta/models/${place}?key=${weir.token}`;
    const reply = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' });
    expect([place, reply.status]).toEqual([place, 404]);
  }
});

test('a model can be retrieved and called with and without `models/` before its name', async () => {
  const found = await fetch(`${weir.url}/v1beta/models/sandbox-chat?key=${weir.token}`);
  expect([found.status, await found.json()]).toMatchObject([200, { name: 'models/sandbox-chat' }]);
  const none = await fetch(`${weir.url}/v1beta/models/no-such-model?key=${weir.token}`);
  expect(none.status).toBe(404);
  for (const place of ['models/sandbox/sandbox-chat', 'sandbox/sandbox-chat']) {
    const url = `${weir.url}/v1beta/${place}:generateContent?key=${weir.token}`;
    const body = JSON.stringify({ contents });
    const reply = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    expect([place, reply.status]).toEqual([place, 200]);
  }
});

test('a version header must be a date', async () => {
  const [endpoint] = endpoints.filter(({ name }) => name === 'messages');
  if (endpoint === undefined) throw new Error('no endpoint');
  const reply = await call(endpoint, 'sandbox-chat', endpoint.body('sandbox-chat'), { 'anthropic-version': 'newest' });
  expect(await refused(endpoint, reply)).toMatchObject({
    status: 400,
    code: 'header_invalid',
    param: 'anthropic-version',
  });
});

test('tokens of a request are counted without a provider, in each format that has it', async () => {
  const count = async (path: string, body: object): Promise<unknown> => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${weir.token}` };
    const reply = await fetch(weir.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    expect(reply.status).toBe(200);
    return reply.json();
  };
  const model = 'sandbox-chat';
  expect(await count('/v1/messages/count_tokens', { model, messages: ask })).toEqual({
    input_tokens: expect.any(Number),
  });
  expect(await count('/v1/responses/input_tokens', { model, input: 'hi' })).toEqual({
    object: 'response.input_tokens',
    input_tokens: expect.any(Number),
  });
  expect(await count(`/v1beta/models/${model}:countTokens`, { contents })).toEqual({ totalTokens: expect.any(Number) });
  expect(asked).toBe(0);
});

test('strict mode refuses a request with a loss, and names it; otherwise a header lists the losses', async () => {
  const [chat] = endpoints;
  if (chat === undefined) throw new Error('no endpoint');
  const body = { ...chat.body('anthropic-messages'), max_tokens: 99, seed: 7 };
  const strict = await call(chat, '', body, { 'x-weir-strict': 'true' });
  expect(await refused(chat, strict)).toMatchObject({ status: 400, code: 'loss_refused', param: 'seed' });
});

/** The same endpoints under the paths that other vendors' libraries use, with real libraries where one is installed. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import OpenAI, { AzureOpenAI } from 'openai';
import { waveFile } from '../../src/operations/audio/wave-file.ts';
import { SocketClient } from '../harness/socket-client.ts';
import { createToken } from '../harness/token.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

let weir: RunningWeir;
const model = 'sandbox-chat';

beforeAll(async () => {
  weir = await startWeir();
});
afterAll(() => weir.remove());

type Headers = Record<string, string>;
const bearer = (): Headers => ({ authorization: `Bearer ${weir.token}` });
const goog = (): Headers => ({ 'x-goog-api-key': weir.token });
const post = (path: string, body: unknown, headers: Headers = bearer()): Promise<Response> =>
  fetch(weir.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
const get = (path: string, headers: Headers = bearer()): Promise<Response> => fetch(weir.url + path, { headers });
const messages = [{ role: 'user', content: 'hi' }];
const contents = [{ role: 'user', parts: [{ text: 'hi' }] }];

describe('content generation below /v1', () => {
  test.each(['/v1', '/v1beta', '/v1alpha', '/v1/v1', '/v1beta/v1', '/v1/v1alpha', ''])('%p', async (version) => {
    const at = `${version}/models/${model}`;
    const whole = await post(`${at}:generateContent`, { contents }, goog());
    expect([whole.status, await whole.text()]).toEqual([200, expect.stringContaining('"candidates"')]);
    const stream = await post(`${at}:streamGenerateContent?alt=sse`, { contents }, goog());
    expect([stream.status, await stream.text()]).toEqual([200, expect.stringContaining('data: {')]);
    const counted = await post(`${at}:countTokens`, { contents }, goog());
    expect([counted.status, Object.keys((await counted.json()) as object)]).toEqual([200, ['totalTokens']]);
    const keyInQuery = await post(`${at}:generateContent?key=${weir.token}`, { contents }, {});
    expect(keyInQuery.status).toBe(200);
  });

  test('vectors', async () => {
    const at = `/v1/models/sandbox-embed`;
    const content = { parts: [{ text: 'hi' }] };
    const one = await post(`${at}:embedContent`, { content }, goog());
    expect([one.status, await one.json()]).toMatchObject([200, { embedding: {} }]);
    const requests = [{ model: 'models/sandbox-embed', content }];
    expect((await post(`${at}:batchEmbedContents`, { requests }, goog())).status).toBe(200);
  });

  test('errors are in its own envelope', async () => {
    const paths = [`/v1/models/none:generateContent`, `/v1/models/${model}:nothing`, `/v1/models/${model}`];
    for (const path of paths) {
      const reply = await post(path, { contents }, goog());
      expect([reply.status, await reply.json()]).toEqual([
        404,
        { error: expect.objectContaining({ code: 404, status: 'NOT_FOUND' }) },
      ]);
    }
  });

  test('below a project and a publisher', async () => {
    const at = `/v1beta1/projects/p/locations/l/publishers/google/models/${model}:generateContent`;
    expect((await post(at, { contents })).status).toBe(200);
  });

  test("the official library's version 1", async () => {
    const client = new GoogleGenAI({ apiKey: weir.token, apiVersion: 'v1', httpOptions: { baseUrl: weir.url } });
    const reply = await client.models.generateContent({ model, contents: 'hi' });
    expect(reply.text).toContain('hi');
    const failed = await client.models
      .generateContent({ model: 'none', contents: 'hi' })
      .catch((error: Error) => error);
    expect(failed).toMatchObject({ status: 404, message: expect.stringContaining('none') });
    const names: string[] = [];
    for await (const entry of await client.models.list({ config: { pageSize: 2 } })) names.push(entry.name ?? '');
    expect(names).toContain(`models/${model}`);
    expect(new Set(names).size).toBe(names.length);
  });
});

describe('lists of models', () => {
  test('follow the credential', async () => {
    const shapes: [string, Headers, string[]][] = [
      ['/v1/models', bearer(), ['object', 'data']],
      ['/v1/models', { 'api-key': weir.token }, ['object', 'data']],
      ['/v1/models', goog(), ['models']],
      [`/v1/models?key=${weir.token}`, {}, ['models']],
      ['/v1/models', { ...bearer(), 'anthropic-version': '2023-06-01' }, ['data', 'has_more', 'first_id', 'last_id']],
      [
        '/v1/models',
        { 'x-api-key': weir.token, 'anthropic-version': '2023-06-01' },
        ['data', 'has_more', 'first_id', 'last_id'],
      ],
    ];
    for (const [path, headers, keys] of shapes) {
      const reply = await get(path, headers);
      expect([reply.status, Object.keys((await reply.json()) as object)]).toEqual([200, keys]);
    }
    expect(await (await get(`/v1/models/${model}`, goog())).json()).toMatchObject({ name: `models/${model}` });
    expect(await (await get('/v1/models/none', goog())).json()).toMatchObject({ error: { status: 'NOT_FOUND' } });
  });

  test('page by page in the official library', async () => {
    const client = new Anthropic({ apiKey: weir.token, baseURL: weir.url });
    const all = await client.models.list();
    const names: string[] = [];
    for await (const entry of client.models.list({ limit: 2 })) names.push(entry.id);
    expect(names).toEqual(all.data.map(({ id }) => id));
    expect(names.length).toBeGreaterThan(2);
    const wrong = await get('/v1/models?limit=0', { ...bearer(), 'anthropic-version': '2023-06-01' });
    expect([wrong.status, await wrong.json()]).toMatchObject([400, { type: 'error', error: { param: 'limit' } }]);
  });
});

describe('base URLs', () => {
  test.each([
    '/openai/v1',
    '/v1beta/openai',
    '/v1/openai',
    '',
    '/v1/v1',
    '/openai',
  ])('the official library at %p', async (base) => {
    const client = new OpenAI({ apiKey: weir.token, baseURL: weir.url + base });
    const reply = await client.chat.completions.create({ model, messages: [{ role: 'user', content: 'hi' }] });
    expect(reply.choices[0]?.message.content).toContain('hi');
    expect((await client.responses.create({ model, input: 'hi' })).output_text).toContain('hi');
    expect((await client.models.list()).data.map(({ id }) => id)).toContain(model);
    expect((await client.models.retrieve(model)).id).toBe(model);
    const embedded = await client.embeddings.create({ model: 'sandbox-embed', input: 'hi' });
    expect(embedded.data).toHaveLength(1);
  });

  test.each(['', '/v1'])("the messages format's library at %p", async (base) => {
    const client = new Anthropic({ apiKey: weir.token, baseURL: weir.url + base });
    const reply = await client.messages.create({ model, max_tokens: 50, messages: [{ role: 'user', content: 'hi' }] });
    expect(reply.content[0]).toMatchObject({ type: 'text' });
  });

  test('without the version', async () => {
    expect((await post('/messages', { model, max_tokens: 9, messages })).status).toBe(200);
    expect((await post('/completions', { model, prompt: 'hi' })).status).toBe(200);
    expect((await post('/responses/input_tokens', { model, input: 'hi' })).status).toBe(200);
  });

  test('a WebSocket without the version', async () => {
    const connection = new SocketClient(`${weir.url}/responses`, { token: weir.token });
    try {
      await connection.send({ type: 'response.create', model, input: 'hi' });
      expect((await connection.reply()).at(-1)?.type).toBe('response.completed');
    } finally {
      connection.socket.close();
    }
  });

  test('an unknown path names the known path that it ends with', async () => {
    const reply = await post('/api/v1/chat/completions', { model, messages });
    expect([reply.status, await reply.text()]).toEqual([404, expect.stringContaining('There is /v1/chat/completions')]);
    const nothing = await post('/v1/nothing', {});
    expect([nothing.status, await nothing.text()]).toEqual([404, expect.not.stringContaining('There is')]);
  });
});

describe('deployments', () => {
  const azure = (): AzureOpenAI =>
    new AzureOpenAI({ apiKey: weir.token, endpoint: weir.url, apiVersion: '2024-10-21', maxRetries: 0 });

  test('the official library, whole and as a stream', async () => {
    const reply = await azure().chat.completions.create({ model, messages: [{ role: 'user', content: 'hi' }] });
    expect(reply.choices[0]?.message.content).toContain('hi');
    const stream = await azure().chat.completions.create({
      model,
      stream: true,
      messages: [{ role: 'user', content: 'hi' }],
    });
    let text = '';
    for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? '';
    expect(text).toContain('hi');
    expect((await azure().responses.create({ model, input: 'hi' })).output_text).toContain('hi');
    const embedded = await azure().embeddings.create({ model: 'sandbox-embed', input: ['a', 'b'] });
    expect(embedded.data).toHaveLength(2);
    const images = await azure().images.generate({ model: 'sandbox-image', prompt: 'a cat', size: '256x256' });
    expect(images.data).toHaveLength(1);
    const speech = await azure().audio.speech.create({ model: 'sandbox-speak', voice: 'alloy', input: 'hi' });
    expect((await speech.arrayBuffer()).byteLength).toBeGreaterThan(100);
  });

  test('the deployment is the model, whatever the body says', async () => {
    const at = `/openai/deployments/${model}/chat/completions?api-version=2024-10-21`;
    const headers = { 'api-key': weir.token };
    for (const body of [{ messages }, { model: 'other', messages }, { model, messages }]) {
      expect((await post(at, body, headers)).status).toBe(200);
    }
    const slashed = at.replace(model, `sandbox/${model}`);
    expect((await post(slashed, { messages }, headers)).status).toBe(200);
    const unknown = await post(at.replace(model, 'none'), { model, messages }, headers);
    expect([unknown.status, await unknown.json()]).toMatchObject([404, { error: { code: 'model_not_found' } }]);
  });

  test('forms too', async () => {
    const form = new FormData();
    form.set(
      'file',
      new File([waveFile({ bytes: new Uint8Array(8_000), samplesPerSecond: 8_000 })], 'a.wav', { type: 'audio/wav' }),
    );
    const at = `${weir.url}/openai/deployments/sandbox-transcribe/audio/transcriptions?api-version=2024-10-21`;
    const reply = await fetch(at, { method: 'POST', headers: { 'api-key': weir.token }, body: form });
    expect([reply.status, await reply.json()]).toMatchObject([200, { text: expect.any(String) }]);
  });

  test('a token for other models may not use it by its path', async () => {
    const narrow = await createToken(weir, '--models', 'sandbox-embed');
    const at = `/openai/deployments/${model}/chat/completions`;
    const reply = await post(at, { model: 'sandbox-embed', messages }, { 'api-key': narrow.token });
    expect([reply.status, await reply.json()]).toMatchObject([403, { error: { code: 'model_not_allowed' } }]);
  });
});

describe('paths that are not served', () => {
  test.each([
    '/upload/v1beta/files',
    '/v1/files',
    '/v1beta/files',
  ])("%p fails in the caller's envelope", async (path) => {
    const google = await post(path, {}, goog());
    expect([google.status, await google.json()]).toMatchObject([404, { error: { code: 404, status: 'NOT_FOUND' } }]);
    if (path.startsWith('/v1beta')) return;
    const official = await post(path, {}, { 'x-api-key': weir.token, 'anthropic-version': '2023-06-01' });
    expect([official.status, await official.json()]).toMatchObject([404, { type: 'error' }]);
    const plain = await post(path, {});
    expect([plain.status, await plain.json()]).toMatchObject([404, { error: { code: 'path_not_found' } }]);
  });
});

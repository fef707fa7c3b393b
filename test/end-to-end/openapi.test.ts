/** `/openapi.json` of a running Weir: real replies must match the document. */

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import Ajv, { type ValidateFunction } from 'ajv/dist/2020.js';
import { rawRequest } from '../harness/raw-request.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

interface Operation {
  readonly security: readonly Readonly<Record<string, unknown>>[];
  readonly requestBody?: { readonly content: Readonly<Record<string, unknown>> };
  readonly responses: Readonly<Record<string, { readonly $ref?: string; readonly content?: Record<string, unknown> }>>;
}

interface Document {
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly responses: object; readonly securitySchemes: object };
}

setDefaultTimeout(300_000);
let weir: RunningWeir;
let document: Document;
const ajv = new Ajv({ strict: false, formats: { binary: true, 'date-time': true, date: true } });
/** Its routes and examples have a test of their own. */
const isAdmin = (path: string): boolean => path.startsWith('/admin/v1/');

beforeAll(async () => {
  weir = await startWeir();
  document = (await (await fetch(`${weir.url}/openapi.json`)).json()) as Document;
  ajv.addSchema({ $id: 'weir', ...document });
});
afterAll(() => weir.remove());

const validators = new Map<string, ValidateFunction>();

function problems(pointer: string, value: unknown): string {
  const validate = validators.get(pointer) ?? ajv.compile({ $ref: `weir#/${pointer}` });
  validators.set(pointer, validate);
  return validate(value) ? '' : ajv.errorsText(validate.errors);
}

/** The value at a path of the document. */
const pointerOf = (...steps: readonly string[]): string =>
  steps.map((step) => encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/');

test('needs no login, may be read by other origins, and names the URL of the request', async () => {
  const reply = await fetch(`${weir.url}/openapi.json`, { headers: { origin: 'https://docs.example' } });
  expect(reply.status).toBe(200);
  expect(reply.headers.get('content-type')).toStartWith('application/json');
  expect(reply.headers.get('access-control-allow-origin')).toBe('*');
  expect(document.servers).toEqual([{ url: weir.url }]);
});

test('names the public URL if the operator set one', async () => {
  const behind = await startWeir({ env: { WEIR_SERVER_PUBLIC_URL: 'https://models.example.com' } });
  const { servers } = (await (await fetch(`${behind.url}/openapi.json`)).json()) as Document;
  await behind.remove();
  expect(servers).toEqual([{ url: 'https://models.example.com' }]);
});

test('an invalid host is not used', async () => {
  const head = 'GET /openapi.json HTTP/1.1\r\nHost: a$(reboot)"<b>\r\nConnection: close\r\n\r\n';
  const { text } = await rawRequest(weir.url, [head]);
  expect(text).not.toContain('reboot');
});

test('every operation that needs a token refuses without one, with the documented error', async () => {
  let refused = 0;
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, { security, responses }] of Object.entries(methods)) {
      if (security.some((one) => Object.keys(one).length === 0 || 'signature' in one)) continue;
      const url = `${weir.url}${path.replaceAll(/\{\w+\}/g, 'x')}`;
      const json = ['post', 'put', 'patch'].includes(method)
        ? { headers: { 'content-type': 'application/json' }, body: '{}' }
        : {};
      const reply = await fetch(url, { method: method.toUpperCase(), ...json });
      expect(`${method} ${path} ${reply.status}`).toBe(`${method} ${path} 401`);
      const ref = responses['401']?.$ref?.slice(2) ?? '';
      const schema = `${ref}/content/${pointerOf('application/json')}/schema`;
      expect(problems(schema, await reply.json())).toBe('');
      refused++;
    }
  }
  expect(refused).toBeGreaterThan(30);
});

describe('replies fit their schemas', () => {
  const messages = [{ role: 'user', content: 'Hello' }];
  const contents = [{ parts: [{ text: 'Hello' }] }];
  const tiny = { width: 64, height: 36, fps: 10 };
  const calls: readonly [method: string, path: string, body?: object | undefined, described?: string][] = [
    ['POST', '/v1/chat/completions', { model: 'sandbox-chat', messages }],
    ['POST', '/v1/completions', { model: 'sandbox-chat', prompt: 'Hello' }],
    ['POST', '/v1/responses', { model: 'sandbox-chat', input: 'Hello' }],
    ['POST', '/v1/responses/input_tokens', { model: 'sandbox-chat', input: 'Hello' }],
    ['POST', '/v1/messages', { model: 'sandbox-chat', max_tokens: 20, messages }],
    ['POST', '/v1/messages/count_tokens', { model: 'sandbox-chat', messages }],
    ['POST', '/v1/embeddings', { model: 'sandbox-embed', input: ['a', 'b'] }],
    ['POST', '/v1/moderations', { input: 'Hello' }],
    ['POST', '/v1/rerank', { model: 'sandbox-rerank', query: 'a', documents: ['a', 'b'] }],
    ['POST', '/v2/rerank', { model: 'sandbox-rerank', query: 'a', documents: ['a', 'b'] }],
    ['POST', '/v1/images/generations', { model: 'sandbox-image', prompt: 'a lake', size: '256x256' }],
    ['POST', '/v1/video/generations', { model: 'sandbox-video', prompt: 'a lake', duration: 1, ...tiny }],
    ['POST', '/v1/videos', { model: 'sandbox-video', prompt: 'a lake', seconds: '1', size: '64x36' }],
    ['GET', '/v1/video/generations'],
    ['GET', '/v1/videos'],
    ['GET', '/v1/video/callback_secret'],
    ['POST', '/v1/realtime/client_secrets', { session: { model: 'sandbox-realtime' } }],
    ['POST', '/v1/realtime/sessions', { model: 'sandbox-realtime' }],
    ['GET', '/v1/models'],
    ['GET', '/v1/models/sandbox-chat', undefined, '/v1/models/{id}'],
    ['GET', '/v1beta/models'],
    ['GET', '/v1beta/models/sandbox-chat', undefined, '/v1beta/models/{id}'],
    ...['generateContent', 'countTokens'].map((word): [string, string, object, string] => [
      'POST',
      `/v1beta/models/sandbox-chat:${word}`,
      { contents },
      `/v1beta/models/{model}:${word}`,
    ]),
    [
      'POST',
      '/v1beta/models/sandbox-embed:embedContent',
      { content: contents[0] },
      '/v1beta/models/{model}:embedContent',
    ],
    ['GET', '/healthz'],
    ['GET', '/readyz'],
  ];
  for (const [method, path, body, described = path] of calls) {
    test(`${method} ${path}`, async () => {
      const place = ['paths', described, method.toLowerCase()];
      if (body !== undefined) {
        const request = pointerOf(...place, 'requestBody', 'content', 'application/json', 'schema');
        expect(problems(request, body)).toBe('');
      }
      const reply = await fetch(`${weir.url}${path}`, {
        method,
        headers: { authorization: `Bearer ${weir.token}`, 'content-type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      expect(reply.status).toBe(200);
      const schema = pointerOf(...place, 'responses', '200', 'content', 'application/json', 'schema');
      expect(problems(schema, await reply.json())).toBe('');
    });
  }

  test('and every example of a JSON body is answered as it is written', async () => {
    let answered = 0;
    const made = await weir.command('token', 'create', '--name', 'examples', '--sub-tokens', '1', '--json');
    const { token } = JSON.parse(made.stdout) as { readonly token: string };
    for (const [path, { post }] of Object.entries(document.paths)) {
      const { example } = (post?.requestBody?.content['application/json'] ?? {}) as { example?: object };
      if (example === undefined || isAdmin(path)) continue;
      const model = /embed/i.test(path) ? 'sandbox-embed' : 'sandbox-chat';
      const reply = await fetch(`${weir.url}${path.replace('{model}', model)}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(example),
      });
      expect(`${path} ${reply.status}`).toBe(`${path} 200`);
      await reply.arrayBuffer();
      answered++;
    }
    expect(answered).toBeGreaterThan(25);
  });

  test('and streams have the documented type', async () => {
    const reply = await fetch(`${weir.base}/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${weir.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'sandbox-chat', messages, stream: true }),
    });
    const type = reply.headers.get('content-type')?.split(';')[0] ?? '';
    const { content = {} } = document.paths['/v1/chat/completions']?.['post']?.responses['200'] ?? {};
    expect(Object.keys(content)).toContain(type);
    const event = pointerOf('components', 'schemas', 'ChatChunk');
    for (const line of (await reply.text()).split('\n')) {
      if (!line.startsWith('data: {')) continue;
      expect(problems(event, JSON.parse(line.slice(6)))).toBe('');
    }
  });
});

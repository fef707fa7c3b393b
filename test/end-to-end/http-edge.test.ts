/** The HTTP edge as clients, caches and proxies meet it: hosts, credentials, caching, and names of form parts. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type RouteParts, routeList } from '../../src/endpoints/route-list.ts';
import { errorOf, post, scripted } from '../harness/chat.ts';
import { rawRequest } from '../harness/raw-request.ts';
import { createToken, type MadeToken } from '../harness/token.ts';
import { type RunningUpstream, startUpstream } from '../harness/upstream.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

let upstream: RunningUpstream;
let weir: RunningWeir;
let other: MadeToken;
beforeAll(async () => {
  upstream = await startUpstream();
  weir = await startWeir({
    yaml: { providers: { up: { kind: 'openai', base_url: upstream.base, key: 'sk-upstream', models: ['gpt-4.1'] } } },
  });
  other = await createToken(weir);
});
afterAll(async () => {
  await weir.remove();
  await upstream.stop();
});

/** All dependencies of the routes' handlers; only paths and methods are used here. */
const noParts: RouteParts = new Proxy(() => noParts, { get: () => noParts }) as unknown as RouteParts;
const routes = routeList(noParts).filter(({ path }) => /^\/v\d/.test(path));
const placeOf = (path: string): string => path.replace('{id...}', 'gpt-4.1:generateContent').replace(/\{[^}]+\}/g, 'x');

describe('a Host that is absent or odd', () => {
  test.each([
    'GET /healthz HTTP/1.0\r\n\r\n',
    'GET /healthz?a=b HTTP/1.0\r\n\r\n',
    'GET /healthz HTTP/1.1\r\nHost: \r\n\r\n',
    'GET /healthz HTTP/1.1\r\nHost: [::1\r\n\r\n',
    'GET //healthz HTTP/1.1\r\nHost: a_b\r\n\r\n',
    'GET /readyz HTTP/1.0\r\n\r\n',
    'GET /metrics HTTP/1.0\r\n\r\n',
    'GET / HTTP/1.0\r\n\r\n',
    'GET /console HTTP/1.0\r\n\r\n',
    'GET /openapi.json HTTP/1.0\r\n\r\n',
  ])('%j is answered', async (text) => {
    const reply = await rawRequest(weir.url, [text]);
    expect([text, reply.status]).toEqual([text, 200]);
  });

  test.each([
    'x/y?',
    'a b',
    'a@b',
    '%zz',
    'a, b',
    '',
  ])('%p on an endpoint and on pages is never a 500', async (host) => {
    for (const path of ['/', '/console', '/openapi.json', '/v1/models', '/nothing']) {
      const reply = await rawRequest(weir.url, [`GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`]);
      expect(reply.status).toBeGreaterThanOrEqual(200);
      expect(reply.status).toBeLessThan(500);
    }
    expect(weir.output()).not.toContain('could not answer');
  });

  test('a request without it is served like any other', async () => {
    const body = JSON.stringify(scripted({}));
    const head = `POST /v1/chat/completions HTTP/1.0\r\nauthorization: Bearer ${weir.token}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`;
    const reply = await rawRequest(weir.url, [head + body]);
    expect(reply.status).toBe(200);
    expect(reply.text).toContain('chat.completion');
  });
});

const carriers: readonly ((token: string) => { headers?: Record<string, string>; query?: string })[] = [
  (token) => ({ headers: { 'x-api-key': token } }),
  (token) => ({ headers: { 'x-goog-api-key': token } }),
  (token) => ({ headers: { 'api-key': token } }),
  (token) => ({ query: `key=${token}` }),
  (token) => ({ headers: { 'sec-websocket-protocol': `openai-insecure-api-key.${token}` } }),
];

test('two different credentials are refused on every route, wherever the second one is', async () => {
  const taken = routes.filter(({ path }) => path !== '/v1/results/{id}' && !path.includes('/hooks/'));
  expect(taken.length * carriers.length).toBeGreaterThan(80);
  const served: string[] = [];
  for (const { method, path } of taken) {
    for (const carrier of carriers) {
      const { headers = {}, query = '' } = carrier(other.token);
      const reply = await fetch(`${weir.url}${placeOf(path)}?${query}`, {
        method,
        headers: { authorization: `Bearer ${weir.token}`, 'content-type': 'application/json', ...headers },
        ...(method === 'POST' && { body: '{}' }),
      });
      const text = await reply.text();
      if (reply.status !== 400 || !/credentials/.test(text))
        served.push(`${method} ${path} ${Object.keys(headers)}${query} ${reply.status}`);
    }
  }
  expect(served).toEqual([]);
  for (const carrier of carriers) {
    const { headers = {}, query = '' } = carrier(weir.token);
    const equal = await fetch(`${weir.base}/models?${query}`, {
      headers: { authorization: `Bearer ${weir.token}`, ...headers },
    });
    expect(equal.status).toBe(200);
  }
}, 300_000);

test('nothing that depends on a token may be cached or sniffed as another type', async () => {
  const headers = { authorization: `Bearer ${weir.token}`, 'content-type': 'application/json' };
  const places = [
    ...routes.map(({ method, path }) => ({ method, path: placeOf(path) })),
    { method: 'GET', path: '/v1/models/gpt-4.1' },
    { method: 'GET', path: '/v1/no-such-path' },
    { method: 'GET', path: '/console/api/session' },
    { method: 'PUT', path: '/v1/models' },
  ];
  const open: string[] = [];
  for (const { method, path } of places) {
    for (const credential of [headers, {}]) {
      const reply = await fetch(weir.url + path, {
        method,
        headers: credential,
        ...(method === 'POST' && { body: '{}' }),
      });
      await reply.arrayBuffer();
      const kept = [reply.headers.get('cache-control'), reply.headers.get('x-content-type-options')];
      const isPrivate = /^(no-store|private, no-store)$/.test(kept[0] ?? '') && kept[1] === 'nosniff';
      if (!isPrivate || !reply.headers.get('vary')?.includes('x-api-key')) open.push(`${method} ${path} ${kept}`);
    }
  }
  expect(open).toEqual([]);
}, 300_000);

test('whole replies are not stored, and a stream keeps the headers that proxies need', async () => {
  const whole = await post(weir, scripted({}));
  const head = ({ headers }: Response) =>
    ['cache-control', 'x-content-type-options', 'vary'].map((name) => headers.get(name));
  expect(head(whole)).toEqual(['no-store', 'nosniff', null]);
  const stream = await post(weir, scripted({}, { stream: true }));
  expect(head(stream)).toEqual(['no-cache, no-transform', 'nosniff', expect.stringContaining('authorization')]);
  await stream.text();
});

describe('DNS names that point to this machine', () => {
  const get = (path: string, host: string, more = ''): Promise<{ status: number }> =>
    rawRequest(weir.url, [`GET ${path} HTTP/1.1\r\nHost: ${host}\r\n${more}\r\n`]);

  test('metrics need a token under a foreign name, and behind a forwarding proxy', async () => {
    expect((await get('/metrics', 'localhost')).status).toBe(200);
    expect((await get('/metrics', '127.0.0.1:80')).status).toBe(200);
    expect((await get('/metrics', 'evil.test')).status).toBe(401);
    for (const header of ['x-forwarded-for: 1.2.3.4', 'forwarded: for=1.2.3.4', 'via: 1.1 proxy', 'x-real-ip: 1.2.3.4'])
      expect((await get('/metrics', 'localhost', `${header}\r\n`)).status).toBe(401);
    expect((await get('/metrics', 'evil.test', `authorization: Bearer ${weir.token}\r\n`)).status).toBe(200);
  });

  test('the console does not answer to a foreign name', async () => {
    for (const path of ['/console', '/console/tokens', '/console/api/session', '/console/api/set-up']) {
      expect([path, (await get(path, 'evil.test:8787')).status]).toEqual([path, 403]);
      expect((await get(path, 'localhost')).status).not.toBe(403);
    }
    expect((await get('/v1/models', 'evil.test', `authorization: Bearer ${weir.token}\r\n`)).status).toBe(200);
  });

  test('with a public URL metrics always need a token: a local proxy may forward without a header', async () => {
    const named = await startWeir({
      yaml: { server: { public_url: 'https://weir.example.com', allowed_hosts: ['inner.test'] } },
    });
    try {
      const at = (path: string, host: string) =>
        rawRequest(named.url, [`GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`]);
      expect((await at('/metrics', '127.0.0.1')).status).toBe(401);
      for (const host of ['weir.example.com', 'inner.test']) expect((await at('/console', host)).status).toBe(200);
      expect((await at('/console', 'evil.test')).status).toBe(403);
    } finally {
      await named.remove();
    }
  });
});

describe('a body in chunks', () => {
  const head = (path: string, type = 'application/json'): string =>
    `POST ${path} HTTP/1.1\r\nhost: weir\r\nauthorization: Bearer ${weir.token}\r\ncontent-type: ${type}\r\ntransfer-encoding: chunked\r\n\r\n`;
  const chunk = (text: string): string => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
  const body = JSON.stringify(scripted({}));

  test('is served without trailers, and refused with them before a provider is called', async () => {
    await upstream.reset();
    const plain = await rawRequest(weir.url, [`${head('/v1/chat/completions')}${chunk(body)}0\r\n\r\n`]);
    expect([plain.status, (await upstream.invoice()).length]).toEqual([200, 1]);
    await upstream.reset();
    for (let round = 0; round < 10; round++) {
      const ended = `0\r\nx-checksum: abc\r\n\r\n`;
      const trailed = await rawRequest(weir.url, [`${head('/v1/chat/completions')}${chunk(body)}${ended}`]);
      expect(trailed.status).toBe(400);
    }
    // This is sent after anything that could have been sent for those.
    expect((await post(weir, scripted({}))).status).toBe(200);
    expect(await upstream.invoice()).toHaveLength(1);
  });
});

test.each([
  "'model'",
  'model[]',
  '%6dodel',
  ' model',
  'model ',
  'model[0]',
  'n[]',
])('a form part called %j is refused beside the field that is checked', async (name) => {
  const part = (called: string, value: string): string =>
    `--x\r\ncontent-disposition: form-data; name="${called}"\r\n\r\n${value}\r\n`;
  const body = `${part('model', 'gpt-4.1')}${part(name, 'other')}${part('prompt', 'p')}--x--\r\n`;
  const reply = await fetch(`${weir.base}/images/edits`, {
    method: 'POST',
    body,
    headers: { authorization: `Bearer ${weir.token}`, 'content-type': 'multipart/form-data; boundary=x' },
  });
  const { code, message } = await errorOf(reply);
  expect([reply.status, code]).toEqual([400, 'field_invalid']);
  expect(message).toMatch(/one value|plain UTF-8/);
});

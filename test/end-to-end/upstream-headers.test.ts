/** Only an allow-list of request headers goes upstream: the provider gets its own key and nothing private. */

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { audioBlob, formOf, png } from '../harness/operation-calls.ts';
import { SocketClient } from '../harness/socket-client.ts';
import { until } from '../harness/until.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

const providerKey = 'sk-provider-key-canary';
const canary = 'callers-own-canary';

/** Credentials that Weir does not read, and headers of proxies, browsers, libraries and other gateways. */
const odd: Readonly<Record<string, string>> = Object.fromEntries(
  [
    'cookie',
    'proxy-authorization',
    'x-authorization',
    'x-forwarded-authorization',
    'x-auth-token',
    'x-access-token',
    'x-amz-security-token',
    'x-amz-date',
    'x-goog-user-project',
    'x-goog-api-client',
    'x-ms-client-request-id',
    'openai-organization',
    'openai-project',
    'helicone-auth',
    'x-portkey-api-key',
    'x-forwarded-for',
    'x-forwarded-host',
    'x-forwarded-proto',
    'x-real-ip',
    'x-original-url',
    'x-http-method-override',
    'forwarded',
    'via',
    'origin',
    'referer',
    'sec-fetch-mode',
    'accept-language',
    'x-stainless-lang',
    'anthropic-dangerous-direct-browser-access',
    'x-csrf-token',
    'traceparent',
    'baggage',
    'x-request-id',
    'x-weir-session',
    'x-custom',
    'range',
    'if-none-match',
    'pragma',
    'priority',
    'user-agent',
    'te',
  ].map((name) => [name, `${canary}-${name}`]),
);

/** Headers that any request to a provider may have: its framing, its key, and what the operator adds. */
const allowed = [
  'host',
  'connection',
  'accept',
  'accept-encoding',
  'content-type',
  'content-length',
  'user-agent',
  'x-operator',
];
const handshake = ['upgrade', 'sec-websocket-key', 'sec-websocket-version', 'sec-websocket-protocol'];

interface Seen {
  readonly path: string;
  readonly headers: Headers;
}

const seen: Seen[] = [];
let weir: RunningWeir;
let upstream: ReturnType<typeof Bun.serve>;

beforeAll(async () => {
  // A refusal of the request itself: no fallback is tried, and the head has been recorded.
  upstream = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const { pathname } = new URL(request.url);
      await request.arrayBuffer();
      if (pathname.endsWith('/models')) return Response.json({ data: [] });
      seen.push({ path: pathname, headers: request.headers });
      return Response.json({ error: { message: 'seen', type: 'invalid_request_error' } }, { status: 400 });
    },
  });
  const base = `http://127.0.0.1:${upstream.port}`;
  const common = { key: providerKey, headers: { 'x-operator': 'ours' } };
  weir = await startWeir({
    env: { WEIR_LOG_LEVEL: 'error', WEIR_DISCOVERY_ENVIRONMENT: 'false' },
    yaml: {
      providers: {
        chat: { kind: 'openai', base_url: `${base}/v1`, ...common, models: ['m', 'm-realtime'] },
        film: { kind: 'litellm', base_url: `${base}/v1`, ...common, models: ['sora-2'] },
        messages: { kind: 'anthropic', base_url: `${base}/v1`, ...common, models: ['c'] },
        content: { kind: 'gemini', base_url: `${base}/v1beta`, ...common, models: ['g'] },
        ranker: { kind: 'cohere', base_url: base, ...common, models: ['r'] },
      },
    },
  });
});
afterAll(async () => {
  await weir.remove();
  await upstream.stop(true);
});

const turn = [{ role: 'user', content: 'hi' }];
const contents = [{ role: 'user', parts: [{ text: 'hi' }] }];

interface Case {
  readonly path: string;
  readonly body: object;
  /** Headers that the caller's format passes on to a provider of the same format. */
  readonly passed?: Readonly<Record<string, string>>;
  /** The header of the provider's key. */
  readonly key?: string;
}

const openaiBeta = { 'openai-beta': 'assistants=v2' };
const messagesHeads = { 'anthropic-version': '2023-06-01', 'anthropic-beta': 'a-2025-01-01,b' };
const own = { passed: messagesHeads, key: 'x-api-key' };
const ofContent = { passed: { 'x-server-timeout': '30' }, key: 'x-goog-api-key' };

const cases: readonly Case[] = [
  { path: '/v1/chat/completions', body: { model: 'm', messages: turn }, passed: openaiBeta },
  { path: '/v1/chat/completions', body: { model: 'm', messages: turn, stream: true }, passed: openaiBeta },
  { path: '/v1/chat/completions', body: { model: 'c', messages: turn }, key: 'x-api-key' },
  { path: '/v1/chat/completions', body: { model: 'g', messages: turn }, key: 'x-goog-api-key' },
  { path: '/v1/completions', body: { model: 'm', prompt: 'hi' } },
  { path: '/v1/responses', body: { model: 'm', input: 'hi' }, passed: openaiBeta },
  { path: '/v1/responses', body: { model: 'm', input: 'hi', stream: true }, passed: openaiBeta },
  { path: '/v1/messages', body: { model: 'c', max_tokens: 5, messages: turn }, ...own },
  { path: '/v1/messages', body: { model: 'c', max_tokens: 5, messages: turn, stream: true }, ...own },
  { path: '/v1/messages', body: { model: 'm', max_tokens: 5, messages: turn } },
  { path: '/v1/messages/count_tokens', body: { model: 'c', messages: turn }, key: 'x-api-key' },
  { path: '/v1beta/models/g:generateContent', body: { contents }, ...ofContent },
  { path: '/v1beta/models/g:streamGenerateContent?alt=sse', body: { contents }, ...ofContent },
  { path: '/v1beta/models/m:generateContent', body: { contents } },
  { path: '/v1beta/models/g:countTokens', body: { contents }, key: 'x-goog-api-key' },
  { path: '/v1beta/models/g:embedContent', body: { content: contents[0] ?? {} }, key: 'x-goog-api-key' },
  {
    path: '/v1beta/models/g:batchEmbedContents',
    body: { requests: [{ model: 'models/g', content: contents[0] }] },
    key: 'x-goog-api-key',
  },
  { path: '/v1/embeddings', body: { model: 'm', input: 'hi' } },
  { path: '/v1/moderations', body: { model: 'm', input: 'hi' } },
  { path: '/v1/rerank', body: { model: 'r', query: 'q', documents: ['a'] } },
  { path: '/v2/rerank', body: { model: 'r', query: 'q', documents: ['a'] } },
  { path: '/v1/images/generations', body: { model: 'm', prompt: 'p' } },
  { path: '/v1/images/edits', body: formOf({ model: 'm', prompt: 'p', image: png() }) },
  { path: '/v1/audio/speech', body: { model: 'm', input: 'hi', voice: 'alloy' } },
  { path: '/v1/audio/transcriptions', body: formOf({ model: 'm', file: audioBlob() }) },
  { path: '/v1/audio/translations', body: formOf({ model: 'm', file: audioBlob() }) },
  { path: '/v1/video/generations', body: { model: 'sora-2', prompt: 'p' } },
  { path: '/v1/videos', body: { model: 'sora-2', prompt: 'p' } },
];

function judge(key: string, passed: readonly string[], more: readonly string[] = []): void {
  for (const { path, headers } of seen) {
    const names = [...headers.keys()];
    const known = new Set([...allowed, ...more, ...passed, 'anthropic-version', key]);
    expect([path, names.filter((name) => !known.has(name))]).toEqual([path, []]);
    const values = [...headers.values()].join('\n');
    expect(values).not.toContain(canary);
    expect(values).not.toContain(weir.token);
    expect(headers.get(key)).toContain(providerKey);
    expect([headers.get('user-agent') ?? 'weir', headers.get('x-operator')]).toEqual(['weir', 'ours']);
  }
}

for (const [index, { path, body, passed = {}, key = 'authorization' }] of cases.entries()) {
  test(`${path} (${index})`, async () => {
    seen.splice(0);
    const isForm = body instanceof FormData;
    const reply = await fetch(weir.url + path, {
      method: 'POST',
      headers: {
        ...odd,
        ...openaiBeta,
        ...messagesHeads,
        ...ofContent.passed,
        'idempotency-key': `${canary}-${index}`,
        authorization: `Bearer ${weir.token}`,
        ...(!isForm && { 'content-type': 'application/json' }),
      },
      body: isForm ? body : JSON.stringify(body),
    });
    const text = await reply.text();
    if (seen.length === 0) throw new Error(`no provider was called: ${reply.status} ${text}`);
    judge(key, Object.keys(passed));
    // Headers of the format do arrive, so the list does not block everything.
    for (const [name, value] of Object.entries(passed)) expect(seen[0]?.headers.get(name)).toBe(value);
  });
}

test('a live conversation', async () => {
  seen.splice(0);
  const client = new SocketClient(`${weir.base}/realtime?model=m-realtime`, {
    token: weir.token,
    headers: { ...odd, ...openaiBeta },
  });
  await until(() => seen.length > 0);
  client.socket.close();
  judge('authorization', ['openai-beta'], handshake);
});

test('responses over a socket', async () => {
  seen.splice(0);
  const client = new SocketClient(`${weir.base}/responses`, {
    token: weir.token,
    headers: { ...odd, ...messagesHeads },
  });
  await client.send({ type: 'response.create', model: 'm', input: 'hi' });
  await until(() => seen.length > 0);
  client.socket.close();
  judge('authorization', ['openai-beta']);
});

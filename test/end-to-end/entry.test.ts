/** Checks before a body is read: the credential and the token's limits, on every route that takes a token. */

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type RouteParts, routeList } from '../../src/endpoints/route-list.ts';
import { errorOf, post, scripted } from '../harness/chat.ts';
import { openSocket, rawRequest } from '../harness/raw-request.ts';
import { createToken, type MadeToken } from '../harness/token.ts';
import { until } from '../harness/until.ts';
import { type RunningUpstream, startUpstream } from '../harness/upstream.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

let upstream: RunningUpstream;
let weir: RunningWeir;
beforeAll(async () => {
  upstream = await startUpstream();
  weir = await startWeir({
    yaml: {
      providers: { up: { kind: 'openai', base_url: upstream.base, key: 'sk-upstream', models: ['gpt-4.1'] } },
      clocks: { client_body_timeout_ms: 3_000 },
      limits: { json_body_bytes_max: 100_000 },
    },
  });
});
afterAll(async () => {
  await weir.remove();
  await upstream.stop();
});

function head({ token }: { readonly token: string }, path: string, length: number, type = 'application/json'): string {
  const lines = [`POST ${path} HTTP/1.1`, 'host: weir', `authorization: Bearer ${token}`, `content-type: ${type}`];
  return `${lines.join('\r\n')}\r\ncontent-length: ${length}\r\n\r\n`;
}

test('a token that used up its requests is refused before its body arrives', async () => {
  const token = await createToken(weir, '--rpm', '1', '--models', 'nothing-at-all');
  expect((await errorOf(await post(token, scripted({})))).code).toBe('model_not_allowed');
  for (const path of ['/v1/chat/completions', '/v1/embeddings', '/v1/images/edits', '/v1/videos']) {
    // Only the head and one byte are sent: a server that waited for the rest would answer 408, or nothing.
    const reply = await rawRequest(weir.url, [head(token, path, 90_000), '{']);
    expect([path, reply.status]).toEqual([path, 429]);
  }
});

test('requests that are refused later count as well', async () => {
  const token = await createToken(weir, '--rpm', '6');
  const big = `{"model":"${'x'.repeat(100_000)}"}`;
  const replies = [
    await post(token, '{"model":'),
    await post(token, scripted({}, { model: 'no-such-model' })),
    await post(token, scripted({}, { max_tokens: -1 })),
    await post(token, big),
    await post(token, 'x', { headers: { 'content-type': 'text/plain' } }),
    await post(token, scripted({}, { messages: undefined })),
    await post(token, scripted({})),
  ];
  expect(replies.map(({ status }) => status)).toEqual([400, 404, 400, 413, 415, 400, 429]);
});

interface Failure {
  readonly name: string;
  fail(token: MadeToken): Promise<unknown>;
}

const failures: readonly Failure[] = [
  { name: 'JSON that ends too early', fail: (token) => post(token, '{"model":') },
  { name: 'another content type', fail: (token) => post(token, 'x', { headers: { 'content-type': 'text/plain' } }) },
  { name: 'too many bytes', fail: (token) => post(token, 'x'.repeat(100_001)) },
  { name: 'a model that no provider serves', fail: (token) => post(token, scripted({}, { model: 'no-such-model' })) },
  {
    name: 'an explanation that is not allowed',
    fail: (token) => post(token, scripted({}), { headers: { 'x-weir-explain': '1' } }),
  },
  { name: 'a body that never comes', fail: (token) => rawRequest(weir.url, [head(token, '/v1/chat/completions', 9)]) },
  {
    name: 'a form that never comes',
    fail: (token) => rawRequest(weir.url, [head(token, '/v1/images/edits', 9, 'multipart/form-data; boundary=x')]),
  },
  {
    name: 'a client that leaves in its body',
    async fail(token) {
      // The slot is taken as soon as the head is read, and free again when the body's time has passed.
      const isTaken = async (): Promise<boolean> => {
        const socket = await openSocket(weir.url);
        socket.write(`${head(token, '/v1/chat/completions', 90_000)}{"model":`);
        const { status } = await post(token, scripted({}));
        socket.destroy();
        return status === 429;
      };
      await until(isTaken, 60_000, 'the slot is taken');
    },
  },
  { name: 'more tokens than a minute has', fail: (token) => post(token, scripted({}, { user: 'x'.repeat(90_000) })) },
];

test.each([...failures])('$name gives the slot back', async ({ fail }) => {
  const token = await createToken(weir, '--concurrency', '1', '--tpm', '20000');
  await fail(token);
  // The previous connection may have been closed because it was idle.
  const status = async () => (await post(token, scripted({})).catch(() => undefined))?.status;
  await until(async () => (await status()) === 200, 60_000, 'a free slot');
});

/** All dependencies of the routes' handlers; only paths and methods are used here. */
const noParts: RouteParts = new Proxy(() => noParts, { get: () => noParts }) as unknown as RouteParts;
/** Protected by a signature in the URL instead of a token. */
const signed = ['/v1/results/{id}', '/v1/video/hooks/{id}/{signature}'];

test('every route that takes a token counts against it', async () => {
  const token = await createToken(weir, '--rpm', '1');
  const headers = { authorization: `Bearer ${token.token}`, 'content-type': 'application/json' };
  const call = (method: string, path: string): Promise<Response> =>
    fetch(weir.url + path, { method, headers, ...(method === 'POST' && { body: '{}' }) });
  const beyond = async (method: string, path: string): Promise<void> => {
    const isLimited = async (): Promise<boolean> => {
      const replies = await Promise.all(Array.from({ length: 20 }, () => call(method, path)));
      return replies.some(({ status }) => status === 429);
    };
    await until(isLimited, 60_000, `429 at ${path}`);
  };
  await beyond('POST', '/v1/chat/completions');
  await beyond('GET', '/v1/models');
  await beyond('POST', '/v1/messages/count_tokens');
  const places = routeList(noParts)
    .filter(({ path }) => /^\/v\d/.test(path) && !signed.includes(path))
    .flatMap(({ method, path }) => placesOf(path).map((place) => ({ method, place })));
  expect(places.length).toBeGreaterThan(35);
  const open: string[] = [];
  for (const { method, place } of places) {
    const reply = await call(method, place);
    if (reply.status !== 429) open.push(`${method} ${place} ${reply.status}`);
  }
  expect(open).toEqual([]);
});

function placesOf(path: string): string[] {
  if (/^\/v1(beta|\/models)\//.test(path) && path.endsWith('{id...}')) {
    const actions = ['generateContent', 'streamGenerateContent', 'countTokens', 'embedContent', 'batchEmbedContents'];
    return actions.map((action) => path.replace('{id...}', `gpt-4.1:${action}`));
  }
  return [path.replace(/\{[^}]+\}/g, 'x')];
}

test('a retry delay is at most 60 s, in both headers that libraries read', async () => {
  const token = await createToken(weir, '--rpm', '1');
  const reply = await denied(token);
  const seconds = Number(reply.headers.get('retry-after'));
  const milliseconds = Number(reply.headers.get('retry-after-ms'));
  expect(seconds).toBeLessThanOrEqual(60);
  expect(Math.ceil(milliseconds / 1_000)).toBe(seconds);
  expect(milliseconds).toBeGreaterThan(0);
});

async function denied(token: MadeToken): Promise<Response> {
  let reply = await post(token, scripted({}));
  await until(async () => {
    reply = await post(token, scripted({}));
    return reply.status === 429;
  });
  return reply;
}

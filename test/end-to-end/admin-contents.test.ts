/** Stored contents of requests: opt-in, encrypted, truncated, expiring, and visible only with the request. */

import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { RequestContentView } from '../../src/admin/contracts/settings-contract.ts';
import { ConsoleClient, codeOf } from '../harness/console-client.ts';
import { until } from '../harness/until.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

setDefaultTimeout(300_000);
const password = 'a password for all of them';
const canary = `CANARY-${crypto.randomUUID()}`;
let weir: RunningWeir;
let owner: ConsoleClient;
let member: ConsoleClient;
let stranger: ConsoleClient;
let token = '';

beforeAll(async () => {
  weir = await startWeir({ env: { WEIR_ADMIN_PASSWORD: password, WEIR_CLOCKS_READ_ON_MS: '0' } });
  const signedIn = async (name: string): Promise<ConsoleClient> => {
    const client = new ConsoleClient(weir);
    await client.signIn(name, password);
    return client;
  };
  owner = await signedIn('admin');
  for (const name of ['mia', 'max']) await owner.post('/accounts', { name, role: 'member', password });
  [member, stranger] = [await signedIn('mia'), await signedIn('max')];
  token = ((await member.post('/tokens', { name: 'hers' })).body as { token: string }).token;
});
afterAll(() => weir.remove());

const set = (values: object) => owner.call('PATCH', '/settings', { body: { values } });
const said = [{ role: 'user', content: `Repeat ${canary}` }];

interface Answered {
  readonly id: string;
  readonly status: number;
  readonly text: string;
}

async function ask(path: string, body: object | FormData, headers: Record<string, string> = {}): Promise<Answered> {
  const isForm = body instanceof FormData;
  const reply = await fetch(`${weir.url}${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      ...(!isForm && { 'content-type': 'application/json' }),
      ...headers,
    },
    body: isForm ? body : JSON.stringify(body),
  });
  return { id: reply.headers.get('x-request-id') ?? '', status: reply.status, text: await reply.text() };
}

const contentOf = (id: string, client = owner) => client.get(`/usage/requests/${id}/content`);

async function kept(id: string): Promise<RequestContentView> {
  let found: RequestContentView | undefined;
  await until(async () => {
    const { status, body } = await contentOf(id);
    if (status === 200) found = body as RequestContentView;
    return status === 200;
  }, 5_000);
  if (found === undefined) throw new Error('nothing kept');
  return found;
}

function rows(): number {
  const database = new Database(join(weir.dataFolder, 'weir.db'), { readonly: true });
  database.run('PRAGMA busy_timeout = 60000');
  const [row] = database.query('SELECT COUNT(*) AS rows FROM request_contents').all() as { rows: number }[];
  database.close();
  return row?.rows ?? 0;
}

test('nothing is stored unless the operator turns it on', async () => {
  const { id, status } = await ask('/v1/chat/completions', { model: 'sandbox-chat', messages: said });
  expect(status).toBe(200);
  await until(async () => (await owner.get(`/usage/requests/${id}`)).status === 200, 60_000);
  const reply = await contentOf(id);
  expect([reply.status, codeOf(reply)]).toEqual([404, 'not_found']);
  expect((await owner.get(`/usage/requests/${id}`)).body).toMatchObject({ hasContent: false });
  expect(rows()).toBe(0);
});

describe('where it is on', () => {
  beforeAll(async () => {
    expect((await set({ 'content_storage.requests': true })).status).toBe(200);
  });

  const conversations: readonly [name: string, path: string, body: object, headers?: Record<string, string>][] = [
    ['chat', '/v1/chat/completions', { model: 'sandbox-chat', messages: said }],
    ['chat, streamed', '/v1/chat/completions', { model: 'sandbox-chat', messages: said, stream: true }],
    ['completions, streamed', '/v1/completions', { model: 'sandbox-chat', prompt: canary, stream: true }],
    ['responses', '/v1/responses', { model: 'sandbox-chat', input: canary }],
    ['responses, streamed', '/v1/responses', { model: 'sandbox-chat', input: canary, stream: true }],
    ['messages', '/v1/messages', { model: 'sandbox-chat', max_tokens: 99, messages: said }],
    ['messages, streamed', '/v1/messages', { model: 'sandbox-chat', max_tokens: 99, messages: said, stream: true }],
    [
      'content generation',
      '/v1beta/models/sandbox-chat:generateContent',
      { contents: [{ parts: [{ text: canary }] }] },
    ],
    [
      'content generation as an array that grows',
      '/v1beta/models/sandbox-chat:streamGenerateContent',
      { contents: [{ parts: [{ text: canary }] }] },
    ],
    [
      'content generation as events',
      '/v1beta/models/sandbox-chat:streamGenerateContent?alt=sse',
      { contents: [{ parts: [{ text: canary }] }] },
    ],
    ['embeddings', '/v1/embeddings', { model: 'sandbox-embed', input: canary, dimensions: 8 }],
    ['moderations', '/v1/moderations', { input: canary }],
    ['rerank', '/v1/rerank', { model: 'sandbox-rerank', query: canary, documents: ['a', 'b'] }],
    ['a video', '/v1/video/generations', { model: 'sandbox-video', prompt: canary, duration: 1 }],
  ];
  for (const [name, path, body, headers] of conversations) {
    test(`${name}: both sides, byte for byte`, async () => {
      const { id, status, text } = await ask(path, body, headers);
      expect(status).toBe(200);
      const content = await kept(id);
      expect(content).toMatchObject({ requestId: id, requestIsCut: false, replyIsCut: false });
      expect(content.request).toBe(JSON.stringify(body));
      expect(content.reply).toBe(text);
      const days = (Date.parse(content.expiresAt) - Date.parse(content.at)) / 86_400_000;
      expect(days).toBe(7);
    });
  }

  test('a reply keeps its length and its headers', async () => {
    const reply = await fetch(`${weir.base}/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'sandbox-chat', messages: said }),
    });
    expect(reply.headers.get('x-weir-cost-usd')).not.toBeNull();
    expect(Number(reply.headers.get('content-length'))).toBe((await reply.bytes()).length);
  });

  test('audio is named, not stored, in requests and replies', async () => {
    const speech = { model: 'sandbox-speak', input: 'Hi', voice: 'alloy', response_format: 'wav' };
    const spoken = await fetch(`${weir.base}/audio/speech`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(speech),
    });
    const audio = await spoken.bytes();
    expect(audio.length).toBeGreaterThan(1_000);
    const speechContent = await kept(spoken.headers.get('x-request-id') ?? '');
    expect(speechContent.request).toBe(JSON.stringify(speech));
    expect(speechContent.reply).toMatch(/^\(audio\/.*not kept\)$/);

    const form = new FormData();
    form.set('model', 'sandbox-transcribe');
    form.set('file', new File([audio], 'hello.wav', { type: 'audio/wav' }));
    const { id, text } = await ask('/v1/audio/transcriptions', form);
    const written = await kept(id);
    expect(written.request).toBe(
      `model: sandbox-transcribe\nfile: (hello.wav, audio/wav, ${audio.length} bytes; not kept)`,
    );
    expect(written.reply).toBe(text);
  });

  test('a refusal after admission is stored as it was sent; one before leaves nothing', async () => {
    const failed = await ask('/v1/messages', { model: 'sandbox-500', max_tokens: 9, messages: said });
    expect(failed.status).toBe(502);
    expect((await kept(failed.id)).reply).toBe(failed.text);
    const before = rows();
    const refused = await ask('/v1/chat/completions', { model: 'sandbox-chat', messages: 'no list' });
    expect(refused.status).toBe(400);
    expect((await contentOf(refused.id)).status).toBe(404);
    expect(rows()).toBe(before);
  });

  test('for a client that disconnects, its request and the part of the reply that was sent are stored', async () => {
    await set({ 'sandbox.pace_ms': 100 });
    const leaving = new AbortController();
    const body = JSON.stringify({ model: 'sandbox-chat', messages: said, stream: true });
    const reply = await fetch(`${weir.base}/chat/completions`, {
      method: 'POST',
      signal: leaving.signal,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body,
    });
    await reply.body?.getReader().read();
    leaving.abort();
    const content = await kept(reply.headers.get('x-request-id') ?? '');
    expect(content.request).toBe(body);
    expect(content.reply).toStartWith('data: {');
    expect(content.reply).not.toContain('[DONE]');
    await set({ 'sandbox.pace_ms': null });
  });

  test('is truncated to its limit, between characters', async () => {
    await set({ 'content_storage.bytes_max': 1_024 });
    const messages = [{ role: 'user', content: '☃'.repeat(1_000) }];
    const { id, text } = await ask('/v1/chat/completions', { model: 'sandbox-chat', messages, stream: true });
    const content = await kept(id);
    expect([content.requestIsCut, content.replyIsCut]).toEqual([true, true]);
    expect(Buffer.byteLength(content.request)).toBeWithin(1_021, 1_025);
    expect(JSON.stringify({ model: 'sandbox-chat', messages })).toStartWith(content.request);
    expect(text).toStartWith(content.reply);
    await set({ 'content_storage.bytes_max': null });
  });

  test('is seen by those who may see the request, and by no one else', async () => {
    const { id } = await ask('/v1/chat/completions', { model: 'sandbox-chat', messages: said });
    await kept(id);
    expect((await contentOf(id, member)).status).toBe(200);
    expect((await owner.get(`/usage/requests/${id}`)).body).toMatchObject({ hasContent: true });
    const unseen = await contentOf(id, stranger);
    const unknown = await contentOf('req_nobody', stranger);
    expect([unseen.status, unseen.body]).toEqual([404, unknown.body]);
    expect((await contentOf(id, new ConsoleClient(weir))).status).toBe(401);
  });

  test('is unreadable in the data folder, and holds no credential', async () => {
    const { id } = await ask('/v1/chat/completions', { model: 'sandbox-chat', messages: said });
    const { request, reply } = await kept(id);
    expect(request + reply).toContain(canary);
    expect(request + reply).not.toContain(token);
    for (const name of await readdir(weir.dataFolder)) {
      if (!name.startsWith('weir.db')) continue;
      const bytes = Buffer.from(await Bun.file(join(weir.dataFolder, name)).arrayBuffer());
      expect(bytes.includes(canary)).toBe(false);
    }
  });

  test('is deleted when it expires, and nothing new is stored once it is off', async () => {
    const { id } = await ask('/v1/chat/completions', { model: 'sandbox-chat', messages: said });
    await kept(id);
    const database = new Database(join(weir.dataFolder, 'weir.db'));
    database.run('PRAGMA busy_timeout = 60000');
    database.run('UPDATE request_contents SET expires_at_ms = ? WHERE request_id = ?', [Date.now() - 1, id]);
    database.close();
    expect((await contentOf(id)).status).toBe(404);
    expect((await owner.get(`/usage/requests/${id}`)).body).toMatchObject({ hasContent: false });
    await set({ 'content_storage.requests': null });
    const before = rows();
    const later = await ask('/v1/chat/completions', { model: 'sandbox-chat', messages: said });
    await until(async () => (await owner.get(`/usage/requests/${later.id}`)).status === 200, 60_000);
    expect((await contentOf(later.id)).status).toBe(404);
    expect(rows()).toBe(before);
  });
});

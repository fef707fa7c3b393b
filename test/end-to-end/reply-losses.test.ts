/** What a translation loses is named where callers and operators look for it: also of a stream, whose head is too early for it. */

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import type { RequestDetailView } from '../../src/admin/contracts/contract.ts';
import { type CannedProvider, eventStream, startCannedProvider } from '../harness/canned-provider.ts';
import { runHere } from '../harness/commands.ts';
import { ConsoleClient } from '../harness/console-client.ts';
import { createToken } from '../harness/token.ts';
import { until } from '../harness/until.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

setDefaultTimeout(300_000);
const password = 'a long password';

const image = { inlineData: { mimeType: 'image/png', data: 'aW1hZ2U=' } };
const usageMetadata = { promptTokenCount: 3, candidatesTokenCount: 4, totalTokenCount: 7 };
const parts = [{ text: 'Here it is.', textNextYear: 1 }, image];
const candidates = [{ index: 0, finishReason: 'STOP', content: { role: 'model', parts } }];
const drawn = { candidates, usageMetadata, modelVersion: 'draws' };
const saying = (delta: object, end: string | null = null) => ({
  id: 'c',
  object: 'chat.completion.chunk',
  model: 'says',
  created: 1,
  system_fingerprint: 'fp_1',
  choices: [{ index: 0, delta, finish_reason: end }],
});

const call = { id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } };
const answer = { role: 'assistant', content: null, reasoning_content: 'I call it.', tool_calls: [call] };
const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
const thinking = {
  ...{ id: 'c', object: 'chat.completion', created: 1, model: 'thinks', usage },
  choices: [{ index: 0, message: answer, finish_reason: 'tool_calls' }],
};
const thinkingPieces = [
  saying({ reasoning_content: 'I call it.' }),
  saying({ tool_calls: [{ index: 0, ...call, id: 'c2' }] }, 'tool_calls'),
];
const done = 'data: [DONE]\n\n';

let provider: CannedProvider;
let weir: RunningWeir;
let owner: ConsoleClient;

beforeAll(async () => {
  provider = startCannedProvider({
    draws: { whole: drawn, stream: eventStream([drawn]) },
    thinks: { whole: thinking, stream: eventStream(thinkingPieces) + done },
    says: {
      stream: `${eventStream([saying({ content: 'Good' }), saying({ content: ' day' }, 'stop')])}${done}`,
    },
  });
  weir = await startWeir({
    yaml: {
      providers: {
        google: { kind: 'gemini-generate', base_url: `${provider.base}/v1beta`, key: 'k', models: ['draws'] },
        chats: { kind: 'openai-chat', base_url: `${provider.base}/v1`, key: 'k', models: ['says', 'thinks'] },
      },
    },
    env: { WEIR_ADMIN_PASSWORD: password },
  });
  owner = new ConsoleClient(weir);
  await owner.signIn('admin', password);
});
afterAll(async () => {
  await weir?.remove();
  await provider?.stop();
});

const ask = (body: object, headers: Record<string, string> = {}, path = '/messages'): Promise<Response> =>
  fetch(`${weir.base}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${weir.token}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

const draw = (more: object, headers?: Record<string, string>): Promise<Response> =>
  ask({ model: 'draws', max_tokens: 9, messages: [{ role: 'user', content: 'A lake' }], ...more }, headers);

const lost = ['candidates[0].content.parts[0].textNextYear', 'content[1] image'];

/** Everything that can be read of the request later. */
async function expectRecorded(reply: Response, losses: readonly string[], replyLosses: readonly string[]) {
  const id = reply.headers.get('x-request-id') ?? '';
  let detail: RequestDetailView | undefined;
  await until(async () => {
    const { status, body } = await owner.get(`/usage/requests/${id}`);
    detail = body as RequestDetailView;
    return status === 200 && detail.row !== undefined;
  }, 300_000);
  expect(detail?.way).toMatchObject({ losses, replyLosses });
  const shown = (await runHere(weir, ['usage', 'show', id])).stdout;
  for (const name of [...losses, ...replyLosses]) expect(shown).toContain(name);
  const own = await fetch(`${weir.base}/usage/${id}`, { headers: { authorization: `Bearer ${weir.token}` } });
  expect(await own.json()).toMatchObject({ object: 'usage', id, losses, reply_losses: replyLosses });
}

test('of a whole reply: in its header, its row and its look-up', async () => {
  const reply = await draw({});
  expect(reply.status).toBe(200);
  const named = reply.headers.get('x-weir-losses') ?? '';
  for (const name of lost) expect(named).toContain(name.replace(' ', '-'));
  await expectRecorded(reply, [], lost);
});

test('of a stream: in its row and its look-up, and in a comment before its end for a caller that asks', async () => {
  const plain = await draw({ stream: true });
  expect(plain.headers.get('x-weir-losses')).toBeNull();
  expect(await plain.text()).not.toContain('weir-losses');
  await expectRecorded(plain, [], lost);
  const reply = await draw(
    { stream: true, messages: [{ role: 'user', content: 'A lake', next: 1 }] },
    { 'x-weir-losses': 'true' },
  );
  expect(reply.headers.get('x-weir-losses')).toBe('messages[0].next');
  const text = await reply.text();
  const comment = `: weir-losses ${lost.join(', ').replace('] image', ']-image')}\n\n`;
  expect(text).toContain(comment);
  expect(text.indexOf(comment)).toBeLessThan(text.indexOf('event: message_stop'));
  await expectRecorded(reply, ['messages[0].next'], lost);
});

test('of a stream in each client’s format', async () => {
  const asking = { 'x-weir-losses': 'true' };
  const contents = [{ role: 'user', parts: [{ text: 'Good day' }] }];
  const responses = await ask({ model: 'says', input: 'Good day', stream: true }, asking, '/responses');
  const generated = await fetch(`${weir.url}/v1beta/models/says:streamGenerateContent?alt=sse`, {
    method: 'POST',
    headers: { 'x-goog-api-key': weir.token, 'content-type': 'application/json', ...asking },
    body: JSON.stringify({ contents }),
  });
  for (const reply of [responses, generated]) {
    const text = await reply.text();
    expect(text).toContain(': weir-losses system_fingerprint\n\n');
    expect(text.trimEnd()).not.toEndWith('system_fingerprint');
    await expectRecorded(reply, [], ['system_fingerprint']);
  }
});

test.each([false, true])('thinking that a client got and did not send back (streamed: %p)', async (stream) => {
  const asked = { role: 'user', content: 'Call it' };
  const tools = [{ name: 'f', input_schema: { type: 'object' } }];
  const more = { model: 'thinks', max_tokens: 2_000, thinking: { type: 'enabled', budget_tokens: 1_024 }, tools };
  const first = await ask({ ...more, messages: [asked], stream });
  expect(await first.text()).toContain('I call it.');
  const id = stream ? 'c2' : 'c1';
  const results = { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: 'done' }] };
  const turn = { role: 'assistant', content: [{ type: 'tool_use', id, name: 'f', input: {} }] };
  const second = await ask({ ...more, messages: [asked, turn, results] });
  expect(second.headers.get('x-weir-losses')).toContain('messages[1]-thinking-signature');
  // Strict mode is about what the request holds.
  expect((await ask({ ...more, messages: [asked, turn, results] }, { 'x-weir-strict': 'true' })).status).toBe(200);
});

test('a field inside of a request is refused in strict mode as one at its top', async () => {
  const strict = { 'x-weir-strict': 'true' };
  const bodies = [
    [
      '/messages',
      { model: 'says', max_tokens: 9, messages: [{ role: 'user', content: [{ type: 'text', text: 'a', x: 1 }] }] },
    ],
    ['/responses', { model: 'draws', input: [{ role: 'user', content: 'a', x: 1 }] }],
    [
      '/chat/completions',
      { model: 'draws', messages: [{ role: 'user', content: [{ type: 'text', text: 'a', x: 1 }] }] },
    ],
  ] as const;
  for (const [path, body] of bodies) {
    const reply = await ask(body, strict, path);
    expect(reply.status).toBe(400);
    expect(await reply.text()).toContain('.x');
  }
});

test('a token does not find another one’s request', async () => {
  const reply = await draw({});
  await expectRecorded(reply, [], lost);
  const { token } = await createToken(weir);
  const id = reply.headers.get('x-request-id') ?? '';
  const found = await fetch(`${weir.base}/usage/${id}`, { headers: { authorization: `Bearer ${token}` } });
  expect(found.status).toBe(404);
});

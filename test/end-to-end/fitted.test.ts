/** A body that stays in its format is sent as it came, except for what the model or its host is known to refuse. */

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import type { RequestDetailView, RequestsView } from '../../src/admin/contracts/contract.ts';
import type { Explanation } from '../../src/relay/explain/explanation.ts';
import { ConsoleClient } from '../harness/console-client.ts';
import { createToken } from '../harness/token.ts';
import { until } from '../harness/until.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

setDefaultTimeout(300_000);
const password = 'a long password';
const seen: { readonly path: string; readonly text: string }[] = [];
let upstream: Bun.Server<undefined>;
let weir: RunningWeir;

const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
const chat = {
  id: 'c',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', content: 'ok', refusal: null }, finish_reason: 'stop' }],
  usage,
};
const chunk = {
  ...chat,
  object: 'chat.completion.chunk',
  choices: [{ index: 0, delta: { content: 'ok' }, finish_reason: 'stop' }],
};
const message = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'm',
  content: [{ type: 'text', text: 'ok' }],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: 1, output_tokens: 1 },
};
const generated = {
  candidates: [{ content: { role: 'model', parts: [{ text: 'ok' }] }, finishReason: 'STOP', index: 0 }],
  usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
};

async function answer(request: Request): Promise<Response> {
  const path = new URL(request.url).pathname;
  const text = await request.text();
  if (request.method === 'GET') return Response.json({ data: [] });
  seen.push({ path, text });
  if (path.endsWith('/count_tokens')) return Response.json({ input_tokens: 4_321 });
  if (path.endsWith('/messages')) return Response.json(message);
  if (path.includes(':generateContent')) return Response.json(generated);
  if ((JSON.parse(text) as { stream?: boolean }).stream !== true) return Response.json(chat);
  return new Response(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`, {
    headers: { 'content-type': 'text/event-stream' },
  });
}

beforeAll(async () => {
  upstream = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: answer });
  const place = { base_url: `http://127.0.0.1:${upstream.port}/v1`, key: 'sk-4f81c07be2d94a6f' };
  weir = await startWeir({
    yaml: {
      providers: {
        openai: { ...place, models: ['gpt-5', 'gpt-4.1'] },
        mistral: { ...place, models: ['mistral-large-latest'] },
        anthropic: { ...place, models: ['claude-opus-4-8', 'claude-sonnet-4-5'] },
        gemini: { ...place, models: ['gemini-2.0-flash'] },
        plain: { kind: 'openai-chat', ...place, models: ['unknown-to-all'] },
      },
    },
    env: { WEIR_ADMIN_PASSWORD: password },
  });
});
afterAll(async () => {
  await weir.remove();
  await upstream.stop(true);
});

/** Sends the text exactly; returns the reply and what the provider was sent. */
async function sent(path: string, text: string, headers: Record<string, string> = {}) {
  seen.length = 0;
  const reply = await fetch(`${weir.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${weir.token}`, 'content-type': 'application/json', ...headers },
    body: text,
  });
  const body = await reply.text();
  return {
    status: reply.status,
    body,
    losses: reply.headers.get('x-weir-losses'),
    upstream: seen.map((one) => one.text),
  };
}

/** Values that parsing and serializing would change. */
const odd = '"x_big":12345678901234567890123,"x_exact":1.10,"x_twice":{"a":1,"a":2}';
const hello = '"messages":[{"role":"user","content":"h\\u00e9"}]';

test('a parameter that the model refuses is omitted and reported, and everything else keeps its bytes', async () => {
  const reply = await sent('/v1/chat/completions', `{"model":"gpt-5","temperature":0.2,${odd},${hello}}`);
  expect(reply).toMatchObject({ status: 200, losses: 'temperature' });
  expect(reply.upstream).toEqual([`{"model":"gpt-5",${odd},${hello}}`]);
});

test('the request’s detail shows it too', async () => {
  await sent('/v1/chat/completions', `{"model":"gpt-5","temperature":0.3,${hello}}`);
  const owner = new ConsoleClient(weir);
  await owner.signIn('admin', password);
  let detail: RequestDetailView | undefined;
  await until(async () => {
    const { items } = (await owner.get('/usage/requests')).body as RequestsView;
    const row = items.find((one) => one.model === 'gpt-5');
    if (row !== undefined) detail = (await owner.get(`/usage/requests/${row.requestId}`)).body as RequestDetailView;
    return detail !== undefined;
  }, 300_000);
  expect(detail?.way).toEqual({
    lane: 'patch',
    from: 'openai-chat',
    to: 'openai-chat',
    losses: ['temperature'],
    replyLosses: [],
  });
});

test('strict mode refuses it instead, and nothing is sent', async () => {
  const body = `{"model":"gpt-5","temperature":0.2,${hello}}`;
  const reply = await sent('/v1/chat/completions', body, { 'x-weir-strict': 'true' });
  expect(reply).toMatchObject({ status: 400, upstream: [] });
  expect(reply.body).toContain('loss_refused');
});

test('explain shows it', async () => {
  const { token } = await createToken(weir, '--may-explain');
  const reply = await sent('/v1/chat/completions', `{"model":"gpt-5","temperature":0.2,${hello}}`, {
    'x-weir-explain': '1',
    authorization: `Bearer ${token}`,
  });
  const { candidates } = JSON.parse(reply.body) as Explanation;
  expect(candidates[0]).toMatchObject({ lane: 'patch', format: 'openai-chat', losses: [{ what: 'temperature' }] });
  expect(reply.upstream).toEqual([]);
});

test('an unknown model gets the same bytes', async () => {
  const body = ` { "model":"unknown-to-all", "temperature":1.90 ,"max_tokens":99999999,"reasoning_effort":"max",${odd},
    "messages":[{"role":"system","content":[{"type":"text","text":"a"}]},{"role":"user","content":"b"},{"role":"system","content":"c"}] }`;
  const reply = await sent('/v1/chat/completions', body);
  expect(reply).toMatchObject({ status: 200, losses: null, upstream: [body] });
});

test('parameters that the model accepts are forwarded unchanged', async () => {
  const body = `{"model":"gpt-4.1","temperature":1.90,"max_tokens":32768,${odd},${hello}}`;
  expect(await sent('/v1/chat/completions', body)).toMatchObject({ status: 200, losses: null, upstream: [body] });
});

test('a limit above the model’s is lowered, an effort omitted', async () => {
  const body = `{"model":"gpt-4.1","max_completion_tokens":64000,"reasoning_effort":"high",${hello}}`;
  const reply = await sent('/v1/chat/completions', body);
  expect(reply).toMatchObject({ status: 200, losses: 'thinking, max_tokens' });
  expect(reply.upstream).toEqual([`{"model":"gpt-4.1","max_completion_tokens":32768,${hello}}`]);
});

test('what a host refuses is changed: the role, the name of the limit, the options of the stream', async () => {
  const turns =
    '{"role":"developer","content":"be brief","x":12345678901234567890},{"role":"user","content":"hi","x":1.10}';
  const body = `{"model":"mistral-large-latest","stream":true,"stream_options":{"include_usage":true},"max_completion_tokens":9,"messages":[${turns}]}`;
  const reply = await sent('/v1/chat/completions', body);
  expect(reply.status).toBe(200);
  expect(reply.body).toContain('[DONE]');
  expect(reply.losses).toBeNull();
  expect(reply.upstream).toEqual([
    `{"model":"mistral-large-latest","stream":true,"messages":[${turns.replace('developer', 'system')}],"max_tokens":9}`,
  ]);
});

test('the messages format: sampling goes, the arguments of calls keep their digits', async () => {
  const turns =
    '"messages":[{"role":"user","content":"a"},{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"f","input":{"n":12345678901234567890}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"r"}]}]';
  const body = `{"model":"claude-opus-4-8","max_tokens":99,"temperature":0.5,"top_p":1,${turns}}`;
  const reply = await sent('/v1/messages', body);
  expect(reply).toMatchObject({ status: 200, losses: 'temperature' });
  expect(reply.upstream).toEqual([`{"model":"claude-opus-4-8","max_tokens":99,${turns}}`]);
});

test('a request is counted as it would be sent', async () => {
  const turns = '{"role":"user","content":"a"},{"role":"system","content":"b"}';
  const body = `{"model":"claude-sonnet-4-5","thinking":{"type":"adaptive"},"messages":[${turns}]}`;
  const reply = await sent('/v1/messages/count_tokens', body);
  expect(reply).toMatchObject({ status: 200, body: '{"input_tokens":4321}' });
  expect(JSON.parse(reply.upstream[0] ?? '')).toEqual({
    model: 'claude-sonnet-4-5',
    thinking: { type: 'enabled', budget_tokens: 8_192 },
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      },
    ],
  });
});

test('the content-generation format: no thinking, a bounded limit, and exact numbers beside them', async () => {
  const contents = '"contents":[{"role":"user","parts":[{"text":"hi"}]}]';
  const config = '"maxOutputTokens":32000,"x_exact":1.10,"thinkingConfig":{"thinkingBudget":1024}';
  const reply = await sent(
    '/v1beta/models/gemini-2.0-flash:generateContent',
    `{${contents},"generationConfig":{${config}}}`,
  );
  expect(reply).toMatchObject({ status: 200, losses: 'thinking, max_tokens' });
  expect(reply.upstream).toEqual([`{${contents},"generationConfig":{"maxOutputTokens":8192,"x_exact":1.10}}`]);
});

/** Compacted conversations: passed to providers that compact, otherwise summarized by the model, then continued. */

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import OpenAI from 'openai';
import { readLedger, type UsageRow } from '../harness/ledger-rows.ts';
import { failureOf } from '../harness/operation-clients.ts';
import { messageItem, responseReply, responseUsage } from '../harness/response-replies.ts';
import { SocketClient } from '../harness/socket-client.ts';
import { createToken } from '../harness/token.ts';
import { until } from '../harness/until.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

interface Seen {
  readonly path: string;
  readonly body: Record<string, unknown>;
}

let seen: Seen[] = [];
const threat = 'I will kill you';
const summary = 'They asked for a weir and it is half built.';
const usage = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };
const compacted = {
  id: 'resp_up',
  object: 'response.compaction',
  created_at: 1,
  output: [{ id: 'cmp_up', type: 'compaction', encrypted_content: 'gAAAAA-provider' }],
  usage: responseUsage(100, 20),
};
const response = responseReply({
  id: 'resp_plain',
  model: 'r',
  output: [messageItem('on')],
  usage: compacted.usage,
});

/** Answers chat and responses with minimal replies; streams of chat in two pieces. */
const upstream = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  async fetch(request) {
    const path = new URL(request.url).pathname;
    const body = (await request.json()) as Record<string, unknown>;
    seen.push({ path, body });
    const lacking = body['model'];
    if (path.endsWith('/responses/compact') && typeof lacking === 'string' && lacking.startsWith('without-')) {
      return new Response('Not Found', { status: Number(lacking.slice('without-'.length)) });
    }
    if (path.endsWith('/responses/compact')) return Response.json(compacted);
    if (path.endsWith('/responses')) return Response.json(response);
    const head = { id: 'c1', created: 1, model: 'c' };
    if (body['stream'] !== true) {
      const message = { role: 'assistant', content: body['model'] === 'evil' ? threat : summary, refusal: null };
      const choices = [{ index: 0, message, finish_reason: 'stop' }];
      return Response.json({ ...head, object: 'chat.completion', choices, usage });
    }
    const chunk = (fields: object) =>
      `data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', choices: [], ...fields })}\n\n`;
    const text = [summary.slice(0, 9), summary.slice(9)].map((content) =>
      chunk({ choices: [{ index: 0, delta: { content }, finish_reason: null }] }),
    );
    const end = chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] });
    const frames = `${text.join('')}${end}${chunk({ usage })}data: [DONE]\n\n`;
    return new Response(frames, { headers: { 'content-type': 'text/event-stream' } });
  },
});

let weir: RunningWeir;
let client: OpenAI;
beforeAll(async () => {
  const base = `http://127.0.0.1:${upstream.port}/v1`;
  const provider = (kind: string, ...models: string[]) => ({ kind, base_url: base, key: 'k', models });
  weir = await startWeir({
    yaml: {
      providers: {
        chat: provider('openai-chat', 'c', 'evil'),
        responses: provider('openai-responses', 'r', 'without-404', 'without-405', 'without-501'),
      },
    },
  });
  client = new OpenAI({ apiKey: weir.token, baseURL: weir.base, maxRetries: 0 });
});
afterAll(async () => {
  await weir.remove();
  await upstream.stop(true);
});
beforeEach(() => {
  seen = [];
});

const input: OpenAI.Responses.ResponseInput = [
  { role: 'user', content: 'Build a weir.' },
  { role: 'assistant', content: 'Half done.' },
  { role: 'user', content: 'Continue.' },
];
async function rowOf(reply: Response): Promise<UsageRow | undefined> {
  const id = reply.headers.get('x-request-id');
  const find = async () => (await readLedger(weir)).usage.find(({ requestId }) => requestId === id);
  await until(async () => (await find()) !== undefined, 60_000, `the usage row of ${id}`);
  return find();
}
const texts = (body: Record<string, unknown> | undefined): string => JSON.stringify(body);

describe('POST /v1/responses/compact', () => {
  test('is forwarded to a provider that compacts', async () => {
    const { data, response: reply } = await client.responses.compact({ model: 'r', input }).withResponse();
    expect(seen).toEqual([{ path: '/v1/responses/compact', body: { model: 'r', input } }]);
    expect(data).toMatchObject(compacted);
    expect(await rowOf(reply)).toMatchObject({ status: 200, inputTotal: 100, outputTotal: 20, estimated: false });
  });

  test('is a summary by the model at other providers, and every format continues from it', async () => {
    const { data, response: reply } = await client.responses.compact({ model: 'c', input }).withResponse();
    expect(seen[0]?.path).toBe('/v1/chat/completions');
    expect(texts(seen[0]?.body)).toContain('Write a summary of this conversation');
    expect(data.object).toBe('response.compaction');
    expect(data.output.map(({ type }) => type)).toEqual(['message', 'message', 'compaction']);
    expect(data.usage).toMatchObject({ input_tokens: 100, output_tokens: 20 });
    expect(texts({ ...data })).not.toContain(summary);
    expect(await rowOf(reply)).toMatchObject({ status: 200, inputTotal: 100, outputTotal: 20, estimated: false });

    const next = [...data.output, { role: 'user', content: 'And now?' }] as OpenAI.Responses.ResponseInput;
    for (const model of ['c', 'r']) {
      seen = [];
      await client.responses.create({ model, input: next });
      expect(seen).toHaveLength(1);
      expect(texts(seen[0]?.body)).toContain(summary);
      expect(texts(seen[0]?.body)).not.toContain('encrypted_content":"d2');
      // It can be compacted again: the model reads the summary, not the seal.
      seen = [];
      await client.responses.compact({ model, input: next });
      expect(texts(seen[0]?.body)).toContain(summary);
    }
  });

  test.each([
    ['without-404'],
    ['without-405'],
    ['without-501'],
  ])('is Weir’s own at a server of the format that does not have the path: %s', async (model) => {
    const { data, response: reply } = await client.responses.compact({ model, input }).withResponse();
    expect(seen.map(({ path }) => path)).toEqual(['/v1/responses/compact', '/v1/responses']);
    expect(texts(seen[1]?.body)).toContain('Write a summary of this conversation');
    expect(data.output.map(({ type }) => type)).toEqual(['message', 'message', 'compaction']);
    expect(await rowOf(reply)).toMatchObject({ status: 200, inputTotal: 100, outputTotal: 20 });
    // It is asked once an hour, not each time.
    seen = [];
    await client.responses.compact({ model, input });
    expect(seen.map(({ path }) => path)).toEqual(['/v1/responses']);
  });

  test('works with the sandbox', async () => {
    const data = await client.responses.compact({ model: 'sandbox-chat', input });
    expect(data.output.at(-1)).toMatchObject({ type: 'compaction' });
    const next = [...data.output, { role: 'user', content: 'And now?' }] as OpenAI.Responses.ResponseInput;
    expect((await client.responses.create({ model: 'sandbox-chat', input: next })).status).toBe('completed');
  });

  test('refuses invalid requests', async () => {
    const post = (body: object) =>
      fetch(`${weir.base}/responses/compact`, {
        method: 'POST',
        headers: { authorization: `Bearer ${weir.token}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    expect((await post({ input })).status).toBe(400);
    expect((await post({ model: 'none', input })).status).toBe(404);
    expect(seen).toEqual([]);
  });
});

describe('a trigger at the end of the input', () => {
  const triggered = [...input, { type: 'compaction_trigger' }] as OpenAI.Responses.ResponseInput;

  test('is passed to a provider of the format', async () => {
    await client.responses.create({ model: 'r', input: triggered });
    expect(seen).toEqual([{ path: '/v1/responses', body: { model: 'r', input: triggered } }]);
  });

  test('is answered by one item, whole and as a stream', async () => {
    const whole = await client.responses.create({ model: 'c', input: triggered });
    expect(whole.output.map(({ type }) => type)).toEqual(['compaction']);
    const stream = await client.responses.create({ model: 'c', input: triggered, stream: true });
    const names: string[] = [];
    for await (const event of stream) names.push(event.type);
    expect(names).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.output_item.done',
      'response.completed',
    ]);
  });

  test('over a WebSocket too', async () => {
    const connection = new SocketClient(`${weir.base}/responses`, { token: weir.token });
    try {
      await connection.send({ type: 'response.create', model: 'c', input: triggered });
      const events = await connection.reply();
      expect(events.map(({ type }) => type)).toContain('response.output_item.done');
      expect(JSON.stringify(events.at(-1))).toContain('"type":"compaction"');
    } finally {
      connection.socket.close();
    }
  });
});

describe('behind the moderation gate', () => {
  let judged: OpenAI;
  beforeAll(async () => {
    const { token } = await createToken(weir, '--moderate', 'both', '--moderation-model', 'sandbox-moderate');
    judged = new OpenAI({ apiKey: token, baseURL: weir.base, maxRetries: 0 });
  });

  test('harmless content is compacted', async () => {
    const data = await judged.responses.compact({ model: 'c', input });
    expect(data.output.at(-1)).toMatchObject({ type: 'compaction' });
    const next = [...data.output, { role: 'user', content: 'And now?' }] as OpenAI.Responses.ResponseInput;
    expect((await judged.responses.create({ model: 'c', input: next })).status).toBe('completed');
  });

  test('a summary is judged like any reply, and an item like any text', async () => {
    const refused = await failureOf(judged.responses.compact({ model: 'evil', input }));
    expect(refused.code).toBe('content_refused');
    const forged = (await client.responses.compact({ model: 'evil', input })).output.at(-1);
    seen = [];
    const smuggled = await failureOf(
      judged.responses.create({ model: 'c', input: [forged] as OpenAI.Responses.ResponseInput }),
    );
    expect(smuggled.code).toBe('content_refused');
    expect(seen).toEqual([]);
  });
});

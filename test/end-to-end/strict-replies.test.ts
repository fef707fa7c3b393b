/** Replies as strict clients want them: through a real Weir, from providers of every format. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { Agent, OpenAIProvider, Runner } from '@openai/agents';
import type { Tree } from '../../src/conversation/json-tree.ts';
import { type CannedProvider, startCannedProvider } from '../harness/canned-provider.ts';
import { cannedReplies, sentence } from '../harness/canned-replies.ts';
import { dataOf } from '../harness/chat.ts';
import { expectValid } from '../harness/schema.ts';
import { expectTaken } from '../harness/strict-clients.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

let canned: CannedProvider;
let weir: RunningWeir;

beforeAll(async () => {
  canned = startCannedProvider(cannedReplies);
  const models = Object.keys(cannedReplies);
  const provider = (kind: string, base: string) => ({ kind, base_url: base, key: 'sk-any', models });
  weir = await startWeir({
    yaml: {
      providers: {
        claude: provider('anthropic-messages', `${canned.base}/v1`),
        gemini: provider('gemini-generate', `${canned.base}/v1beta`),
        chat: provider('openai-chat', `${canned.base}/v1`),
      },
    },
  });
});
afterAll(async () => {
  await weir.remove();
  await canned.stop();
});

async function send(path: string, body: object): Promise<string> {
  const reply = await fetch(`${weir.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${weir.token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await reply.text();
  if (reply.status !== 200) throw new Error(`${reply.status}: ${text}`);
  return text;
}

const messages = [{ role: 'user', content: 'How is the weather in Oslo?' }];
const chat = async (model: string, fields: object = {}): Promise<Tree> =>
  JSON.parse(await send('/v1/chat/completions', { model, messages, ...fields })) as Tree;
const chunks = async (model: string, fields: object = {}): Promise<Tree[]> =>
  dataOf(await send('/v1/chat/completions', { model, messages, stream: true, ...fields }))
    .filter((data) => data !== '[DONE]')
    .map((data) => JSON.parse(data) as Tree);

const answering = ['claude/cited', 'gemini/parts', 'chat/plain', 'sandbox/sandbox-chat'];

describe('agents of the responses format', () => {
  const runner = (): Runner =>
    new Runner({
      modelProvider: new OpenAIProvider({ apiKey: weir.token, baseURL: weir.base, useResponses: true }),
      tracingDisabled: true,
    });

  test.each([
    'claude/cited',
    'gemini/parts',
    'chat/plain',
  ])('%s: the final output is the whole answer', async (model) => {
    const agent = new Agent({ name: 'guide', instructions: 'Answer.', model });
    const whole = await runner().run(agent, 'How is the weather in Oslo?');
    expect(whole.finalOutput).toBe(sentence);
    const stream = await runner().run(agent, 'How is the weather in Oslo?', { stream: true });
    await stream.completed;
    expect(stream.finalOutput).toBe(sentence);
  });

  test('citations point into the joined text', async () => {
    const body = { model: 'claude/cited', input: 'How is the weather in Oslo?' };
    const whole = JSON.parse(await send('/v1/responses', body)) as Tree;
    expectValid('Response', whole);
    const events = dataOf(await send('/v1/responses', { ...body, stream: true })).map(
      (data) => JSON.parse(data) as Tree,
    );
    for (const event of events) expectValid('ResponseStreamEvent', event);
    for (const reply of [whole, events.at(-1)?.['response'] as Tree]) {
      const [item, ...others] = reply['output'] as { content: { text: string; annotations: Tree[] }[] }[];
      const [part, ...further] = item?.content ?? [];
      expect([others, further, part?.text]).toEqual([[], [], sentence]);
      const cited = part?.annotations.map((one) =>
        sentence.slice(Number(one['start_index']), Number(one['end_index'])),
      );
      expect(cited).toEqual(['sunny']);
    }
  });
});

describe.each(answering)('%s to clients of the chat format', (model) => {
  test('a whole reply is accepted by strict libraries, and has no unknown fields', async () => {
    const reply = await chat(model);
    expectValid('CreateChatCompletionResponse', reply);
    expectTaken('providerReply', reply);
    expect(reply['system_fingerprint']).not.toBeNull();
  });

  test('without a request for usage there is none', async () => {
    const all = await chunks(model);
    expect(all.length).toBeGreaterThan(1);
    for (const chunk of all) {
      expectValid('CreateChatCompletionStreamResponse', chunk);
      expectTaken('mistralChunk', chunk);
      expectTaken('openRouterChunk', chunk);
      expect(chunk).not.toHaveProperty('usage');
    }
  });

  test('with a request for usage it comes at the end, and is null before', async () => {
    const all = await chunks(model, { stream_options: { include_usage: true } });
    for (const chunk of all) {
      expectValid('CreateChatCompletionStreamResponse', chunk);
      expectTaken('openRouterChunk', chunk);
    }
    const last = all.at(-1) as { readonly choices: unknown; readonly usage: Tree };
    expect([last.choices, Number(last.usage['total_tokens']) > 0]).toEqual([[], true]);
    expectTaken('providerReply', last);
    expect(all.slice(0, -1).every((chunk) => chunk['usage'] === null)).toBe(true);
  });
});

test('clients of the completions format get no usage that they did not request', async () => {
  for (const model of ['sandbox/sandbox-chat', 'claude/cited']) {
    const text = await send('/v1/completions', { model, prompt: 'How is the weather in Oslo?', stream: true });
    const events = dataOf(text).filter((data) => data !== '[DONE]');
    expect(events.length).toBeGreaterThan(1);
    for (const data of events) {
      expectValid('CreateCompletionResponse', JSON.parse(data));
      expect(JSON.parse(data)).not.toHaveProperty('usage');
    }
  }
});

describe('clients of the messages format', () => {
  test.each([
    'chat/plain',
    'chat/tiered',
    'gemini/parts',
    'sandbox/sandbox-chat',
  ])('%s counts as their library expects', async (model) => {
    const body = { model, max_tokens: 99, messages };
    const whole = JSON.parse(await send('/v1/messages', body)) as Tree;
    expectTaken('messagesUsage', whole['usage']);
    const events = dataOf(await send('/v1/messages', { ...body, stream: true })).map(
      (data) => JSON.parse(data) as Tree,
    );
    const [start] = events as [{ readonly message: Tree }];
    expectTaken('messagesUsage', start.message['usage']);
    expectTaken('messagesUsage', events.findLast(({ type }) => type === 'message_delta')?.['usage']);
  });
});

describe('what providers do', () => {
  test.each([
    'claude/blank-messages',
    'gemini/blank-generate',
    'chat/blank-chat',
  ])('%s: events without data are ignored', async (model) => {
    for (const [path, body] of [
      ['/v1/chat/completions', { model, messages, stream: true }],
      ['/v1/messages', { model, messages, stream: true, max_tokens: 99 }],
      [`/v1beta/models/${model}:streamGenerateContent?alt=sse`, { contents: [{ parts: [{ text: 'hi' }] }] }],
    ] as const) {
      const text = await send(path, body);
      expect(text).toContain('sunny');
      expect(text).not.toContain('error');
      expect(text).not.toMatch(/^data: ?$/m);
    }
  });

  test('the usage of a compaction is counted, whole and streamed', async () => {
    const counts = { prompt_tokens: 60_997, completion_tokens: 3_341, total_tokens: 64_338 };
    expect((await chat('claude/compacted'))['usage']).toMatchObject(counts);
    const all = await chunks('claude/compacted', { stream_options: { include_usage: true } });
    expect(all.at(-1)?.['usage']).toMatchObject(counts);
  });

  test('a finish reason at the start of a message is passed on', async () => {
    const all = await chunks('claude/called-from-code');
    const finish = all.flatMap(({ choices }) => (choices as Tree[]).flatMap((one) => one['finish_reason'] ?? []));
    expect(finish).toEqual(['tool_calls']);
    const generated = await send('/v1beta/models/claude/called-from-code:streamGenerateContent?alt=sse', {
      contents: [{ parts: [{ text: 'hi' }] }],
    });
    expect(generated).toContain('"finishReason":"STOP"');
  });

  test('a citation that comes before its text covers it', async () => {
    const all = await chunks('chat/cited-first');
    expect(all.length).toBeGreaterThan(0);
    const events = dataOf(await send('/v1/responses', { model: 'chat/cited-first', input: 'hi', stream: true }));
    const added = events
      .map((data) => JSON.parse(data) as Tree)
      .filter(({ type }) => String(type).includes('annotation'));
    expect(added.map(({ annotation }) => annotation)).toMatchObject([{ start_index: 0, end_index: sentence.length }]);
  });
});

test('enums sent as numbers reach a provider as the names of its format', async () => {
  const parameters = {
    type: 6,
    properties: { place: { type: 1, nullable: true }, days: { type: 5, items: { type: 3 } } },
  };
  await send('/v1beta/models/chat/plain:generateContent', {
    contents: [{ role: 'user', parts: [{ text: 'hi' }] }],
    tools: [{ functionDeclarations: [{ name: 'look', description: 'd', parameters }] }],
    toolConfig: { functionCallingConfig: { mode: 3 } },
  });
  expect(canned.asked.get('plain')).toMatchObject({
    tool_choice: 'none',
    tools: [
      {
        function: {
          parameters: {
            type: 'object',
            properties: { place: { type: ['string', 'null'] }, days: { type: 'array', items: { type: 'integer' } } },
          },
        },
      },
    ],
  });
});

test('the padding of a provider stays when usage is removed', async () => {
  const all = await chunks('chat/padded');
  expect(all.map(({ obfuscation }) => obfuscation)).toEqual(['aa', 'bb', 'cc']);
  expect(all.some((chunk) => 'usage' in chunk)).toBe(false);
});

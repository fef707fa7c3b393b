/** Every class that providers bill, one by one: the provider's own invoice, Weir's charge, and its cost line. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { RequestDetailView } from '../../src/admin/contracts/analytics-contract.ts';
import type { Tree } from '../../src/conversation/json-tree.ts';
import type { ConsoleClient } from '../harness/console-client.ts';
import { ownerOf } from '../harness/console-session.ts';
import { type InvoicingProvider, startInvoicingProvider } from '../harness/invoicing-provider.ts';
import { expectBalanced, settledLedger } from '../harness/ledger-rows.ts';
import { audioBlob, formOf, postTo } from '../harness/operation-calls.ts';
import { responseReply as fullResponse, messageItem, responseUsage } from '../harness/response-replies.ts';
import { createToken, type MadeToken } from '../harness/token.ts';
import { until } from '../harness/until.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

/** The provider's own price list: nano-USD for one of each class. */
const rates: Readonly<Record<string, bigint>> = {
  input: 2_000n,
  'cache read': 200n,
  'cache write': 2_500n,
  'cache write 1 h': 4_000n,
  'input audio': 32_000n,
  'input image': 3_000n,
  'input video': 5_000n,
  'cached audio': 400n,
  'cached image': 300n,
  'cached video': 500n,
  output: 8_000n,
  thinking: 9_000n,
  'output audio': 64_000n,
  'output image': 40_000n,
  'output video': 50_000n,
  'web searches': 10_000_000n,
  requests: 5_000_000n,
};

/** The same as an operator writes it. */
const every = {
  ...{ input: 2, cache_read: 0.2, cache_write: 2.5, cache_write_1h: 4 },
  ...{ input_audio: 32, input_image: 3, input_video: 5, cached_audio: 0.4, cached_image: 0.3, cached_video: 0.5 },
  ...{ output: 8, thinking: 9, output_audio: 64, output_image: 40, output_video: 50 },
  ...{ web_searches: 10, request: 0.005 },
};

type Lines = Readonly<Record<string, number>>;

const costOf = (lines: Lines): bigint =>
  Object.entries(lines).reduce((sum, [name, quantity]) => sum + BigInt(quantity) * (rates[name] ?? 0n), 0n);

const details = (counts: Readonly<Record<string, number>>) =>
  Object.entries(counts).map(([modality, tokenCount]) => ({ modality, tokenCount }));

const chatReply = (usage: object, beside: Tree = {}, message: Tree = {}): Tree => ({
  ...{ id: 'c', object: 'chat.completion', created: 1, model: 'm' },
  choices: [
    { index: 0, message: { role: 'assistant', content: 'hi', ...message, refusal: null }, finish_reason: 'stop' },
  ],
  usage: { prompt_tokens: 1_000, completion_tokens: 500, total_tokens: 1_500, ...usage },
  ...beside,
});
const messageReply = (usage: object): Tree => ({
  ...{ id: 'm', type: 'message', role: 'assistant', model: 'm', stop_reason: 'end_turn', stop_sequence: null },
  content: [{ type: 'text', text: 'hi' }],
  usage,
});
const responseReply = (usage: object, beside: Tree = {}): Tree => ({
  ...fullResponse({
    output: [
      { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'q' } },
      messageItem('hi'),
    ],
    usage: { ...responseUsage(1_000, 500), ...usage },
  }),
  ...beside,
});
const contentReply = (usageMetadata: object, queries: readonly string[] = []): Tree => ({
  candidates: [
    {
      content: { role: 'model', parts: [{ text: 'hi' }] },
      finishReason: 'STOP',
      index: 0,
      ...(queries.length > 0 && { groundingMetadata: { webSearchQueries: queries } }),
    },
  ],
  usageMetadata,
  modelVersion: 'gemini-3-x',
});

interface Case {
  readonly name: string;
  readonly provider: 'chat' | 'messages' | 'responses' | 'content';
  readonly reply: Tree;
  readonly lines: Lines;
}

/** The usage that each format can report. */
const cases: readonly Case[] = [
  {
    name: 'chat-media',
    provider: 'chat',
    reply: chatReply({
      prompt_tokens_details: {
        ...{ cached_tokens: 300, audio_tokens: 200, image_tokens: 150, video_tokens: 100 },
        cached_tokens_details: { audio_tokens: 50, image_tokens: 40, video_tokens: 30 },
      },
      completion_tokens_details: {
        ...{ reasoning_tokens: 100, audio_tokens: 90, image_tokens: 80, video_tokens: 70 },
      },
    }),
    lines: {
      ...{ input: 370, 'cache read': 180, 'input audio': 150, 'input image': 110, 'input video': 70 },
      ...{ 'cached audio': 50, 'cached image': 40, 'cached video': 30 },
      ...{ output: 160, thinking: 100, 'output audio': 90, 'output image': 80, 'output video': 70, requests: 1 },
    },
  },
  {
    name: 'chat-searches',
    provider: 'chat',
    reply: chatReply({ num_search_queries: 3 }),
    lines: { input: 1_000, output: 500, 'web searches': 3, requests: 1 },
  },
  {
    name: 'messages-cache',
    provider: 'messages',
    reply: messageReply({
      ...{ input_tokens: 100, cache_creation_input_tokens: 700, cache_read_input_tokens: 200, output_tokens: 500 },
      cache_creation: { ephemeral_5m_input_tokens: 300, ephemeral_1h_input_tokens: 400 },
      output_tokens_details: { thinking_tokens: 120 },
      server_tool_use: { web_search_requests: 5, web_fetch_requests: 1 },
    }),
    lines: {
      ...{ input: 100, 'cache read': 200, 'cache write': 300, 'cache write 1 h': 400, output: 380, thinking: 120 },
      ...{ 'web searches': 5, requests: 1 },
    },
  },
  {
    name: 'responses-all',
    provider: 'responses',
    reply: responseReply({
      input_tokens_details: { cached_tokens: 250, cache_write_tokens: 0, image_tokens: 100 },
      output_tokens_details: { reasoning_tokens: 200 },
    }),
    lines: {
      ...{ input: 650, 'cache read': 250, 'input image': 100, output: 300, thinking: 200 },
      ...{ 'web searches': 1, requests: 1 },
    },
  },
  {
    name: 'content-modalities',
    provider: 'content',
    reply: contentReply(
      {
        ...{ promptTokenCount: 900, toolUsePromptTokenCount: 100, cachedContentTokenCount: 300 },
        ...{ candidatesTokenCount: 400, thoughtsTokenCount: 100, totalTokenCount: 1_500 },
        promptTokensDetails: details({ TEXT: 300, AUDIO: 200, IMAGE: 150, VIDEO: 200, DOCUMENT: 50 }),
        cacheTokensDetails: details({ TEXT: 100, AUDIO: 60, IMAGE: 40, VIDEO: 100 }),
        candidatesTokensDetails: details({ TEXT: 100, AUDIO: 90, IMAGE: 160, VIDEO: 50 }),
      },
      ['a', 'b'],
    ),
    lines: {
      ...{ input: 350, 'cache read': 100, 'input audio': 140, 'input image': 110, 'input video': 100 },
      ...{ 'cached audio': 60, 'cached image': 40, 'cached video': 100 },
      ...{ output: 100, thinking: 100, 'output audio': 90, 'output image': 160, 'output video': 50 },
      ...{ 'web searches': 2, requests: 1 },
    },
  },
];

const chatBody = { messages: [{ role: 'user', content: 'hello' }], max_tokens: 600 };
const requestOf = {
  chat: (model: string) => ['/chat/completions', { model, ...chatBody }] as const,
  messages: (model: string) => ['/messages', { model, ...chatBody }] as const,
  responses: (model: string) => ['/responses', { model, input: 'hello', max_output_tokens: 600 }] as const,
  content: (model: string) =>
    [`beta/models/${model}:generateContent`, { contents: [{ role: 'user', parts: [{ text: 'hello' }] }] }] as const,
};

let provider: InvoicingProvider;
let videos: ReturnType<typeof startVideos>;
let weir: RunningWeir;
let owner: ConsoleClient;
let token: MadeToken;

/** Creates a video of four seconds at once, in the requested size. */
function startVideos() {
  const sizes = new Map<string, string>();
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const path = new URL(request.url).pathname;
      if (request.method === 'POST') {
        const size = String((await request.formData()).get('size'));
        const id = `vid_${sizes.size}`;
        sizes.set(id, size);
        return Response.json({ id, object: 'video', status: 'queued', size, seconds: '4' });
      }
      const [id = ''] = /vid_\d+/.exec(path) ?? [];
      if (path.endsWith('/content')) {
        const file = Buffer.concat([
          Buffer.from([0, 0, 0, 24]),
          Buffer.from('ftypmp42\0\0\0\0mp42isom'),
          Buffer.alloc(64),
        ]);
        return new Response(file, { headers: { 'content-type': 'video/mp4' } });
      }
      return Response.json({ id, object: 'video', status: 'completed', size: sizes.get(id), seconds: '4' });
    },
  });
  return { origin: `http://127.0.0.1:${server.port}`, stop: () => server.stop(true) };
}

beforeAll(async () => {
  provider = startInvoicingProvider();
  videos = startVideos();
  for (const { name, reply, lines } of cases) provider.put(name, { whole: reply, nano: costOf(lines) });
  const place = { base_url: `${provider.origin}/v1`, key: 'k' };
  const of = (kind: Case['provider']) => cases.filter((one) => one.provider === kind).map(({ name }) => name);
  const models = ['tiered', 'long', 'by-kind', 'by-size', 'transcripts', 'transcripts-tokens', 'spoken', 'ranked'];
  weir = await startWeir({
    yaml: {
      tasks: { ask_every_ms: 100 },
      providers: {
        chat: { kind: 'openai-chat', ...place, models: [...of('chat'), ...models] },
        messages: { kind: 'anthropic', ...place, models: of('messages') },
        responses: { kind: 'openai-responses', ...place, models: of('responses') },
        content: { kind: 'gemini', base_url: `${provider.origin}/v1beta`, key: 'k', models: of('content') },
        films: { kind: 'litellm', base_url: `${videos.origin}/v1`, key: 'k', models: ['sora-2-pro'] },
      },
      prices: {
        ...Object.fromEntries(cases.map(({ name }) => [name, every])),
        tiered: {
          ...{ input: 2, output: 8, cache_read: 0.2 },
          service_tiers: { flex: { input: 1, output: 4 }, priority: { input: 4, output: 16, cache_read: 0.4 } },
        },
        long: { input: 2, output: 8, cache_read: 0.2, above: { 500: { input: 4, output: 12 }, 2000: { input: 6 } } },
        'by-*': { image: 0.05, images: { 'high/1024x1024': 0.133, low: 0.01, '256x256': 0.02 } },
        transcripts: { minute: 0.006 },
        'transcripts-tokens': { input: 2.5, input_audio: 6, output: 10 },
        spoken: { characters: 15 },
        ranked: { searches: 2 },
        'sora-2-pro': { video_second: 0.5, video_seconds: { '720p': 0.3, '1080p': 0.7 } },
      },
    },
  });
  owner = await ownerOf(weir);
  token = await createToken(weir);
}, 300_000);

afterAll(async () => {
  await weir?.remove();
  await Promise.all([provider?.stop(), videos?.stop()]);
});

/** The request's detail in the console once its row is written. */
async function detailOf(requestId: string): Promise<RequestDetailView> {
  let reply: { readonly status: number; readonly body: unknown } = { status: 0, body: undefined };
  await until(async () => {
    reply = await owner.get(`/usage/requests/${requestId}`);
    return reply.status === 200 && (reply.body as RequestDetailView).row !== undefined;
  });
  return reply.body as RequestDetailView;
}

/** Sends it, and returns the charge and its cost lines. */
async function ask(
  path: string,
  body: unknown,
): Promise<{ readonly nano: string; readonly lines: object; readonly estimated: boolean }> {
  const base = path.startsWith('/') ? token : { ...token, base: `${weir.base}` };
  const reply = await postTo(base, path, body);
  const text = await reply.text();
  if (reply.status !== 200) throw new Error(`${path}: ${reply.status} ${text}`);
  return chargeOf(reply.headers.get('x-request-id') ?? '');
}

async function chargeOf(requestId: string) {
  const { row, costLines = [] } = await detailOf(requestId);
  const lines = Object.fromEntries(costLines.map(({ class: name, quantity }) => [name, quantity]));
  return { nano: row?.costNano ?? '', lines, estimated: row?.estimated ?? true };
}

describe.each(cases)('$name', ({ name, provider: format, lines }) => {
  const expected = { nano: String(costOf(lines)), lines, estimated: false };

  test('is charged and listed class by class in its own format', async () => {
    const [path, body] = requestOf[format](name);
    expect(await ask(path, body)).toEqual(expected);
  });

  test.each(['chat', 'messages', 'responses', 'content'] as const)('and requested as %s', async (asked) => {
    const [path, body] = requestOf[asked](name);
    expect(await ask(path, body)).toEqual(expected);
  });
});

describe('service tiers', () => {
  const usage = { prompt_tokens_details: { cached_tokens: 400 } };

  test.each([
    ['default', 600n * 2_000n + 400n * 200n + 500n * 8_000n],
    ['flex', 600n * 1_000n + 400n * 200n + 500n * 4_000n],
    ['priority', 600n * 4_000n + 400n * 400n + 500n * 16_000n],
  ] as const)('%s is charged where the provider says that it served it', async (tier, nano) => {
    provider.put('tiered', { whole: chatReply(usage, { service_tier: tier }), nano });
    const [path, body] = requestOf.chat('tiered');
    expect((await ask(path, body)).nano).toBe(String(nano));
  });
});

test('long contexts cost more for the whole request, from the threshold on', async () => {
  const [path, body] = requestOf.chat('long');
  const charged = async (prompt: number, cached: number): Promise<string> => {
    const usage = {
      prompt_tokens: prompt,
      total_tokens: prompt + 500,
      prompt_tokens_details: { cached_tokens: cached },
    };
    provider.put('long', { whole: chatReply(usage), nano: 0n });
    return (await ask(path, body)).nano;
  };
  expect(await charged(500, 0)).toBe(String(500n * 2_000n + 500n * 8_000n));
  expect(await charged(501, 100)).toBe(String(401n * 4_000n + 100n * 200n + 500n * 12_000n));
  expect(await charged(2_001, 0)).toBe(String(2_001n * 6_000n + 500n * 12_000n));
});

describe('other operations', () => {
  const image = { b64_json: 'iVBORw0KGgo=' };

  test('images cost what their quality and size cost, by the reply, by the request, or the general price', async () => {
    const charged = async (model: string, asked: Tree, beside: Tree = {}): Promise<[string, object]> => {
      provider.put(model, { whole: { created: 1, data: [image, image], ...beside }, nano: 0n });
      const { nano, lines } = await ask('/images/generations', { model, prompt: 'p', n: 2, ...asked });
      return [nano, lines];
    };
    const two = { images: 2 };
    expect(await charged('by-kind', { quality: 'high', size: '1024x1024' })).toEqual(['266000000', two]);
    expect(await charged('by-kind', { quality: 'auto' }, { quality: 'high', size: '1024x1024' })).toEqual([
      '266000000',
      two,
    ]);
    expect(await charged('by-kind', { quality: 'high' }, { quality: 'low', size: '1024x1024' })).toEqual([
      '20000000',
      two,
    ]);
    expect(await charged('by-size', { size: '256x256' })).toEqual(['40000000', two]);
    expect(await charged('by-size', { quality: 'medium', size: '512x512' })).toEqual(['100000000', two]);
  });

  test('audio costs its seconds, or its tokens apart from those of the prompt', async () => {
    provider.put('transcripts', { whole: { text: 'hi', usage: { type: 'duration', seconds: 90 } }, nano: 9_000_000n });
    const form = () => formOf({ model: 'transcripts', file: audioBlob() });
    expect(await ask('/audio/transcriptions', form())).toEqual({
      nano: '9000000',
      lines: { seconds: 90 },
      estimated: false,
    });
    const usage = {
      ...{ type: 'tokens', input_tokens: 120, output_tokens: 30, total_tokens: 150 },
      input_token_details: { text_tokens: 20, audio_tokens: 100 },
    };
    provider.put('transcripts-tokens', {
      whole: { text: 'hi', usage },
      nano: 20n * 2_500n + 100n * 6_000n + 30n * 10_000n,
    });
    const charged = await ask('/audio/transcriptions', formOf({ model: 'transcripts-tokens', file: audioBlob() }));
    expect(charged).toEqual({ nano: '950000', lines: { input: 20, 'input audio': 100, output: 30 }, estimated: false });
  });

  test('speech costs its characters and ranking its searches', async () => {
    provider.put('ranked', {
      whole: { results: [{ index: 0, relevance_score: 1 }], meta: { billed_units: { search_units: 3 } } },
      nano: 6_000_000n,
    });
    const ranked = await ask('/rerank', { model: 'ranked', query: 'q', documents: ['d'] });
    expect(ranked).toEqual({ nano: '6000000', lines: { searches: 3 }, estimated: false });
    provider.put('spoken', { bytes: Buffer.from('ID3 speech'), nano: 7n * 15_000n });
    const spoken = await ask('/audio/speech', { model: 'spoken', input: 'sieben!', voice: 'alloy' });
    expect(spoken).toEqual({ nano: '105000', lines: { characters: 7 }, estimated: false });
  });

  test('video costs its seconds at its resolution, or the general price if that has none', async () => {
    const charged = async (size: string): Promise<[string, object]> => {
      const reply = await postTo(token, '/videos', formOf({ model: 'sora-2-pro', prompt: 'p', seconds: '4', size }));
      const text = await reply.text();
      if (reply.status !== 200) throw new Error(text);
      const { nano, lines } = await chargeOf(reply.headers.get('x-request-id') ?? '');
      return [nano, lines];
    };
    expect(await charged('1280x720')).toEqual(['1200000000', { 'video seconds': 4, videos: 1 }]);
    expect(await charged('1920x1080')).toEqual(['2800000000', { 'video seconds': 4, videos: 1 }]);
    expect(await charged('1792x1024')).toEqual(['2800000000', { 'video seconds': 4, videos: 1 }]);
  });
});

test('the ledger balances, and the provider invoiced what was charged for every conversation', async () => {
  const ledger = await settledLedger(weir);
  expectBalanced(ledger);
  for (const { name } of cases) {
    const attempts = ledger.attempts.filter((attempt) => attempt.model === name);
    const charged = attempts.reduce((sum, { costNano }) => sum + (costNano ?? 0n), 0n);
    const invoiced = (provider.invoice.get(name) ?? []).reduce((sum, nano) => sum + nano, 0n);
    expect([name, charged]).toEqual([name, invoiced]);
    expect(invoiced).toBeGreaterThan(0n);
  }
});

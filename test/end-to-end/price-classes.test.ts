/** Price classes beside plain tokens, by the bundled table: the provider's invoice, Weir's ledger and budgets. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type InvoicingProvider, startInvoicingProvider } from '../harness/invoicing-provider.ts';
import { expectBalanced, settledLedger, totalCostNano } from '../harness/ledger-rows.ts';
import { audioBlob, formOf, postTo } from '../harness/operation-calls.ts';
import { createToken, type MadeToken } from '../harness/token.ts';
import { until } from '../harness/until.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** Image models: tokens of the image and of the prompt, nano-USD for one of each, and the price in USD. */
const imageModels = [
  { model: 'gemini-2.5-flash-image', tokens: 1_290, rate: 30_000n, prompt: 10, promptRate: 300n, usd: '0.0387' },
  {
    model: 'gemini-3.1-flash-image-preview',
    tokens: 1_290,
    rate: 60_000n,
    prompt: 10,
    promptRate: 500n,
    usd: '0.0774',
  },
  { model: 'gemini-3-pro-image-preview', tokens: 1_290, rate: 120_000n, prompt: 10, promptRate: 2_000n, usd: '0.1548' },
  { model: 'gpt-image-1.5', tokens: 4_160, rate: 32_000n, prompt: 50, promptRate: 5_000n, usd: '0.1334' },
] as const;
type ImageModel = (typeof imageModels)[number];

const nanoOf = ({ tokens, rate, prompt, promptRate }: ImageModel): bigint =>
  BigInt(tokens) * rate + BigInt(prompt) * promptRate;

function drawn({ model, tokens, prompt }: ImageModel): Readonly<Record<string, unknown>> {
  if (model.startsWith('gpt')) {
    const details = { text_tokens: prompt, image_tokens: 0 };
    const usage = {
      input_tokens: prompt,
      output_tokens: tokens,
      total_tokens: prompt + tokens,
      input_tokens_details: details,
    };
    return { created: 1, data: [{ b64_json: pixel }], usage };
  }
  return {
    candidates: [
      {
        content: { role: 'model', parts: [{ inlineData: { mimeType: 'image/png', data: pixel } }] },
        finishReason: 'STOP',
      },
    ],
    usageMetadata: {
      promptTokenCount: prompt,
      candidatesTokenCount: tokens,
      totalTokenCount: prompt + tokens,
      candidatesTokensDetails: [{ modality: 'IMAGE', tokenCount: tokens }],
    },
    modelVersion: model,
  };
}

const claude = 'claude-opus-4-5';
const claudeUsage = {
  input_tokens: 50,
  cache_creation_input_tokens: 1_000_000,
  cache_read_input_tokens: 0,
  cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 1_000_000 },
  output_tokens: 20,
  server_tool_use: { web_search_requests: 5, web_fetch_requests: 0 },
  service_tier: 'standard',
};
/** 1 M written for an hour at 10 USD, 50 read at 5, 20 written at 25, 5 searches at 10 a thousand. */
const claudeNano = 10_000_000_000n + 50n * 5_000n + 20n * 25_000n + 5n * 10_000_000n;
const message = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: claude,
  content: [{ type: 'text', text: 'found' }],
  stop_reason: 'end_turn',
  stop_sequence: null,
};
const { server_tool_use: searches, output_tokens: written, ...began } = claudeUsage;
const messageEvents = [
  {
    type: 'message_start',
    message: { ...message, content: [], stop_reason: null, usage: { ...began, output_tokens: 1 } },
  },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'found' } },
  { type: 'content_block_stop', index: 0 },
  {
    type: 'message_delta',
    delta: { stop_reason: 'end_turn', stop_sequence: null },
    usage: { output_tokens: written, server_tool_use: searches },
  },
  { type: 'message_stop' },
];

let provider: InvoicingProvider;
let weir: RunningWeir;

beforeAll(async () => {
  provider = startInvoicingProvider();
  for (const imageModel of imageModels)
    provider.put(imageModel.model, { whole: drawn(imageModel), nano: nanoOf(imageModel) });
  provider.put(claude, { whole: { ...message, usage: claudeUsage }, events: messageEvents, nano: claudeNano });
  const duration = { text: 'hello', duration: 90.5, language: 'english', segments: [] };
  provider.put('whisper-1', { whole: duration, nano: 9_050_000n });
  weir = await startWeir({
    yaml: {
      providers: {
        gemini: {
          kind: 'gemini',
          base_url: `${provider.origin}/v1beta`,
          key: 'k',
          models: imageModels.slice(0, 3).map(({ model }) => model),
        },
        openai: { kind: 'openai', base_url: `${provider.origin}/v1`, key: 'k', models: ['gpt-image-1.5', 'whisper-1'] },
        anthropic: { kind: 'anthropic', base_url: `${provider.origin}/v1`, key: 'k', models: [claude] },
      },
    },
  });
}, 300_000);

afterAll(async () => {
  await weir?.remove();
  await provider?.stop();
});

const costUsd = (reply: Response): string | null => reply.headers.get('x-weir-cost-usd');
const invoiced = (model: string): readonly bigint[] => provider.invoice.get(model) ?? [];
const toUsd = (nano: bigint): string => (Number(nano) / 1e9).toFixed(9).replace(/0+$/, '');

/** The rows of a token once so many are there, none of them estimated. */
async function rowsOf(token: MadeToken, requests: number) {
  const own = async () => (await settledLedger(weir)).usage.filter((row) => row.tokenId === token.id);
  await until(async () => (await own()).length >= requests);
  const ledger = await settledLedger(weir);
  expectBalanced(ledger);
  return own();
}

describe.each(imageModels)('an image by $model', (imageModel) => {
  const ask = (token: MadeToken) =>
    postTo(token, '/images/generations', {
      model: imageModel.model,
      prompt: 'a boat',
      size: '1024x1024',
      quality: 'high',
    });
  const price = nanoOf(imageModel);

  test(`costs ${imageModel.usd}`, async () => {
    const token = await createToken(weir);
    const before = invoiced(imageModel.model).length;
    const reply = await ask(token);
    expect(reply.status).toBe(200);
    await reply.text();
    expect(Number(costUsd(reply)).toFixed(4)).toBe(imageModel.usd);
    expect(costUsd(reply)).toBe(toUsd(price));
    expect(invoiced(imageModel.model).slice(before)).toEqual([price]);
    const rows = await rowsOf(token, 1);
    expect(rows.map(({ costNano, estimated }) => [costNano, estimated])).toEqual([[price, false]]);
  });

  test('half a dollar buys exactly its number of images, in sequence', async () => {
    const token = await createToken(weir, '--budget-usd', '0.50', '--budget-period', 'total');
    let made = 0;
    for (; made < 50; made += 1) {
      const reply = await ask(token);
      await reply.text();
      if (reply.status === 402) break;
      expect(reply.status).toBe(200);
    }
    const buys = Number(500_000_000n / price);
    expect(made).toBeLessThanOrEqual(buys);
    // The last ones may not fit into what is left: their text could cost more than they do.
    expect(made).toBeGreaterThanOrEqual(buys - 1);
    const rows = await rowsOf(token, made + 1);
    expect(totalCostNano(rows)).toBe(BigInt(made) * price);
  });

  test('40 requests at once get no more than that', async () => {
    const token = await createToken(weir, '--budget-usd', '0.50', '--budget-period', 'total');
    const before = invoiced(imageModel.model).length;
    const statuses = await Promise.all(
      Array.from({ length: 40 }, async () => {
        const reply = await ask(token);
        await reply.text();
        return reply.status;
      }),
    );
    const made = statuses.filter((status) => status === 200).length;
    expect(statuses.filter((status) => status === 402).length).toBe(40 - made);
    expect(made).toBeGreaterThanOrEqual(1);
    expect(BigInt(made) * price).toBeLessThanOrEqual(500_000_000n);
    expect(invoiced(imageModel.model).length - before).toBe(made);
    expect(totalCostNano(await rowsOf(token, 40))).toBe(BigInt(made) * price);
  });
});

describe('a conversation with a model that answers with images', () => {
  test.each([
    '/chat/completions',
    '/messages',
  ])('costs the price of its image and fits into small budgets, by %s', async (path) => {
    for (const imageModel of imageModels.slice(0, 3)) {
      const token = await createToken(weir, '--budget-usd', '0.50', '--budget-period', 'total');
      const limit = imageModel.model.includes('pro') ? { max_tokens: 2_000 } : { max_tokens: 8_000 };
      const messages = [{ role: 'user', content: 'draw a boat' }];
      let made = 0;
      for (; made < 50; made += 1) {
        const reply = await postTo(token, path, { model: imageModel.model, messages, ...limit });
        await reply.text();
        if (reply.status === 402) break;
        expect(reply.status).toBe(200);
      }
      expect(made).toBeGreaterThanOrEqual(1);
      const rows = await rowsOf(token, made + 1);
      expect(totalCostNano(rows)).toBe(BigInt(made) * nanoOf(imageModel));
      expect(totalCostNano(rows)).toBeLessThanOrEqual(500_000_000n);
    }
  });
});

describe('a conversation with Claude that wrote to the cache for an hour and searched five times', () => {
  const body = {
    model: claude,
    max_tokens: 100,
    messages: [{ role: 'user', content: 'What is new?' }],
    tools: [{ type: 'web_search_20250305', name: 'web_search', max_uses: 5 }],
  };

  test.each([false, true])('costs 10.05075, streamed: %p', async (stream) => {
    const token = await createToken(weir);
    const reply = await postTo(token, '/messages', { ...body, stream });
    expect(reply.status).toBe(200);
    const text = await reply.text();
    if (!stream) expect(JSON.parse(text).usage).toEqual(claudeUsage);
    const [row] = await rowsOf(token, 1);
    expect([row?.costNano, row?.estimated]).toEqual([claudeNano, false]);
    expect(toUsd(claudeNano)).toBe('10.05075');
  });

  test('costs the same translated, whole and streamed', async () => {
    for (const stream of [false, true]) {
      const token = await createToken(weir);
      const reply = await postTo(token, '/chat/completions', {
        model: claude,
        max_tokens: 100,
        messages: body.messages,
        web_search_options: {},
        ...(stream && { stream, stream_options: { include_usage: true } }),
      });
      expect(reply.status).toBe(200);
      await reply.text();
      const [row] = await rowsOf(token, 1);
      expect([stream, row?.costNano, row?.estimated]).toEqual([stream, claudeNano, false]);
    }
  });
});

describe('whisper-1', () => {
  test('costs its minutes, which are in the reply', async () => {
    const token = await createToken(weir);
    const reply = await postTo(
      token,
      '/audio/transcriptions',
      formOf({ model: 'whisper-1', file: audioBlob(), response_format: 'verbose_json' }),
    );
    expect(reply.status).toBe(200);
    await reply.text();
    expect(costUsd(reply)).toBe('0.00905');
    const [row] = await rowsOf(token, 1);
    expect([row?.costNano, row?.estimated]).toEqual([9_050_000n, false]);
  });

  test('costs an estimate by the length of the file if the reply has no usage, and is marked', async () => {
    provider.put('whisper-1', { whole: { text: 'hello' }, nano: 100_000n });
    const token = await createToken(weir);
    const reply = await postTo(token, '/audio/transcriptions', formOf({ model: 'whisper-1', file: audioBlob() }));
    expect(reply.status).toBe(200);
    await reply.text();
    const [row] = await rowsOf(token, 1);
    expect(row?.estimated).toBe(true);
    expect(row?.costNano).toBeGreaterThan(0n);
  });
});

/** Streams that end without final usage cost what was written, in every format and through both lanes. */

import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import { settledLedger, type UsageRow } from '../harness/ledger-rows.ts';
import { startMeteredUpstream } from '../harness/metered-upstream.ts';
import { until } from '../harness/until.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

const upstream = startMeteredUpstream();
const words = 300;
const inputTokens = 5_000;
let weir: RunningWeir;

beforeAll(async () => {
  const provider = (kind: string) => ({ kind, base_url: upstream.base, key: 'sk-upstream', models: [`at-${kind}`] });
  const kinds = ['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini-generate'];
  weir = await startWeir({
    yaml: {
      providers: Object.fromEntries(kinds.map((kind) => [`p-${kind}`, provider(kind)])),
      prices: { '*': { input: 1, output: 1 } },
      clocks: { read_on_ms: 1_000 },
      // The provider tells nothing of what runs in the background.
      tasks: { ask_every_ms: 50, deadline_ms: 300 },
    },
  });
});
afterAll(async () => {
  await weir.remove();
  await upstream.stop();
});
beforeEach(() => upstream.reset());

/** The client's path and body, for a model of the named format. */
const asks: Readonly<Record<string, (model: string) => readonly [string, object]>> = {
  chat: (model) => ['/v1/chat/completions', { model, stream: true, messages: [{ role: 'user', content: 'hi' }] }],
  completions: (model) => ['/v1/completions', { model, stream: true, prompt: 'hi' }],
  messages: (model) => [
    '/v1/messages',
    { model, stream: true, max_tokens: 9_000, messages: [{ role: 'user', content: 'hi' }] },
  ],
  responses: (model) => ['/v1/responses', { model, stream: true, input: 'hi' }],
  generate: (model) => [
    `/v1beta/models/${model}:streamGenerateContent?alt=sse`,
    { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] },
  ],
};

async function call([path, body]: readonly [string, object]): Promise<Response> {
  return fetch(`${weir.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${weir.token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

async function rowOf(reply: Response): Promise<UsageRow> {
  const id = reply.headers.get('x-request-id');
  let row: UsageRow | undefined;
  await until(async () => {
    row = (await settledLedger(weir)).usage.find(({ requestId }) => requestId === id);
    return row !== undefined;
  });
  if (row === undefined) throw new Error('no usage row');
  return row;
}

const pairs = [
  ['chat', 'openai-chat'],
  ['completions', 'openai-chat'],
  ['responses', 'openai-responses'],
  ['messages', 'anthropic-messages'],
  ['generate', 'gemini-generate'],
  ['chat', 'anthropic-messages'],
  ['chat', 'gemini-generate'],
  ['messages', 'openai-chat'],
  ['generate', 'anthropic-messages'],
] as const;

/** Only messages report input tokens before the end. */
function expectWritten(row: UsageRow, format: string): void {
  expect(row.estimated).toBe(true);
  expect(row.outputTotal).toBeGreaterThanOrEqual(words);
  expect(row.outputTotal).toBeLessThanOrEqual(words * 1.1);
  if (format === 'anthropic-messages') expect(row.inputTotal).toBe(inputTokens);
  expect(row.costNano).toBe(BigInt((row.inputTotal ?? 0) + (row.outputTotal ?? 0)) * 1_000n);
}

test.each(pairs)('%s at %s: a provider that cuts the stream', async (client, format) => {
  upstream.play({ inputTokens, words, ending: 'cut' });
  const reply = await call(asks[client]?.(`at-${format}`) ?? ['', {}]);
  await reply.text();
  const row = await rowOf(reply);
  expect(row.code).toBe('upstream_failed');
  expectWritten(row, format);
});

test.each([
  ['chat', 'openai-chat'],
  ['messages', 'anthropic-messages'],
  ['chat', 'anthropic-messages'],
] as const)('%s at %s: a client that disconnects', async (client, format) => {
  upstream.play({ inputTokens, words, ending: 'hang' });
  const reply = await call(asks[client]?.(`at-${format}`) ?? ['', {}]);
  const reader = reply.body?.getReader();
  let seen = '';
  while (seen.split(' the').length <= words) {
    const { value } = (await reader?.read()) ?? {};
    seen += new TextDecoder().decode(value);
  }
  await reader?.cancel();
  const row = await rowOf(reply);
  expect(row.code).toBe('client_left');
  expectWritten(row, format);
});

test.each([
  ['chat', 'openai-chat'],
  ['generate', 'gemini-generate'],
] as const)('running usage of %s is not taken for the total', async (client, format) => {
  upstream.play({ inputTokens, words, ending: 'cut', runningUsage: true });
  const reply = await call(asks[client]?.(`at-${format}`) ?? ['', {}]);
  await reply.text();
  const row = await rowOf(reply);
  // The last running count is half of what was written; the input is exact.
  expect([row.estimated, row.inputTotal]).toEqual([true, inputTokens]);
  expect(row.outputTotal).toBeGreaterThanOrEqual(words);
});

test.each(pairs)('a whole stream of %s at %s is charged as reported', async (client, format) => {
  upstream.play({ inputTokens, outputTokens: 777, words, ending: 'whole', runningUsage: true });
  const reply = await call(asks[client]?.(`at-${format}`) ?? ['', {}]);
  await reply.text();
  const row = await rowOf(reply);
  expect([row.estimated, row.inputTotal, row.outputTotal, row.code]).toEqual([false, inputTokens, 777, '']);
});

test('background work without a reported usage costs its reservation', async () => {
  const body = { model: 'at-openai-responses', input: 'hi', max_output_tokens: 500, background: true };
  const reply = await call(['/v1/responses', body]);
  expect(reply.status).toBe(200);
  await reply.text();
  const row = await rowOf(reply);
  expect([row.estimated, row.outputTotal, row.inputTotal]).toEqual([true, 500, JSON.stringify(body).length]);
  upstream.play({ inputTokens, words: 3, ending: 'cut' });
  const broken = await call(['/v1/responses', { ...body, stream: true }]);
  await broken.text();
  expect(await rowOf(broken)).toMatchObject({ estimated: true, outputTotal: 500 });
  upstream.play({ inputTokens, outputTokens: 7, words: 3, ending: 'whole' });
  const whole = await call(['/v1/responses', { ...body, stream: true }]);
  await whole.text();
  expect(await rowOf(whole)).toMatchObject({ estimated: false, outputTotal: 7 });
});

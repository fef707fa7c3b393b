/** Money and broken streams in every client format, translated for one provider with its own invoice. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { costNanoOf } from '../fake-upstream/invoice.ts';
import { type Script, scriptText } from '../fake-upstream/script.ts';
import { expectBalanced, settledLedger, totalCostNano } from '../harness/ledger-rows.ts';
import { sized } from '../harness/size.ts';
import { createToken } from '../harness/token.ts';
import { until } from '../harness/until.ts';
import { type RunningUpstream, startUpstream } from '../harness/upstream.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

const crowd = sized(60, 150);
let upstream: RunningUpstream;
let weir: RunningWeir;
beforeAll(async () => {
  upstream = await startUpstream();
  weir = await startWeir({
    yaml: {
      providers: {
        up: { kind: 'openai-chat', base_url: upstream.base, key: 'sk-upstream', models: ['gpt-4.1', 'output-only'] },
      },
      prices: { 'output-only': { input: 0, output: 8 }, 'gpt-4.1': { input: 2, output: 8 } },
      clocks: { idle_timeout_ms: 4_000, read_on_ms: 0 },
    },
  });
});
afterAll(async () => {
  await weir.remove();
  await upstream.stop();
});

interface Client {
  readonly name: string;
  path(model: string, stream: boolean): string;
  body(model: string, text: string, tokens: number, stream: boolean): object;
  /** The event that reports a broken stream. */
  readonly error: RegExp;
  /** Events that only a complete stream may have. */
  readonly terminal: RegExp;
}

const clients: readonly Client[] = [
  {
    name: 'completions',
    path: () => '/v1/completions',
    body: (model, prompt, max_tokens, stream) => ({ model, prompt, max_tokens, stream }),
    error: /^data: \{"error":/m,
    terminal: /\[DONE\]|"finish_reason":"(stop|length)"/,
  },
  {
    name: 'responses',
    path: () => '/v1/responses',
    body: (model, input, max_output_tokens, stream) => ({ model, input, max_output_tokens, stream }),
    error: /^event: response\.failed$/m,
    terminal: /response\.(completed|incomplete)/,
  },
  {
    name: 'messages',
    path: () => '/v1/messages',
    body: (model, content, max_tokens, stream) => ({
      model,
      max_tokens,
      stream,
      messages: [{ role: 'user', content }],
    }),
    error: /^event: error$/m,
    terminal: /message_stop/,
  },
  {
    name: 'generate-content',
    path: (model, stream) =>
      stream ? `/v1beta/models/${model}:streamGenerateContent?alt=sse` : `/v1beta/models/${model}:generateContent`,
    body: (_model, text, maxOutputTokens) => ({
      contents: [{ role: 'user', parts: [{ text }] }],
      generationConfig: { maxOutputTokens },
    }),
    error: /^data: \{"error":\{"code":\d+/m,
    terminal: /finishReason/,
  },
];

function send(client: Client, token: string, script: Script, model: string, stream: boolean, tokens = 10) {
  return fetch(weir.url + client.path(model, stream), {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(client.body(model, scriptText(script), tokens, stream)),
  });
}

async function expectError(client: Client, script: Script): Promise<void> {
  const reply = await send(client, weir.token, script, 'gpt-4.1', true, 100);
  expect(reply.status).toBe(200);
  const text = await reply.text();
  expect(text).toMatch(client.error);
  expect(text.replace(/event: response\.failed[\s\S]*/, '')).not.toMatch(client.terminal);
}

test('a stream that stalls is an error in every format, never an end', async () => {
  await Promise.all(clients.map((client) => expectError(client, { deltas: 20, cut: { after: 5, how: 'stall' } })));
});

describe.each(clients.map((client) => [client.name, client] as const))('%s', (_name, client) => {
  test.each([
    false,
    true,
  ])(`a budget for 37 calls under ${crowd} clients admits exactly 37 (stream: %p)`, async (stream) => {
    await upstream.reset();
    const nanoEach = 10n * 8_000n;
    const usd = `${Number(nanoEach * 37n) / 1e9}`;
    const token = await createToken(weir, '--budget-usd', usd, '--budget-period', 'total');
    const replies = await Promise.all(
      Array.from({ length: crowd }, async () => {
        const reply = await send(client, token.token, { deltas: 10 }, 'output-only', stream);
        await reply.text();
        return reply.status;
      }),
    );
    const count = (status: number) => replies.filter((one) => one === status).length;
    expect([count(200), count(402)]).toEqual([37, crowd - 37]);
    expect((await upstream.invoice()).length).toBe(37);
    const ledger = await settledLedger(weir);
    expectBalanced(ledger);
    expect(totalCostNano(ledger.usage.filter((row) => row.tokenId === token.id))).toBe(nanoEach * 37n);
  });

  test.each([false, true])('the reported usage is charged (stream: %p)', async (stream) => {
    await upstream.reset();
    const token = await createToken(weir);
    const reply = await send(client, token.token, { nonce: 'n', deltas: 20 }, 'gpt-4.1', stream, 100);
    expect(reply.status).toBe(200);
    await reply.text();
    await until(async () => (await settledLedger(weir)).usage.some((row) => row.tokenId === token.id));
    const [row] = (await settledLedger(weir)).usage.filter((one) => one.tokenId === token.id);
    const { reported } = await upstream.entry('n');
    if (reported === undefined || row === undefined) throw new Error('nothing was reported');
    expect([row.costNano, row.estimated]).toEqual([costNanoOf(reported), false]);
  });

  test.each(['end', 'reset', 'truncate'] as const)('a stream cut by %s is an error, never an end', (how) =>
    expectError(client, { deltas: 20, cut: { after: 5, how } }));

  test('a failure before the first event is a status, not a stream', async () => {
    const refused = await send(
      client,
      weir.token,
      { status: 400, body: '{"error":{"message":"no such tool"}}' },
      'gpt-4.1',
      true,
    );
    expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining('no such tool')]);
    const first = await send(client, weir.token, { errorFirst: true }, 'gpt-4.1', true);
    expect(first.status).toBeGreaterThanOrEqual(500);
    expect(first.headers.get('content-type')).toContain('application/json');
  });

  test('a client that disconnects ends the provider’s request and is charged for what was relayed', async () => {
    await upstream.reset();
    const token = await createToken(weir);
    const abort = new AbortController();
    const reply = await fetch(weir.url + client.path('gpt-4.1', true), {
      method: 'POST',
      signal: abort.signal,
      headers: { authorization: `Bearer ${token.token}`, 'content-type': 'application/json' },
      body: JSON.stringify(client.body('gpt-4.1', scriptText({ deltas: 500, paceMs: 10 }), 1_000, true)),
    });
    const reader = reply.body?.getReader();
    await reader?.read();
    abort.abort();
    await until(async () => (await settledLedger(weir)).usage.some((row) => row.tokenId === token.id));
    const ledger = await settledLedger(weir);
    const rows = ledger.usage.filter((row) => row.tokenId === token.id);
    expect(rows.map((row) => row.code)).toEqual(['client_left']);
    expectBalanced(ledger);
  });
});

test('a stream as a JSON array is one array, also if it breaks', async () => {
  const ask = async (script: Script): Promise<unknown[]> => {
    const reply = await fetch(`${weir.url}/v1beta/models/gpt-4.1:streamGenerateContent`, {
      method: 'POST',
      headers: { 'x-goog-api-key': weir.token, 'content-type': 'application/json' },
      body: JSON.stringify({ contents: [{ role: 'user', parts: [{ text: scriptText(script) }] }] }),
    });
    expect(reply.headers.get('content-type')).toContain('application/json');
    return (await reply.json()) as unknown[];
  };
  const whole = await ask({ deltas: 8 });
  expect(whole.length).toBeGreaterThanOrEqual(8);
  expect(JSON.stringify(whole.at(-1))).toContain('finishReason');
  const cut = await ask({ deltas: 8, cut: { after: 3, how: 'reset' } });
  expect(cut.at(-1)).toMatchObject({ error: { code: expect.any(Number) } });
});

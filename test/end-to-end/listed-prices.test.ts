/** A provider's own list of models is used for charges and shown: prices, sizes, and shutdown dates. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readLedger } from '../harness/ledger-rows.ts';
import { createToken, type MadeToken } from '../harness/token.ts';
import { until } from '../harness/until.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

/** No table has these names, so their prices are those of the list. */
const rows = [
  {
    id: 'vendor/qqx-plain',
    context_length: 123_456,
    top_provider: { max_completion_tokens: 7_654 },
    architecture: { input_modalities: ['text', 'image'], output_modalities: ['text'] },
    pricing: { prompt: '0.000003', completion: '0.000015', request: '0.01', input_cache_read: '0.0000003' },
  },
  {
    id: 'vendor/qqx-ending',
    deprecation_date: '2026-06-01',
    shutdown_date: '2027-01-14',
    pricing: { prompt: '0.000001', completion: '0.000002' },
  },
  { id: 'vendor/qqx-auto', pricing: { prompt: '-1', completion: '-1' } },
  { id: 'vendor/qqx-free', pricing: { prompt: '0', completion: '0' } },
];

const usage = {
  prompt_tokens: 1_000,
  completion_tokens: 100,
  total_tokens: 1_100,
  prompt_tokens_details: { cached_tokens: 400 },
};

function answer(body: Record<string, unknown>): Response {
  const base = { id: 'c1', created: 1, model: body['model'] };
  if (body['input'] !== undefined) {
    const data = [{ object: 'embedding', index: 0, embedding: [0.5] }];
    return Response.json({ object: 'list', model: body['model'], data, usage: { prompt_tokens: 3, total_tokens: 3 } });
  }
  if (body['stream'] !== true) {
    const choices = [{ index: 0, message: { role: 'assistant', content: 'ok', refusal: null }, finish_reason: 'stop' }];
    return Response.json({ ...base, object: 'chat.completion', choices, usage });
  }
  const events = [
    { choices: [{ index: 0, delta: { role: 'assistant', content: 'ok' }, finish_reason: null }] },
    { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
    { choices: [], usage },
  ].map((event) => `data: ${JSON.stringify({ ...base, object: 'chat.completion.chunk', ...event })}\n\n`);
  return new Response(`${events.join('')}data: [DONE]\n\n`, { headers: { 'content-type': 'text/event-stream' } });
}

const asked: Record<string, unknown>[] = [];

/** Its list has no limits. */
function startHome() {
  return Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      if (request.method === 'GET') return Response.json({ data: [{ type: 'model', id: 'qqx-table' }] });
      asked.push((await request.json()) as Record<string, unknown>);
      return Response.json({
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model: 'qqx-table',
        content: [{ type: 'text', text: 'ok' }],
        stop_reason: 'end_turn',
        stop_sequence: null,
        usage: { input_tokens: 10, output_tokens: 1 },
      });
    },
  });
}

let listsAsked = 0;
let isListing = true;
let provider: ReturnType<typeof Bun.serve>;
let home: ReturnType<typeof Bun.serve>;
let weir: RunningWeir;
let token: MadeToken;

beforeAll(async () => {
  provider = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      if (request.method === 'POST') return answer((await request.json()) as Record<string, unknown>);
      listsAsked += 1;
      return isListing ? Response.json({ data: rows }) : new Response('away', { status: 503 });
    },
  });
  home = startHome();
  weir = await startWeir({
    yaml: {
      providers: {
        up: { kind: 'anthropic', base_url: `http://127.0.0.1:${home.port}/v1`, key: 'provider-key-0123456789' },
        router: {
          kind: 'openrouter',
          base_url: `http://127.0.0.1:${provider.port}/v1`,
          key: 'provider-key-0123456789',
        },
      },
      models: { 'short-name': { targets: [{ provider: 'router', model: 'vendor/qqx-ending' }] } },
    },
  });
  token = await createToken(weir, '--budget-usd', '5');
  await listed();
}, 300_000);

afterAll(async () => {
  await weir?.remove();
  await provider?.stop(true);
  await home?.stop(true);
});

const headers = () => ({ authorization: `Bearer ${token.token}`, 'content-type': 'application/json' });

async function entryOf(model: string): Promise<Record<string, unknown>> {
  const reply = await fetch(`${weir.base}/models/${encodeURIComponent(model)}`, { headers: headers() });
  return (await reply.json()) as Record<string, unknown>;
}

const listed = () => until(async () => (await entryOf('vendor/qqx-plain'))['context_length'] === 123_456);

const post = (path: string, body: object, more: Record<string, string> = {}) =>
  fetch(`${weir.base}${path}`, { method: 'POST', headers: { ...headers(), ...more }, body: JSON.stringify(body) });

const chat = (model: string, more: object = {}) =>
  post('/chat/completions', { model, messages: [{ role: 'user', content: 'Hello' }], max_tokens: 100, ...more });

/** 600 fresh and 400 cached tokens in, 100 out, and the fee. */
const plainCost = '0.01342';

describe('prices of the list', () => {
  test('are charged, class by class, to a token with a budget', async () => {
    const reply = await chat('vendor/qqx-plain');
    expect([reply.status, reply.headers.get('x-weir-cost-usd')]).toEqual([200, plainCost]);
  });

  test('are shown in the list of models, with sizes and modalities', async () => {
    expect(await entryOf('vendor/qqx-plain')).toMatchObject({
      context_length: 123_456,
      top_provider: { context_length: 123_456, max_completion_tokens: 7_654 },
      architecture: { input_modalities: ['text', 'image'], output_modalities: ['text'] },
      pricing: { prompt: '0.000003', completion: '0.000015', source: 'provider' },
    });
  });

  test('an invalid price is unknown, and a price of zero is free', async () => {
    expect((await entryOf('vendor/qqx-auto'))['pricing']).toEqual({ source: 'unknown' });
    const unknown = await chat('vendor/qqx-auto');
    expect([unknown.status, await unknown.text()]).toEqual([402, expect.stringContaining('price_unknown')]);
    const free = await chat('vendor/qqx-free');
    expect([free.status, free.headers.get('x-weir-cost-usd')]).toEqual([200, '0.00']);
  });

  test('survive a restart, also if the provider does not return its list', async () => {
    isListing = false;
    const before = listsAsked;
    await weir.stop();
    await weir.restart();
    const reply = await chat('vendor/qqx-plain');
    expect([reply.status, reply.headers.get('x-weir-cost-usd')]).toEqual([200, plainCost]);
    // It was recent enough not to be fetched again.
    expect(listsAsked).toBe(before);
    isListing = true;
  });
});

describe('a model with a shutdown date', () => {
  const expectedHeaders = { deprecation: '@1780272000', sunset: 'Thu, 14 Jan 2027 00:00:00 GMT' };
  const endHeaders = ({ headers: said }: Response) => ({
    deprecation: said.get('deprecation'),
    sunset: said.get('sunset'),
  });

  test('says so in the list, under its own name and under an alias', async () => {
    for (const name of ['vendor/qqx-ending', 'short-name']) {
      expect(await entryOf(name)).toMatchObject({ deprecation_date: '2026-06-01', shutdown_date: '2027-01-14' });
    }
    const other = await entryOf('vendor/qqx-plain');
    for (const field of ['deprecation_date', 'shutdown_date']) expect(other).not.toHaveProperty(field);
  });

  test('says so in the head of whole, streamed and translated replies and of operations', async () => {
    const asked = { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] };
    const generate = (action: string) =>
      fetch(`${weir.url}/v1beta/models/short-name:${action}`, {
        method: 'POST',
        headers: { ...headers(), 'x-goog-api-key': token.token },
        body: JSON.stringify(asked),
      });
    const replies = [
      await chat('vendor/qqx-ending'),
      await chat('short-name', { stream: true }),
      await generate('generateContent'),
      await generate('streamGenerateContent?alt=sse'),
      await post('/embeddings', { model: 'short-name', input: 'Hello' }),
    ];
    for (const reply of replies) {
      const { url, status } = reply;
      expect({ url, status, ...endHeaders(reply) }).toEqual({ url, status: 200, ...expectedHeaders });
      await reply.text();
    }
  });

  test('is served until then, and each use is counted for its token', async () => {
    const second = await createToken(weir);
    for (const _ of [1, 2, 3]) {
      const reply = await fetch(`${weir.base}/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${second.token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'vendor/qqx-ending', messages: [{ role: 'user', content: 'Hello' }] }),
      });
      expect(reply.status).toBe(200);
      await reply.text();
    }
    // Usage rows are written in groups, a moment after their replies.
    await until(async () => (await readLedger(weir, second.id)).usage.length === 3, 60_000, 'three rows');
  });

  test('and other models have no such headers', async () => {
    for (const stream of [false, true]) {
      const reply = await chat('vendor/qqx-plain', { stream });
      expect(endHeaders(reply)).toEqual({ deprecation: null, sunset: null });
      await reply.text();
    }
  });
});

describe('limits that only a table has', () => {
  let mine: MadeToken;
  beforeAll(async () => {
    mine = await createToken(weir);
    const file = `${weir.dataFolder}/table.json`;
    await Bun.write(
      file,
      JSON.stringify({
        'qqx-table': {
          litellm_provider: 'anthropic',
          mode: 'chat',
          input_cost_per_token: 0.000001,
          output_cost_per_token: 0.000002,
          max_input_tokens: 99_000,
          max_output_tokens: 4_321,
          deprecation_date: '2027-02-03',
        },
      }),
    );
    const { code, stdout, stderr } = await weir.command('prices', 'update', '--file', file);
    expect({ code, said: code === 0 ? '' : stdout + stderr }).toEqual({ code: 0, said: '' });
    await until(async () => (await entry())['shutdown_date'] !== undefined);
  }, 300_000);

  const sent = () => ({ authorization: `Bearer ${mine.token}`, 'content-type': 'application/json' });
  const entry = async () =>
    (await (await fetch(`${weir.base}/models/qqx-table`, { headers: sent() })).json()) as Record<string, unknown>;

  test('is shown in the list of models', async () => {
    expect(await entry()).toMatchObject({
      context_length: 99_000,
      top_provider: { context_length: 99_000, max_completion_tokens: 4_321 },
      shutdown_date: '2027-02-03',
    });
  });

  test('is the limit that the provider’s format requires, and does not lower one that a caller set', async () => {
    const ask = (more: object) =>
      fetch(`${weir.base}/chat/completions`, {
        method: 'POST',
        headers: sent(),
        body: JSON.stringify({ model: 'qqx-table', messages: [{ role: 'user', content: 'Hello' }], ...more }),
      });
    const reply = await ask({});
    expect([reply.status, asked.at(-1)?.['max_tokens'], reply.headers.get('x-weir-losses')]).toEqual([
      200,
      4_321,
      null,
    ]);
    expect(reply.headers.get('sunset')).toBe('Wed, 03 Feb 2027 00:00:00 GMT');
    expect(reply.headers.get('deprecation')).toBe('@1801612800');
    await ask({ max_tokens: 9_999 });
    expect(asked.at(-1)?.['max_tokens']).toBe(9_999);
  });

  test('is reported by the doctor, as that of the list is, with the tokens that used it and how often', async () => {
    await until(async () => (await readLedger(weir, mine.id)).usage.length === 2, 60_000, 'two rows');
    const { stdout } = await weir.command('doctor', '--json');
    const { checks } = JSON.parse(stdout) as { checks: { name: string; state: string; detail: string }[] };
    const models = checks.filter(({ name }) => name.startsWith('model '));
    expect(models.toSorted((one, other) => one.name.localeCompare(other.name))).toEqual([
      {
        name: 'model router/vendor/qqx-ending',
        state: 'warning',
        detail: expect.stringMatching(
          /^is shut down on 2027-01-14; used in the last 30 days by made-\d+ 5×, made-\d+ 3× \(asked for as .*short-name.*\)$/,
        ),
      },
      {
        name: 'model up/qqx-table',
        state: 'warning',
        detail: expect.stringMatching(/^is shut down on 2027-02-03; used in the last 30 days by made-\d+ 2×/),
      },
    ]);
  });
});

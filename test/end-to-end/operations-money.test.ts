/** Money of operations that are sold by other units than tokens: the provider's own invoice against Weir's ledger. */

import { describe, expect, test } from 'bun:test';
import { errorOf } from '../harness/chat.ts';
import { expectBalanced, type LedgerRows, settledLedger, totalCostNano } from '../harness/ledger-rows.ts';
import { needing } from '../harness/needs.ts';
import { audioBlob, formOf, png, postTo } from '../harness/operation-calls.ts';
import { type OperationsUpstream, startOperationsUpstream, tokensOf } from '../harness/operations-upstream.ts';
import { sized } from '../harness/size.ts';
import { createToken, type MadeToken } from '../harness/token.ts';
import { until } from '../harness/until.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

const models = ['images', 'speech', 'slow-speech', 'transcripts', 'ranked', 'vectors', 'unpriced', 'mispriced'];
const clients = sized(40, 100);
const streams = sized(20, 50);
const failing = [400, 401, 404, 422, 429, 500, 503].map((status) => `fails-${status}`);

/** In nano-USD: an image, a second (of a minute's 6,000,000), a character, a search, a token. */
const nano = { image: 40_000_000n, second: 100_000n, character: 15_000n, search: 2_000_000n, token: 20n };

function yamlFor(upstream: OperationsUpstream): object {
  const place = { base_url: upstream.base, key: 'sk-upstream' };
  return {
    providers: {
      up: { kind: 'openai-chat', ...place, models: [...models, ...failing] },
      // Accepts at most 128 inputs in a request.
      few: { kind: 'mistral', ...place, models: ['few-vectors', 'few-unpriced'] },
    },
    prices: {
      images: { image: 0.04 },
      'fails-*': { image: 0.04, minute: 0.006, characters: 15, searches: 2, input: 0.02, output: 0 },
      '*speech': { characters: 15 },
      transcripts: { minute: 0.006 },
      ranked: { searches: 2 },
      '*vectors': { input: 0.02, output: 0 },
      mispriced: { searches: 2 },
    },
  };
}

const budgetOf = (amountNano: bigint): string[] => [
  ...['--budget-usd', (Number(amountNano) / 1e9).toFixed(9), '--budget-period', 'total'],
];

describe.each(['sqlite', 'postgres'] as const)('%s', (database) => {
  const { afterAll, beforeAll, beforeEach, test } = needing(database);
  let upstream: OperationsUpstream;
  let weir: RunningWeir;
  beforeAll(async () => {
    upstream = startOperationsUpstream();
    weir = await startWeir({ database, yaml: yamlFor(upstream) });
  });
  afterAll(async () => {
    await weir?.remove();
    await upstream?.stop();
  });
  beforeEach(() => upstream.reset());

  /** The token's rows, attempts and entries have this amount, and none of it is a guess. */
  async function expectCharged(token: MadeToken, amountNano: bigint, requests: number): Promise<void> {
    const { usage, attempts } = await ledgerOf(token, requests);
    expect(usage.length).toBe(requests);
    expect([totalCostNano(usage), totalCostNano(attempts)]).toEqual([amountNano, amountNano]);
    expect([...usage, ...attempts].filter((row) => row.estimated)).toEqual([]);
  }

  /** What was written of this token once so many requests were; it balances. */
  async function ledgerOf(token: MadeToken, requests: number): Promise<LedgerRows> {
    let ledger = await settledLedger(weir, token.id);
    const isWritten = async () => {
      if (ledger.usage.length < requests) ledger = await settledLedger(weir, token.id);
      return ledger.usage.length >= requests;
    };
    await until(isWritten, 60_000, `${requests} rows of usage`);
    expectBalanced(ledger);
    return ledger;
  }

  test.each([
    ['generations', () => ({ model: 'images', prompt: 'a boat' })],
    ['edits', () => formOf({ model: 'images', prompt: 'a boat', image: png() })],
  ] as const)(`a budget for exactly 11 images under ${clients} clients of %s buys exactly 11`, async (name, bodyOf) => {
    const token = await createToken(weir, ...budgetOf(11n * nano.image));
    const replies = await Promise.all(
      Array.from({ length: clients }, async () => {
        const reply = await postTo(token, `/images/${name}`, bodyOf());
        await reply.text();
        return reply.status;
      }),
    );
    const count = (status: number) => replies.filter((one) => one === status).length;
    expect([count(200), count(402)]).toEqual([11, clients - 11]);
    expect([upstream.entries.length, upstream.total('images')]).toEqual([11, 11]);
    await expectCharged(token, 11n * nano.image, clients);
    expect((await settledLedger(weir, token.id)).attempts.length).toBe(11);
  });

  test('several images of one call are reserved and charged together', async () => {
    const token = await createToken(weir, ...budgetOf(11n * nano.image));
    const ask = (n: number) => postTo(token, '/images/generations', { model: 'images', prompt: 'a boat', n });
    const statuses: number[] = [];
    for (const n of [4, 4, 4, 3, 1]) statuses.push((await ask(n)).status);
    expect(statuses).toEqual([200, 200, 402, 200, 402]);
    expect(upstream.total('images')).toBe(11);
    await expectCharged(token, 11n * nano.image, 5);
  });

  test('speech costs its characters', async () => {
    const token = await createToken(weir, '--budget-usd', '1', '--budget-period', 'total');
    for (const input of ['Hello.', 'Zwölf Boxkämpfer', '𝄞 and 漢字', 'x'.repeat(4_096)]) {
      const reply = await postTo(token, '/audio/speech', { model: 'speech', voice: 'rms', input });
      expect(reply.status).toBe(200);
      expect((await reply.bytes()).length).toBe(40_000);
    }
    expect(upstream.total('characters')).toBe(6 + 16 + 8 + 4_096);
    await expectCharged(token, BigInt(upstream.total('characters')) * nano.character, 4);
  });

  test('transcription costs the seconds that were reported', async () => {
    const token = await createToken(weir, '--budget-usd', '1', '--budget-period', 'total');
    const seconds = ['1', '2.007', '2.3', '61', '0.001'];
    for (const prompt of seconds) {
      const form = formOf({ model: 'transcripts', prompt, file: audioBlob() });
      expect((await postTo(token, '/audio/transcriptions', form)).status).toBe(200);
    }
    const milliseconds = BigInt(1_000 + 2_007 + 2_300 + 61_000 + 1);
    expect(Math.round(upstream.total('seconds') * 1_000)).toBe(Number(milliseconds));
    await expectCharged(token, (milliseconds * nano.second) / 1_000n, seconds.length);
  });

  test('reranking costs its searches', async () => {
    const token = await createToken(weir, '--budget-usd', '1', '--budget-period', 'total');
    for (const count of [1, 100, 101]) {
      const documents = Array.from({ length: count }, (_, index) => `document ${index}`);
      const reply = await postTo(token, '/rerank', { model: 'ranked', query: 'which', documents });
      expect([reply.status, ((await reply.json()) as { results: unknown[] }).results.length]).toEqual([200, count]);
    }
    expect(upstream.total('searches')).toBe(4);
    await expectCharged(token, 4n * nano.search, 3);
  });

  test('embeddings cost their tokens', async () => {
    const token = await createToken(weir, '--budget-usd', '1', '--budget-period', 'total');
    for (const input of ['one two three', ['four', 'five six']])
      expect((await postTo(token, '/embeddings', { model: 'vectors', input })).status).toBe(200);
    expect(upstream.total('tokens')).toBe(6);
    await expectCharged(token, 6n * nano.token, 2);
  });

  test('a batch that goes out in several requests is one row and as many attempts, and the sum is the invoice', async () => {
    const token = await createToken(weir, '--budget-usd', '1', '--budget-period', 'total');
    const input = Array.from({ length: 700 }, (_, index) => `text number ${index}${' more'.repeat(index % 3)}`);
    const reply = await postTo(token, '/embeddings', { model: 'few-vectors', input });
    const tree = (await reply.json()) as { data: { index: number }[]; usage: { prompt_tokens: number } };
    expect([reply.status, tree.data.length]).toEqual([200, 700]);
    expect(upstream.entries.length).toBe(6);
    const tokens = input.reduce((sum, text) => sum + tokensOf(text), 0);
    expect([upstream.total('tokens'), tree.usage.prompt_tokens]).toEqual([tokens, tokens]);
    await expectCharged(token, BigInt(tokens) * nano.token, 1);
    const { attempts } = await settledLedger(weir, token.id);
    expect(attempts.length).toBe(6);
    expect(Number(reply.headers.get('x-weir-cost-usd'))).toBeCloseTo(Number(BigInt(tokens) * nano.token) / 1e9, 12);
  });

  test('a batch whose whole bound fits the budget is never stopped halfway', async () => {
    const input = Array.from({ length: 300 }, () => 'word');
    const bound = BigInt(JSON.stringify({ model: 'few-vectors', input }).length) * nano.token;
    const token = await createToken(weir, ...budgetOf(bound));
    expect((await postTo(token, '/embeddings', { model: 'few-vectors', input })).status).toBe(200);
    await expectCharged(token, 300n * nano.token, 1);
  });

  test('a batch that fails halfway costs the parts that were done, and its row says so', async () => {
    const token = await createToken(weir, ...budgetOf(nano.token * 1_000n));
    // The second of three parts is too long for what the budget has left.
    const input = [...Array.from({ length: 128 }, () => 'word'), 'x'.repeat(5_000), 'word'];
    const reply = await postTo(token, '/embeddings', { model: 'few-vectors', input });
    expect([reply.status, (await errorOf(reply)).code]).toEqual([402, 'budget_spent']);
    expect(upstream.total('tokens')).toBe(128);
    await expectCharged(token, 128n * nano.token, 1);
    expect((await settledLedger(weir, token.id)).usage[0]).toMatchObject({ status: 402, code: 'budget_spent' });
  });

  test.each([
    'unpriced',
    'mispriced',
    'few-unpriced',
  ])('a token with a budget cannot use %s, whose price is not known', async (model) => {
    const token = await createToken(weir, '--budget-usd', '1', '--budget-period', 'total');
    const reply =
      model === 'few-unpriced'
        ? await postTo(token, '/embeddings', { model, input: Array.from({ length: 300 }, () => 'word') })
        : await postTo(token, '/images/generations', { model, prompt: 'a boat' });
    expect(reply.headers.get('x-should-retry')).toBe('false');
    expect([reply.status, (await errorOf(reply)).code]).toEqual([402, 'price_unknown']);
    expect(upstream.entries).toEqual([]);
    await expectCharged(token, 0n, 1);
  });

  test('with a spent budget no provider is called, on any endpoint', async () => {
    const token = await createToken(weir, '--budget-usd', '0.000000001', '--budget-period', 'total');
    const replies = await Promise.all(callsFor(() => 'own').map((call) => call(token)));
    expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 402));
    expect(upstream.entries).toEqual([]);
    await expectCharged(token, 0n, replies.length);
  });

  test('one Idempotency-Key is charged once, and an upload of the same name and size is another request', async () => {
    const token = await createToken(weir);
    const headers = { 'idempotency-key': 'once' };
    const say = () => postTo(token, '/audio/speech', { model: 'speech', voice: 'rms', input: 'Hello.' }, { headers });
    const first = await say();
    const again = await (await first.bytes().then(say)).bytes();
    expect([again.length, upstream.entries.length]).toEqual([40_000, 1]);
    const hear = (fill: number) => {
      const file = new Blob([new Uint8Array(100).fill(fill)], { type: 'audio/wav' });
      const form = formOf({ model: 'transcripts', prompt: '5', file });
      return postTo(token, '/audio/transcriptions', form, { headers: { 'idempotency-key': 'upload' } });
    };
    expect([(await hear(1)).status, (await hear(1)).status]).toEqual([200, 200]);
    const other = await hear(2);
    expect([other.status, (await errorOf(other)).code]).toEqual([409, 'idempotency_key_reused']);
    expect(upstream.entries.length).toBe(2);
  });

  test('a client that disconnects in the middle of speech is charged for the whole input, once', async () => {
    const token = await createToken(weir, '--budget-usd', '1', '--budget-period', 'total');
    const input = 'A long sentence.';
    for (let round = 0; round < 5; round += 1) {
      const leaving = new AbortController();
      const say = { model: 'slow-speech', voice: 'rms', input };
      const reply = await postTo(token, '/audio/speech', say, { signal: leaving.signal });
      const reader = reply.body?.getReader();
      await reader?.read();
      leaving.abort();
      await reader?.cancel().catch(() => undefined);
    }
    await until(() => upstream.entries.length === 5 && upstream.entries.every(({ outcome }) => outcome === 'left'));
    await expectCharged(token, BigInt(5 * input.length) * nano.character, 5);
    expect((await settledLedger(weir, token.id)).usage.map(({ code }) => code)).toEqual(Array(5).fill('client_left'));
  });

  test(`SIGKILL during ${streams} streams of speech: nothing stays reserved, running requests cost their whole input`, async () => {
    const token = await createToken(weir, '--budget-usd', '1', '--budget-period', 'total');
    let hearing = 0;
    const say = async (index: number) => {
      const input = 'x'.repeat(index + 1);
      const reply = await postTo(token, '/audio/speech', { model: 'slow-speech', voice: 'rms', input });
      hearing += 1;
      await reply.bytes();
    };
    const speaking = Array.from({ length: streams }, (_, index) => say(index).catch(() => undefined));
    await until(() => hearing === streams);
    expect(upstream.entries.filter(({ outcome }) => outcome === 'completed').length).toBeLessThan(streams);
    await weir.kill();
    await Promise.all(speaking);
    await weir.restart();
    const ledger = await settledLedger(weir);
    expectBalanced(ledger);
    const attempts = ledger.attempts.filter((row) => row.tokenId === token.id);
    expect(attempts.length).toBe(streams);
    expect(totalCostNano(attempts)).toBe(BigInt(upstream.total('characters')) * nano.character);
    const more = await postTo(token, '/audio/speech', { model: 'speech', voice: 'rms', input: 'Hello.' });
    expect([more.status, (await more.bytes()).length]).toEqual([200, 40_000]);
  }, 300_000);
});

/** One call of every endpoint; the model is the endpoint's own, or the one that is named. */
function callsFor(modelOf: (own: string) => string): ((token: MadeToken) => Promise<Response>)[] {
  const model = (own: string): string => (modelOf(own) === 'own' ? own : modelOf(own));
  return [
    (token) => postTo(token, '/images/generations', { model: model('images'), prompt: 'a boat' }),
    (token) => postTo(token, '/images/edits', formOf({ model: model('images'), prompt: 'a', image: png() })),
    (token) => postTo(token, '/audio/speech', { model: model('speech'), voice: 'rms', input: 'Hello.' }),
    (token) =>
      postTo(token, '/audio/transcriptions', formOf({ model: model('transcripts'), prompt: '5', file: audioBlob() })),
    (token) => postTo(token, '/rerank', { model: model('ranked'), query: 'q', documents: ['d'] }),
    (token) => postTo(token, '/embeddings', { model: model('vectors'), input: 'some words to embed' }),
  ];
}

test('calls that fail cost nothing and hold nothing', async () => {
  const upstream = startOperationsUpstream();
  // A provider for each, since one that failed is cooling down for the next call.
  const providers = failing.map((model) => [
    model,
    { kind: 'openai-chat', base_url: upstream.base, key: 'sk-upstream', models: [model] },
  ]);
  // Shorter than a cooldown: each call fails at once instead of waiting for the provider.
  const clocks = { patience_ms: 500 };
  const weir = await startWeir({ yaml: { ...yamlFor(upstream), providers: Object.fromEntries(providers), clocks } });
  try {
    await Promise.all(failing.map((model) => expectFree(weir, model)));
  } finally {
    await weir.remove();
    await upstream.stop();
  }
}, 300_000);

/** A Weir for each failure, since a failing provider is skipped for a while. */
async function expectFree(weir: RunningWeir, model: string): Promise<void> {
  const token = await createToken(weir, '--budget-usd', '1', '--budget-period', 'total');
  const calls = callsFor(() => model);
  for (const call of calls) {
    const reply = await call(token);
    expect([model, reply.status >= 400]).toEqual([model, true]);
    await errorOf(reply);
  }
  // Rows are written a moment after the reply; without this an empty ledger would pass.
  let ledger = await settledLedger(weir, token.id);
  const isWritten = async () => {
    if (ledger.usage.length < calls.length) ledger = await settledLedger(weir, token.id);
    return ledger.usage.length === calls.length;
  };
  await until(isWritten, 60_000, 'a row for each');
  expectBalanced(ledger);
  expect([model, totalCostNano(ledger.attempts), totalCostNano(ledger.usage)]).toEqual([model, 0n, 0n]);
}

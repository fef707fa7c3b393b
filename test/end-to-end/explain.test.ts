/** Explanations of a real Weir: order, lanes, bound and limits of a real request, and no provider is called. */

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import type { ExplainedCandidate, Explanation } from '../../src/relay/explain/explanation.ts';
import { endpointSamples, sampleRequest } from '../../src/snippets/endpoints.ts';
import { post, scripted, type Target } from '../harness/chat.ts';
import { settledLedger } from '../harness/ledger-rows.ts';
import { audioBlob, formOf, postTo } from '../harness/operation-calls.ts';
import { SocketClient } from '../harness/socket-client.ts';
import { createToken, type MadeToken } from '../harness/token.ts';
import { until } from '../harness/until.ts';
import { type RunningUpstream, startUpstream } from '../harness/upstream.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

const canary = `sk-canary-${crypto.randomUUID()}`;
/** Dollars per million tokens; a token of output costs 8,000 nano-dollars. */
const price = { input: 2, output: 8 };

let upstream: RunningUpstream;
let weir: RunningWeir;
let token: MadeToken;
/** All replies, to be searched for secrets. */
const answers: string[] = [];

function yaml(): object {
  const place = { base_url: upstream.base };
  const chat = { kind: 'openai-chat', ...place };
  const near = (name: string, rest: object = {}) => ({ provider: name, model: `${name}-model`, ...rest });
  return {
    ids: { unknown: 'allow' },
    providers: {
      near: { ...chat, keys: [{ key: `${canary}-one`, id: 'one' }, `${canary}-two`], region: 'eu', models: ['n'] },
      other: { kind: 'anthropic-messages', ...place, key: `${canary}-other`, models: ['o'] },
      refused: { ...chat, keys: [`${canary}-three`, `${canary}-four`], models: ['r'] },
      kept: { ...chat, key: `${canary}-kept`, models: ['k'] },
      a: { ...chat, key: `${canary}-a`, models: ['cools', 'alone'] },
      b: { ...chat, key: `${canary}-b`, models: ['lonely'] },
      c: { ...chat, key: `${canary}-c`, models: ['lone'] },
      all: { ...chat, key: `${canary}-all`, models: ['everything', 'everything-unpriced'] },
      vendor: { kind: 'openai', ...place, key: `${canary}-vendor`, models: ['made'] },
      film: { kind: 'litellm', ...place, key: `${canary}-film`, models: ['sora-test'] },
      few: { kind: 'siliconflow', ...place, key: `${canary}-few`, models: ['few-vectors'] },
    },
    models: {
      home: {
        targets: [
          { provider: 'near', model: 'near-model', weight: 3 },
          { provider: 'other', model: 'other-model', tier: 1, only: { region: 'us' } },
          { provider: 'kept', model: 'kept-model', only: { labels: ['vip'] } },
        ],
      },
      even: { targets: [near('a'), near('b'), near('c')] },
      cooling: { targets: [near('a', { model: 'cools' }), near('b', { model: 'warm', tier: 1 })] },
      remembered: { targets: [near('near'), near('vendor')] },
      keyless: { targets: [near('refused')] },
      waiting: { targets: [near('c', { model: 'busy' })] },
    },
    prices: {
      'near-model': price,
      'other-model': price,
      busy: { input: 0, output: 8 },
      '*-model': price,
      everything: { ...price, image: 0.04, minute: 0.006, characters: 15, searches: 2 },
      'sora-test': { video_second: 0.1 },
      'few-vectors': { input: 0.02, output: 0 },
    },
  };
}

beforeAll(async () => {
  upstream = await startUpstream();
  weir = await startWeir({ yaml: yaml(), env: { WEIR_CLOCKS_READ_ON_MS: '0' } });
  token = await createToken(weir, '--may-explain');
});
afterAll(async () => {
  await weir.remove();
  await upstream.stop();
});
beforeEach(() => upstream.reset());

const asking = { 'x-weir-explain': '1' };

async function explainAt(
  target: Target,
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Explanation> {
  const reply = await postTo(target, path, body, { headers: { ...asking, ...headers } });
  const text = await reply.text();
  answers.push(text, JSON.stringify([...reply.headers]));
  if (reply.status !== 200) throw new Error(`${path} answered ${reply.status}: ${text}`);
  expect(reply.headers.get('content-type')).toStartWith('application/json');
  expect(reply.headers.get('x-request-id')).toStartWith('req_');
  return JSON.parse(text) as Explanation;
}

const messages = [{ role: 'user', content: 'Hello' }];
const explain = (fields: object, headers?: Record<string, string>, target: Target = token) =>
  explainAt(target, '/chat/completions', { messages, ...fields }, headers);

function first({ candidates }: Explanation): ExplainedCandidate {
  const [candidate] = candidates;
  if (candidate === undefined) throw new Error('no candidate');
  return candidate;
}

describe('what it says', () => {
  test('every field, of candidates and of excluded targets', async () => {
    const body = { messages, model: 'home', max_tokens: 100, logit_bias: { '1': 5 } };
    const explanation = await explain(body);
    const boundUsd = (JSON.stringify(body).length * 2_000 + 100 * 8_000) / 1e9;
    expect(explanation).toEqual({
      object: 'weir.explanation',
      model: 'home',
      operation: 'converse',
      strategy: 'weighted',
      drawn: false,
      affinity: { kind: null, key: null },
      candidates: [
        {
          provider: 'near',
          model: 'near-model',
          tier: 0,
          weight: 3,
          region: 'eu',
          state: 'ready',
          ready_in_ms: 0,
          keys_ready: 2,
          keys: 2,
          in_flight: 0,
          lane: 'forward',
          format: 'openai-chat',
          losses: [],
          price_bound_usd: boundUsd.toFixed(9).replace(/0+$/, ''),
          price_version: 'operator',
          price_source: 'operator',
          profile: [],
        },
        {
          provider: 'other',
          model: 'other-model',
          tier: 1,
          weight: 1,
          region: 'us',
          state: 'ready',
          ready_in_ms: 0,
          keys_ready: 1,
          keys: 1,
          in_flight: 0,
          lane: 'translate',
          format: 'anthropic-messages',
          losses: [{ what: 'logit_bias', why: expect.any(String) }],
          price_bound_usd: boundUsd.toFixed(9).replace(/0+$/, ''),
          price_version: 'operator',
          price_source: 'operator',
          profile: [],
        },
      ],
      excluded: [{ provider: 'kept', model: 'kept-model', why: 'is reserved for tokens labeled vip' }],
      limits: {},
    });
    expect(await upstream.invoice()).toEqual([]);
  });

  test('the lane of a stream for which Weir requests usage is a patch', async () => {
    expect(first(await explain({ model: 'home', stream: true })).lane).toBe('patch');
    const usage = { stream_options: { include_usage: true } };
    expect(first(await explain({ model: 'home', stream: true, ...usage })).lane).toBe('forward');
  });

  test('the lane of a body with duplicate keys is a patch: it is serialized again', async () => {
    const doubled = `{"model":"x","model":"home","messages":${JSON.stringify(messages)}}`;
    expect(first(await explainAt(token, '/chat/completions', doubled)).lane).toBe('patch');
  });

  test('a target without the reply that a request continues from is excluded', async () => {
    const body = { model: 'remembered', input: 'x', previous_response_id: 'resp_from_before' };
    const { candidates, excluded } = await explainAt(token, '/responses', body);
    expect(candidates.map(({ provider }) => provider)).toEqual(['vendor']);
    expect(excluded).toEqual([
      { provider: 'near', model: 'near-model', why: 'does not have the reply that the request continues from' },
    ]);
  });

  test('a label gives access to the targets reserved for it', async () => {
    const vip = await createToken(weir, '--may-explain', '--label', 'vip');
    const { candidates, excluded } = await explain({ model: 'home' }, {}, vip);
    expect(candidates.map(({ provider }) => provider).toSorted()).toEqual(['kept', 'near', 'other']);
    expect(excluded).toEqual([]);
  });

  test('a target that strict mode refuses is excluded with reason and code', async () => {
    const { candidates, excluded } = await explain(
      { model: 'home', logit_bias: { '1': 5 } },
      { 'x-weir-strict': 'true' },
    );
    expect(candidates.map(({ provider }) => provider)).toEqual(['near']);
    expect(excluded).toEqual([
      expect.objectContaining({ provider: 'kept' }),
      expect.objectContaining({
        provider: 'other',
        code: 'loss_refused',
        why: expect.stringContaining('logit_bias'),
      }),
    ]);
  });

  test('an unknown price is null, and excludes the target if the token has a budget', async () => {
    const open = first(await explain({ model: 'everything-unpriced' }));
    expect([open.price_bound_usd, open.price_version, open.price_source]).toEqual([null, null, 'unknown']);
    const poor = await createToken(weir, '--may-explain', '--budget-usd', '1', '--budget-period', 'day');
    const { candidates, excluded } = await explain({ model: 'everything-unpriced' }, {}, poor);
    expect(candidates).toEqual([]);
    expect(excluded).toEqual([expect.objectContaining({ provider: 'all', code: 'price_unknown' })]);
  });

  test('without a candidate it gives the reason of each exclusion, and is no error', async () => {
    const { candidates, excluded, operation } = await explainAt(token, '/embeddings', { model: 'o', input: 'x' });
    expect([candidates, operation]).toEqual([[], 'embed']);
    expect(excluded).toEqual([{ provider: 'other', model: 'o', why: 'does not do it' }]);
  });

  test('routing options apply, and their fields are not sent', async () => {
    const steering = await createToken(weir, '--may-explain', '--may-steer');
    const options = { provider: { order: ['other'], ignore: ['kept'] } };
    const { candidates, excluded } = await explain(
      { model: 'home', max_tokens: 9, ...options },
      { 'x-weir-strict': '1' },
      steering,
    );
    expect(candidates.map(({ provider, losses }) => [provider, losses])).toEqual([
      ['other', []],
      ['near', []],
    ]);
    expect(excluded.map(({ provider }) => provider)).toEqual(['kept']);
  });
});

describe('the order', () => {
  test('is drawn by weight, and says so', async () => {
    const seen = new Set<string>();
    await until(async () => {
      const explanation = await explain({ model: 'even' });
      expect([explanation.strategy, explanation.drawn]).toEqual(['weighted', true]);
      seen.add(first(explanation).provider);
      return seen.size === 3;
    });
  });

  test('is the one that a request of the same session gets', async () => {
    const seen = new Set<string>();
    for (let session = 0; session < 20; session++) {
      const headers = { 'x-session-id': `session-${session}` };
      const explanation = await explain({ model: 'even' }, headers);
      expect(explanation.affinity).toEqual({ kind: 'session', key: expect.stringMatching(/^[0-9a-z]+$/) });
      const reply = await post(token, scripted({}, { model: 'even' }), { headers });
      await reply.text();
      expect(reply.headers.get('x-weir-provider')).toBe(first(explanation).provider);
      seen.add(first(explanation).provider);
    }
    expect(seen.size).toBe(3);
  });

  test('of a long conversation follows how it begins', async () => {
    const long = [{ role: 'system', content: 'Be brief. '.repeat(2_000) }, ...messages];
    const one = await explain({ model: 'even', messages: long });
    const later = [...long, { role: 'assistant', content: 'Hi' }, { role: 'user', content: 'And?' }];
    const two = await explain({ model: 'even', messages: later });
    expect(one.affinity.kind).toBe('prefix');
    expect(two.affinity).toEqual(one.affinity);
    expect(first(two).provider).toBe(first(one).provider);
  });

  test('shows which target is cooling down, for how long, and which one is tried instead', async () => {
    const busy = { status: 429, headers: { 'retry-after': '30' }, body: '{"error":{"message":"slow down"}}' };
    await upstream.queue([busy]);
    const reply = await post(token, { model: 'cooling', messages });
    expect(reply.headers.get('x-weir-provider')).toBe('b');
    await reply.text();
    const { candidates } = await explain({ model: 'cooling' });
    expect(candidates.map(({ provider, state }) => [provider, state])).toEqual([
      ['a', 'cooling'],
      ['b', 'ready'],
    ]);
    expect(candidates[0]?.ready_in_ms).toBeGreaterThan(20_000);
    expect(candidates[0]?.ready_in_ms).toBeLessThanOrEqual(30_000);
  });

  test('shows keys that were closed', async () => {
    await upstream.queue([{ status: 402, body: '{"error":{"message":"no money"}}' }]);
    await (await post(token, { model: 'keyless', messages })).text();
    const one = first(await explain({ model: 'keyless' }));
    expect([one.state, one.keys_ready, one.keys, one.ready_in_ms]).toEqual(['ready', 1, 2, 0]);
    await upstream.queue([{ status: 402, body: '{"error":{"message":"no money"}}' }]);
    await (await post(token, { model: 'keyless', messages })).text();
    const none = first(await explain({ model: 'keyless' }));
    expect([none.state, none.keys_ready, none.keys]).toEqual(['open', 0, 2]);
    expect(none.ready_in_ms).toBeGreaterThan(10_000);
  });
});

describe('limits and money', () => {
  test('an explanation counts against no limit and writes no row', async () => {
    const limits = ['--rpm', '3', '--tpm', '1000', '--concurrency', '1', '--budget-usd', '5', '--budget-period', 'day'];
    const limited = await createToken(weir, '--may-explain', ...limits);
    const whole = {
      requests_per_minute: { limit: 3, left: 3 },
      tokens_per_minute: { limit: 1_000, left: 1_000 },
      concurrency: { limit: 1, left: 1 },
      budget: { limit_usd: '5.00', spent_usd: '0.00', held_usd: '0.00', period: 'day' },
    };
    for (let time = 0; time < 10; time++)
      expect((await explain({ model: 'waiting' }, {}, limited)).limits).toEqual(whole);
    expect(await upstream.invoice()).toEqual([]);
    const ledger = await settledLedger(weir);
    const owned = ({ tokenId }: { readonly tokenId: string }) => tokenId === limited.id;
    expect([ledger.usage.filter(owned), ledger.attempts.filter(owned)]).toEqual([[], []]);
    await (await post(limited, scripted({ deltas: 5 }, { model: 'waiting' }))).text();
    const { limits: after } = await explain({ model: 'waiting' }, {}, limited);
    expect(after.requests_per_minute?.left).toBe(2);
    expect(after.concurrency?.left).toBe(1);
    await until(async () => (await explain({ model: 'waiting' }, {}, limited)).limits.budget?.spent_usd === '0.00004');
  });

  test('the bound is what a request of the same bytes reserves', async () => {
    const budget = ['--budget-usd', '100', '--budget-period', 'total', '--concurrency', '3'];
    const limited = await createToken(weir, '--may-explain', ...budget);
    const body = scripted({ deltas: 3, headDelayMs: 60_000 }, { model: 'waiting', max_tokens: 777 });
    const bound = first(await explain(body, {}, limited)).price_bound_usd;
    expect(bound).toBe('0.006216');
    const leaving = new AbortController();
    const sent = post(limited, body, { signal: leaving.signal }).catch(() => undefined);
    await until(async () => (await upstream.invoice()).length === 1);
    const during = await explain(body, {}, limited);
    expect(during.limits.budget?.held_usd).toBe(bound ?? '');
    expect(during.limits.concurrency).toEqual({ limit: 3, left: 2 });
    expect(first(during).in_flight).toBe(1);
    leaving.abort();
    await sent;
    await until(async () => (await explain(body, {}, limited)).limits.budget?.held_usd === '0.00');
  });

  test('an idempotency key is not used up', async () => {
    const headers = { 'idempotency-key': crypto.randomUUID() };
    await explain({ model: 'home' }, headers);
    const reply = await post(token, scripted({}, { model: 'home' }), { headers });
    expect([reply.status, (await upstream.invoice()).length]).toEqual([200, 1]);
  });
});

describe('everywhere', () => {
  test.each([...endpointSamples])('%s', async (name, sample) => {
    const model = name === 'videos' ? 'sora-test' : 'everything';
    const { path, body } = sampleRequest(sample, model);
    const target = { base: weir.url, token: token.token };
    const explanation = await explainAt(target, path, body);
    expect([explanation.model, explanation.operation]).toEqual([model, sample.operation]);
    expect(explanation.excluded).toEqual([]);
    const candidate = first(explanation);
    expect(candidate.provider).toBe(name === 'videos' ? 'film' : 'all');
    expect(candidate.format).not.toBe('');
    expect(Number(candidate.price_bound_usd)).toBeGreaterThan(0);
    expect(await upstream.invoice()).toEqual([]);
  });

  test('a form, and an image that does not exist: nothing is fetched', async () => {
    const transcription = await explainAt(
      token,
      '/audio/transcriptions',
      formOf({ model: 'everything', file: audioBlob() }),
    );
    expect([transcription.operation, first(transcription).lane]).toEqual(['transcribe', 'forward']);
    const image = { image_url: `${upstream.base}/image.png` };
    const edited = await explainAt(token, '/images/edits', { model: 'everything', prompt: 'x', images: [image] });
    expect([edited.operation, edited.excluded]).toEqual(['edit-image', []]);
    const video = { model: 'sora-test', prompt: 'x', input_reference: image };
    expect(first(await explainAt(token, '/videos', video)).lane).toBe('translate');
    expect(await upstream.invoice()).toEqual([]);
  });

  test('a request that is split into batches is not forwarded', async () => {
    const input = Array.from({ length: 200 }, (_, index) => `text ${index}`);
    const one = await explainAt(token, '/embeddings', { model: 'few-vectors', input: 'text' });
    const many = await explainAt(token, '/embeddings', { model: 'few-vectors', input });
    expect([first(one).lane, first(many).lane]).toEqual(['forward', 'translate']);
  });

  test('over a socket it is refused, and nothing is sent', async () => {
    const socket = new SocketClient(`${weir.base}/responses`, { token: token.token, headers: asking });
    const said = await socket.create({ model: 'home', input: 'x' });
    expect(said).toMatchObject({ type: 'error', error: { code: 'header_invalid' } });
    socket.close();
    expect(await upstream.invoice()).toEqual([]);
  });
});

describe('tokens without the right, and requests that cannot be explained', () => {
  const cases: readonly [string, number, string, () => Promise<Response>][] = [
    [
      'a token without the right',
      403,
      'explain_not_allowed',
      () => post(weir, { model: 'home', messages }, { headers: asking }),
    ],
    [
      'another envelope',
      403,
      'explain_not_allowed',
      () => postTo(weir, '/messages', { model: 'home', max_tokens: 5, messages }, { headers: asking }),
    ],
    [
      'an operation',
      403,
      'explain_not_allowed',
      () => postTo(weir, '/embeddings', { model: 'everything', input: 'x' }, { headers: asking }),
    ],
    [
      'a video',
      403,
      'explain_not_allowed',
      () => postTo(weir, '/videos', { model: 'sora-test', prompt: 'x' }, { headers: asking }),
    ],
    [
      'neither yes nor no',
      400,
      'header_invalid',
      () => post(token, { model: 'home', messages }, { headers: { 'x-weir-explain': 'please' } }),
    ],
    ['broken JSON', 400, 'json_malformed', () => post(token, '{"model":', { headers: asking })],
    ['no messages', 400, 'field_missing', () => post(token, { model: 'home' }, { headers: asking })],
    ['an unknown model', 404, 'model_not_found', () => post(token, { model: 'no', messages }, { headers: asking })],
  ];

  test.each(cases)('%s: %d %s', async (_, status, code, call) => {
    const reply = await call();
    const text = await reply.text();
    answers.push(text);
    const { error } = JSON.parse(text) as { error: { code: string; message: string } };
    expect([reply.status, error.code]).toEqual([status, code]);
    expect(await upstream.invoice()).toEqual([]);
  });

  test('x-weir-explain: 0 is an ordinary request', async () => {
    const reply = await post(weir, scripted({}, { model: 'home' }), { headers: { 'x-weir-explain': '0' } });
    expect([reply.status, (await upstream.invoice()).length]).toEqual([200, 1]);
  });
});

describe('weir explain', () => {
  const run = async (...words: string[]) => {
    const result = await weir.command('explain', ...words, '--url', weir.base);
    answers.push(result.stdout, result.stderr);
    return result;
  };

  test('prints the candidates in order, the excluded targets, and the remaining limits', async () => {
    const limited = await createToken(weir, '--may-explain', '--rpm', '7');
    const path = join(weir.dataFolder, 'body.json');
    await Bun.write(path, JSON.stringify({ messages, max_tokens: 10, logit_bias: { '1': 5 } }));
    const { code, stdout } = await run('home', '--token', limited.token, '--body', path);
    expect(code).toBe(0);
    expect(stdout).toStartWith('home (converse), weighted\n');
    expect(stdout).toMatch(/^> 1 {2}near \(eu\) +near-model +0 +ready +2\/2 .* forward +openai-chat +\$0\.0\d+$/m);
    expect(stdout).toMatch(/^ {2}2 {2}other \(us\) .* translate +anthropic-messages /m);
    expect(stdout).toContain('other drops logit_bias: ');
    expect(stdout).toContain('Excluded:\n  kept (kept-model): is reserved for tokens labeled vip\n');
    expect(stdout).toContain('Left to the token:\n  7 of 7 requests in this minute\n');
    expect(await upstream.invoice()).toEqual([]);
  });

  test('--json prints the API’s answer', async () => {
    const { stdout } = await run('everything', '--endpoint', 'rerank', '--token', token.token, '--json');
    expect(JSON.parse(stdout)).toMatchObject({ object: 'weir.explanation', operation: 'rerank' });
  });

  test('a refusal prints its message and fails', async () => {
    const { code, stdout, stderr } = await run('home', '--token', weir.token);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain('not allowed to use `x-weir-explain`');
  });
});

test('no reply holds a key or a token', () => {
  expect(answers.length).toBeGreaterThan(50);
  for (const text of answers)
    for (const secret of [canary, token.token, weir.token]) expect(text).not.toContain(secret);
});

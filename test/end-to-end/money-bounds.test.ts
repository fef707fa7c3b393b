/** The bound of a request is reserved before it is sent, whatever the names of its limits: no budget is overdrawn. */

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { errorOf } from '../harness/chat.ts';
import { readLedger, settledLedger } from '../harness/ledger-rows.ts';
import { startMeteredUpstream } from '../harness/metered-upstream.ts';
import { sized } from '../harness/size.ts';
import { createToken, type MadeToken } from '../harness/token.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

const upstream = startMeteredUpstream();
/** A thousandth of a dollar for each token, input or output. */
const nanoPerToken = 1_000_000n;
const nanoPerUsd = 1_000_000_000n;
const budgetUsd = 10;
let weir: RunningWeir;
let token: MadeToken;

beforeAll(async () => {
  const provider = (kind: string) => ({ kind, base_url: upstream.base, key: 'sk-upstream', models: [`at-${kind}`] });
  const kinds = ['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini-generate', 'deepseek', 'openai'];
  weir = await startWeir({
    yaml: {
      providers: Object.fromEntries(kinds.map((kind) => [`p-${kind}`, provider(kind)])),
      prices: { '*': { input: 1_000, output: 1_000 } },
    },
  });
  token = await newToken();
});
afterAll(async () => {
  await weir.remove();
  await upstream.stop();
});
beforeEach(() => upstream.reset());

const newToken = () => createToken(weir, '--budget-usd', `${budgetUsd}`, '--budget-period', 'total');

type Fields = Readonly<Record<string, unknown>>;

const chatBody = { messages: [{ role: 'user', content: 'hi' }] };
const asks: Readonly<Record<string, (fields: Fields) => readonly [string, object]>> = {
  chat: (fields) => ['/v1/chat/completions', { model: 'at-openai-chat', ...chatBody, ...fields }],
  'newer chat': (fields) => ['/v1/chat/completions', { model: 'at-openai', ...chatBody, ...fields }],
  'older chat': (fields) => ['/v1/chat/completions', { model: 'at-deepseek', ...chatBody, ...fields }],
  'chat translated': (fields) => ['/v1/chat/completions', { model: 'at-anthropic-messages', ...chatBody, ...fields }],
  completions: (fields) => ['/v1/completions', { model: 'at-openai-chat', prompt: 'hi', ...fields }],
  messages: (fields) => ['/v1/messages', { model: 'at-anthropic-messages', max_tokens: 1, ...chatBody, ...fields }],
  cohere: (fields) => ['/v2/chat', { model: 'at-openai-chat', ...chatBody, ...fields }],
  responses: (fields) => ['/v1/responses', { model: 'at-openai-responses', input: 'hi', ...fields }],
  generate: (fields) => [
    `/v1beta/models/at-gemini-generate:${fields['stream'] === true ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    { contents: [{ role: 'user', parts: [{ text: 'hi' }] }], ...fields, stream: undefined },
  ],
};

function call(name: string, fields: Fields): Promise<Response> {
  const [path, body] = asks[name]?.(fields) ?? ['', {}];
  return send(path, JSON.stringify(body));
}

function send(path: string, body: string): Promise<Response> {
  return fetch(`${weir.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token.token}`, 'content-type': 'application/json' },
    body,
  });
}

/** Of one token's budget, once no request is running. */
async function spentNano(): Promise<bigint> {
  await settledLedger(weir);
  const { budgets } = await readLedger(weir);
  const own = budgets.find(({ scope }) => scope === `token:${token.id}`);
  expect(own?.heldNano ?? 0n).toBe(0n);
  return own?.spentNano ?? 0n;
}

const crowd = sized(6, 50);
const most = 100_000;
/** Two limits of which the smaller one used to be the bound, in every field that some server reads. */
const cases: readonly (readonly [string, Fields])[] = [
  ['chat', { max_completion_tokens: 1, max_tokens: most }],
  ['chat', { max_completion_tokens: most, max_tokens: 1 }],
  ['chat', { max_tokens: 1, n_predict: most }],
  ['chat', { max_tokens: 1, MAX_TOKENS: most }],
  ['chat', { max_tokens: 1, options: { num_predict: most } }],
  ['chat', { max_tokens: 1, extra_body: { parameters: { max_new_tokens: most } } }],
  ['chat', { max_tokens: 1000, best_of: 100 }],
  ['chat', { n_predict: most }],
  ['newer chat', { max_completion_tokens: 1, max_tokens: most }],
  ['chat translated', { max_completion_tokens: 1, max_tokens: most }],
  ['chat translated', { reasoning: { max_tokens: most } }],
  ['completions', { max_tokens: 1, max_new_tokens: most }],
  ['completions', { max_tokens: 1000, num_return_sequences: 100 }],
  ['messages', { max_tokens: 1, max_output_tokens: most }],
  ['messages', { max_tokens: 1000, n: 100 }],
  ['cohere', { max_tokens: 1, max_completion_tokens: most }],
  ['cohere', { max_tokens: most }],
  ['cohere', { thinking: { type: 'enabled', token_budget: most } }],
  ['responses', { max_output_tokens: 1, max_tokens: most }],
  ['responses', { max_output_tokens: 1, max_completion_tokens: most }],
  ['generate', { generationConfig: { maxOutputTokens: 1, max_output_tokens: most } }],
  ['generate', { generationConfig: { maxOutputTokens: 1 }, generation_config: { maxOutputTokens: most } }],
  ['generate', { generationConfig: { maxOutputTokens: 1000, candidateCount: 1, candidate_count: 100 } }],
];

describe.each([false, true])(`a budget holds under ${crowd} requests at once (stream: %p)`, (stream) => {
  test.each(cases)('%s %j', async (name, fields) => {
    const replies = await Promise.all(Array.from({ length: crowd }, () => call(name, { ...fields, stream })));
    const statuses = await Promise.all(replies.map(async (reply) => (await reply.text()) && reply.status));
    expect(new Set(statuses)).toEqual(new Set([402]));
    expect([upstream.requests.length, await spentNano()]).toEqual([0, 0n]);
  });
});

test('requests are admitted as long as they fit, and charged as invoiced', async () => {
  token = await newToken();
  const fields = { max_tokens: 1, max_completion_tokens: 900, n: 1 };
  const replies = await Promise.all(Array.from({ length: 50 }, () => call('chat', fields)));
  const admitted = replies.filter(({ status }) => status === 200).length;
  expect(admitted).toBeGreaterThanOrEqual(9);
  expect(upstream.requests.length).toBe(admitted);
  const spent = await spentNano();
  expect(spent).toBe(BigInt(upstream.outputOrdered() + admitted * 10) * nanoPerToken);
  expect(spent).toBeLessThanOrEqual(BigInt(budgetUsd) * nanoPerUsd);
});

describe('what is sent', () => {
  beforeAll(async () => {
    token = await newToken();
  });
  const sent = () => upstream.requests.at(-1);

  test('a target that reads the older name gets the limit under that name only', async () => {
    await call('older chat', { max_completion_tokens: 5, max_tokens: 7 });
    expect([sent()?.body['max_tokens'], sent()?.body['max_completion_tokens']]).toEqual([7, undefined]);
    await call('older chat', { max_completion_tokens: 5 });
    expect([sent()?.body['max_tokens'], sent()?.body['max_completion_tokens']]).toEqual([5, undefined]);
    await call('older chat', { max_tokens: 5 });
    expect(sent()?.text).toBe(JSON.stringify(asks['older chat']?.({ max_tokens: 5 })[1]));
  });

  test('any other gets the body byte for byte', async () => {
    const fields = { max_completion_tokens: 5, max_tokens: 7, options: { num_predict: 3 } };
    await call('newer chat', fields);
    expect(sent()?.text).toBe(JSON.stringify(asks['newer chat']?.(fields)[1]));
  });

  test('a duplicate name inside an object is sent as it was checked', async () => {
    const text = `{"model":"at-openai-chat","messages":[{"role":"user","content":"hi"}],"max_tokens":1,"options":{"num_predict":${most},"num_predict":1}}`;
    expect((await send('/v1/chat/completions', text)).status).toBe(200);
    expect(sent()?.text).toContain('"options":{"num_predict":1}');
    const path = '/v1beta/models/at-gemini-generate:generateContent';
    const body = `{"contents":[{"parts":[{"text":"hi"}]}],"generationConfig":{"maxOutputTokens":${most},"max\\u004futputTokens":2}}`;
    expect((await send(path, body)).status).toBe(200);
    expect(sent()?.text).toContain('"generationConfig":{"maxOutputTokens":2}');
  });

  test('of two spellings of the content-generation format only the one that was read is sent', async () => {
    await call('generate', {
      generationConfig: { maxOutputTokens: 1, max_output_tokens: 2, candidateCount: 1, candidate_count: 2 },
      generation_config: { maxOutputTokens: 3 },
    });
    expect(sent()?.body['generationConfig']).toEqual({ maxOutputTokens: 1, candidateCount: 1 });
    expect(sent()?.body).not.toHaveProperty('generation_config');
  });
});

test.each([
  ['chat', { n_predict: '5' }, 'n_predict'],
  ['chat', { options: { num_predict: -1 } }, 'options.num_predict'],
  ['messages', { max_output_tokens: 1.5 }, 'max_output_tokens'],
  ['responses', { max_tokens: 1e12 }, 'max_tokens'],
] as const)('%s with %j names the field', async (name, fields, param) => {
  const reply = await call(name, fields);
  expect(reply.status).toBe(400);
  if (name !== 'messages') expect((await errorOf(reply)).param).toBe(param);
  expect(upstream.requests).toEqual([]);
});

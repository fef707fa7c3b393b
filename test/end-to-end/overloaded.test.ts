/** Providers that fail before the first byte: retried within the caller's patience, then libraries may retry. */

import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import OpenAI from 'openai';
import { type Answer, type RefusingUpstream, startRefusing } from '../harness/refusing-upstream.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

setDefaultTimeout(300_000);

let upstream: RefusingUpstream;
/** Waits for a provider to recover. */
let patient: RunningWeir;
/** Does not. */
let hasty: RunningWeir;

/** Each case has its own model: none is affected by the health of another's target. */
const models = Array.from({ length: 40 }, (_, place) => `m-${place}`);
let next = 0;
const model = (provider = 'chat') => `${provider}/${models[next++]}`;

beforeAll(async () => {
  upstream = startRefusing();
  const provider = (kind: string, base: string) => ({ kind, base_url: base, key: 'sk-any', models });
  const providers = {
    chat: provider('openai-chat', `${upstream.base}/v1`),
    messages: provider('anthropic', upstream.base),
    generate: provider('gemini', upstream.base),
  };
  [patient, hasty] = await Promise.all([
    startWeir({ yaml: { providers, clocks: { patience_ms: 5_000 } } }),
    startWeir({ yaml: { providers, clocks: { patience_ms: 0 } } }),
  ]);
});
afterAll(async () => {
  await Promise.all([patient.remove(), hasty.remove()]);
  await upstream.stop();
});
afterEach(() => upstream.reset());

const failing = (status: number, error: object = { message: 'said' }, headers = {}): Answer => ({
  status,
  body: { error },
  headers,
});
const first =
  (times: number, answer: Answer) =>
  (_: unknown, nth: number): Answer | undefined =>
    nth <= times ? answer : undefined;

/** The libraries' promises are not native ones, which `rejects` needs. */
const awaited = async <Value>(call: PromiseLike<Value>): Promise<Value> => await call;
const messages = [{ role: 'user' as const, content: 'Good day' }];
const openai = (weir: RunningWeir, maxRetries = 0) =>
  new OpenAI({ baseURL: weir.base, apiKey: weir.token, maxRetries });
const anthropic = (weir: RunningWeir, maxRetries = 0) =>
  new Anthropic({ baseURL: weir.url, apiKey: weir.token, maxRetries });

describe('one target is retried before anything reached the client', () => {
  test.each([
    ['overloaded (529)', failing(529, { type: 'overloaded_error', message: 'Overloaded' })],
    ['unavailable (503)', failing(503, { status: 'UNAVAILABLE', message: 'The model is overloaded.' })],
    ['overloaded with a time to wait', failing(503, { message: 'busy' }, { 'retry-after': '0.2' })],
    ['failed (500)', failing(500)],
    ['failed (502)', failing(502)],
  ])('%s', async (_, answer) => {
    upstream.answer = first(1, answer);
    const reply = await openai(patient).chat.completions.create({ model: model(), messages }).withResponse();
    expect(reply.data.choices[0]?.message.content).toBe('Good day');
    expect([upstream.seen.length, reply.response.headers.get('x-weir-attempts')]).toEqual([2, '2']);
  });

  test('an error as the first event of a stream', async () => {
    const body = 'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n';
    upstream.answer = first(1, { status: 200, body });
    const stream = anthropic(patient).messages.stream({ model: model('messages'), max_tokens: 9, messages });
    expect(await stream.finalText()).toBe('Good day');
    expect(upstream.seen.length).toBe(2);
  });

  test('a failed request is retried once, not several times', async () => {
    upstream.answer = () => failing(500);
    const call = openai(patient).chat.completions.create({ model: model(), messages });
    await expect(awaited(call)).rejects.toMatchObject({ status: 502 });
    expect(upstream.seen.length).toBe(2);
  });

  test('it is not retried if it asks for more time than the caller has', async () => {
    upstream.answer = () => failing(529, { message: 'Overloaded' }, { 'retry-after': '60' });
    const error = await openai(patient)
      .chat.completions.create({ model: model(), messages })
      .catch((thrown) => thrown);
    expect(upstream.seen.length).toBe(1);
    expect(error.status).toBe(503);
    expect(Number(error.headers.get('retry-after'))).toBeGreaterThan(55);
  });
});

describe('then the official libraries retry by themselves', () => {
  test.each([503, 529])('openai, after %d', async (status) => {
    upstream.answer = first(1, failing(status, { message: 'Overloaded' }));
    const reply = await openai(hasty, 2).chat.completions.create({ model: model(), messages });
    expect(reply.choices[0]?.message.content).toBe('Good day');
    expect(upstream.seen.length).toBe(2);
  });

  test('anthropic, with a provider of another format', async () => {
    upstream.answer = first(1, failing(503, { message: 'Overloaded' }));
    const reply = await anthropic(hasty, 2).messages.create({ model: model(), max_tokens: 9, messages });
    expect(reply.content).toMatchObject([{ text: 'Good day' }]);
    expect(upstream.seen.length).toBe(2);
  });

  test('google, which reads only the status', async () => {
    upstream.answer = first(1, failing(503, { message: 'Overloaded' }, { 'retry-after': '0.1' }));
    const retryOptions = { attempts: 3, initialDelay: 0.2 };
    const ai = new GoogleGenAI({ apiKey: hasty.token, httpOptions: { baseUrl: hasty.url, retryOptions } });
    const reply = await ai.models.generateContent({ model: model(), contents: 'Good day' });
    expect(reply.text).toBe('Good day');
    expect(upstream.seen.length).toBe(2);
  });

  test('the headers say when to retry, and do not forbid it', async () => {
    upstream.answer = () => failing(529, { type: 'overloaded_error', message: 'Overloaded' });
    const error = await anthropic(hasty)
      .messages.create({ model: model(), max_tokens: 9, messages })
      .catch((thrown) => thrown);
    expect([error.status, error.error.error.type]).toEqual([503, 'overloaded_error']);
    expect(error.headers.get('x-should-retry')).toBeNull();
    expect(Number(error.headers.get('retry-after-ms'))).toBeGreaterThan(0);
  });

  test('a request that may have been billed is not to be retried', async () => {
    upstream.answer = () => failing(500);
    const error = await openai(hasty, 2)
      .chat.completions.create({ model: model(), messages })
      .catch((thrown) => thrown);
    expect([error.status, error.headers.get('x-should-retry'), upstream.seen.length]).toEqual([502, 'false', 1]);
  });
});

describe('a turn that ended with an unreadable tool call', () => {
  const malformed = {
    candidates: [
      { content: {}, finishReason: 'MALFORMED_FUNCTION_CALL', finishMessage: 'Malformed function call: x(', index: 0 },
    ],
    usageMetadata: { promptTokenCount: 1, totalTokenCount: 1 },
  };
  const streamed: Answer = { status: 200, body: `data: ${JSON.stringify(malformed)}\n\n` };

  test('is retried once', async () => {
    upstream.answer = first(1, { status: 200, body: malformed });
    const reply = await openai(patient).chat.completions.create({ model: model('generate'), messages });
    expect([reply.choices[0]?.message.content, upstream.seen.length]).toEqual(['Good day', 2]);
  });

  test('is retried once when it is streamed', async () => {
    upstream.answer = first(1, streamed);
    const stream = anthropic(patient).messages.stream({ model: model('generate'), max_tokens: 9, messages });
    expect(await stream.finalText()).toBe('Good day');
    expect(upstream.seen.length).toBe(2);
  });

  test('and is an error after that, not an empty answer', async () => {
    upstream.answer = () => ({ status: 200, body: malformed });
    const whole = openai(hasty).chat.completions.create({ model: model('generate'), messages });
    await expect(awaited(whole)).rejects.toThrow('Malformed function call: x(');
    upstream.answer = () => streamed;
    const stream = anthropic(hasty).messages.stream({ model: model('generate'), max_tokens: 9, messages });
    await expect(stream.finalText()).rejects.toThrow('Malformed function call: x(');
  });
});

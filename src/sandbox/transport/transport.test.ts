/** The sandbox over its transport: real bytes, real back-pressure, and each misbehaviour as its model's name says. */

import { describe, expect, test } from 'bun:test';
import { drain, stillSandbox as sandbox } from '../../../test/harness/sandbox.ts';
import { expectValid } from '../../../test/harness/schema.ts';
import { sandboxModels } from '../models.ts';

const chat = (model: string, fields: Record<string, unknown> = {}) => ({
  model,
  messages: [{ role: 'user', content: 'what is 6*7?' }],
  ...fields,
});
const streamed = (model: string, fields: Record<string, unknown> = {}) => chat(model, { stream: true, ...fields });

interface Chunk {
  readonly choices: readonly {
    readonly index: number;
    readonly delta: { readonly content?: string | null; readonly refusal?: string | null };
    readonly finish_reason: string | null;
  }[];
  readonly usage?: { readonly completion_tokens: number } | null;
}

/** `before` is what came before a broken event. */
function readEvents(text: string): { chunks: Chunk[]; before: Chunk[]; done: boolean; broken: number } {
  const chunks: Chunk[] = [];
  let before = chunks;
  let broken = 0;
  const frames = text.split('\n\n').filter((frame) => frame !== '');
  for (const frame of frames) {
    if (frame === 'data: [DONE]') continue;
    try {
      const chunk = JSON.parse(frame.slice('data: '.length));
      expectValid('CreateChatCompletionStreamResponse', chunk);
      chunks.push(chunk);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      before = [...chunks];
      broken++;
    }
  }
  return { chunks, before, done: frames.at(-1) === 'data: [DONE]', broken };
}

const contentOf = (chunks: readonly Chunk[], index = 0): string =>
  chunks
    .flatMap((chunk) =>
      chunk.choices.filter((choice) => choice.index === index).map((choice) => choice.delta.content ?? ''),
    )
    .join('');
const deltasOf = (chunks: readonly Chunk[]): number =>
  chunks.filter((chunk) => (chunk.choices[0]?.delta.content ?? '') !== '').length;

/** Of the event loop, until it is answered. */
async function turnsFor(content: string): Promise<number> {
  let isAnswered = false;
  const answering = sandbox()
    .post(chat('sandbox-chat', { messages: [{ role: 'user', content }] }))
    .finally(() => {
      isAnswered = true;
    });
  let turns = 0;
  for (; !isAnswered; turns += 1) await new Promise((resolve) => setImmediate(resolve));
  expect((await answering).status).toBe(200);
  return turns;
}

test('a large request is read, answered and written in a turn each', async () => {
  await turnsFor('loads what is loaded with the first request');
  const small = await turnsFor('what is 6*7?');
  expect(await turnsFor('x'.repeat(32_768))).toBe(small + 2);
});

describe('replies', () => {
  test('whole', async () => {
    const response = await sandbox().post(chat('sandbox-chat'));
    const body = await response.json();
    expect(response.status).toBe(200);
    expectValid('CreateChatCompletionResponse', body);
    expect(body).toMatchObject({ id: 'chatcmpl-id1', created: 1_700_000_000, model: 'sandbox-chat' });
    expect(body.choices[0].message.content).toStartWith('6*7 = 42.');
    expect(body.usage.prompt_tokens_details).toMatchObject({ cached_tokens: 0 });
    expect(body.usage.completion_tokens_details).toMatchObject({ reasoning_tokens: 0 });
  });

  test('streamed, the same words: one delta is one token', async () => {
    const { post } = sandbox();
    const whole = await (await post(chat('sandbox-chat'))).json();
    const response = await post(streamed('sandbox-chat', { stream_options: { include_usage: true } }));
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    const { chunks, done } = readEvents(await response.text());
    expect(contentOf(chunks)).toBe(whole.choices[0].message.content);
    expect(deltasOf(chunks)).toBe(whole.usage.completion_tokens);
    expect(chunks.at(-1)?.usage).toEqual(whole.usage);
    expect(done).toBe(true);
  });

  test('the usage chunk comes only when asked for', async () => {
    const { chunks } = readEvents(await (await sandbox().post(streamed('sandbox-chat'))).text());
    expect(chunks.every((chunk) => chunk.choices.length === 1 && !('usage' in chunk))).toBe(true);
  });

  test('several choices take turns', async () => {
    const { chunks } = readEvents(await (await sandbox().post(streamed('sandbox-chat', { n: 2 }))).text());
    expect(chunks.slice(0, 4).map((chunk) => chunk.choices[0]?.index)).toEqual([0, 1, 0, 1]);
    expect(contentOf(chunks, 0)).not.toBe(contentOf(chunks, 1));
  });

  test('tools, whole and streamed, and the dialect of before tools', async () => {
    const declared = {
      name: 'get_weather',
      description: 'weather',
      parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    };
    const messages = [{ role: 'user', content: 'weather in Paris and in Rome' }];
    const tools = [{ type: 'function', function: declared }];
    const { post } = sandbox();
    const whole = await (await post(chat('sandbox-chat', { messages, tools }))).json();
    expectValid('CreateChatCompletionResponse', whole);
    const names = whole.choices[0].message.tool_calls.map(
      (call: { function: { arguments: string } }) => call.function.arguments,
    );
    expect(names).toEqual(['{"city":"Paris"}', '{"city":"Rome"}']);
    const { chunks } = readEvents(await (await post(streamed('sandbox-chat', { messages, tools }))).text());
    expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe('tool_calls');
    const legacy = await (await post(chat('sandbox-chat', { messages, functions: [declared] }))).json();
    expect(legacy.choices[0].message.function_call).toEqual({ name: 'get_weather', arguments: '{"city":"Paris"}' });
  });
});

describe('pace', () => {
  test('a wait between deltas, one delta a chunk', async () => {
    const { post, waits } = sandbox(20);
    const { chunks } = readEvents(await (await post(streamed('sandbox-chat', { max_tokens: 5 }))).text());
    expect(deltasOf(chunks)).toBe(5);
    expect(waits.map(({ ms }) => ms)).toEqual([20, 20, 20, 20]);
  });

  test('sandbox-slow is a second late and slow', async () => {
    const { post, waits } = sandbox();
    await (await post(streamed('sandbox-slow', { max_tokens: 3 }))).text();
    expect(waits.map(({ ms }) => ms)).toEqual([1000, 100, 100]);
    waits.length = 0;
    await (await post(chat('sandbox-slow', { max_tokens: 3 }))).text();
    expect(waits.map(({ ms }) => ms)).toEqual([1300]);
  });
});

describe('misbehaviour', () => {
  test('sandbox-stall sends three deltas and hangs until it is aborted', async () => {
    const abort = new AbortController();
    const response = await sandbox().post(streamed('sandbox-stall'), abort.signal);
    const reader = response.body?.getReader();
    const first = await reader?.read();
    const { chunks, done } = readEvents(new TextDecoder().decode(first?.value));
    expect([deltasOf(chunks), done]).toEqual([3, false]);
    const hanging = reader?.read();
    const reason = new Error('gone');
    abort.abort(reason);
    await expect(hanging).rejects.toBe(reason);
  });

  test('sandbox-stall without streaming never answers, until it is aborted', async () => {
    const abort = new AbortController();
    const answer = sandbox().post(chat('sandbox-stall'), abort.signal);
    expect(await Promise.race([answer, Promise.resolve('still waiting')])).toBe('still waiting');
    const reason = new Error('gone');
    abort.abort(reason);
    await expect(answer).rejects.toBe(reason);
  });

  test('sandbox-cut fails in mid-stream without an end, and ends short without streaming', async () => {
    const { post } = sandbox();
    const { text, error } = await drain(await post(streamed('sandbox-cut')));
    const { chunks, done } = readEvents(text);
    expect(error).toBeInstanceOf(Error);
    expect(done).toBe(false);
    expect(deltasOf(chunks)).toBeGreaterThan(0);
    expect(chunks.every((chunk) => chunk.choices[0]?.finish_reason === null)).toBe(true);
    const short = await (await post(chat('sandbox-cut'))).text();
    expect(short.length).toBeGreaterThan(10);
    expect(() => JSON.parse(short)).toThrow();
  });

  test('sandbox-429 and sandbox-500 refuse in the format', async () => {
    for (const body of [chat, streamed]) {
      const limited = await sandbox().post(body('sandbox-429'));
      expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, '1']);
      expectValid('ErrorResponse', await limited.json());
      const failed = await sandbox().post(body('sandbox-500'));
      expect(failed.status).toBe(500);
      expectValid('ErrorResponse', await failed.json());
    }
  });

  test('sandbox-malformed breaks one event after three good deltas, or the whole JSON', async () => {
    const { post } = sandbox();
    const text = await (await post(streamed('sandbox-malformed'))).text();
    const { broken, before } = readEvents(text);
    expect(broken).toBe(1);
    expect(deltasOf(before)).toBe(3);
    const response = await post(chat('sandbox-malformed'));
    expect(response.status).toBe(200);
    await expect(response.json()).rejects.toThrow();
  });

  test('sandbox-refuse refuses in its own field', async () => {
    const whole = await (await sandbox().post(chat('sandbox-refuse'))).json();
    expectValid('CreateChatCompletionResponse', whole);
    expect(whole.choices[0]).toMatchObject({ finish_reason: 'content_filter', message: { content: null } });
    const { chunks } = readEvents(await (await sandbox().post(streamed('sandbox-refuse'))).text());
    expect(chunks.map((chunk) => chunk.choices[0]?.delta.refusal ?? '').join('')).toBe(
      whole.choices[0].message.refusal,
    );
  });

  test('max_tokens counts for all that answer', async () => {
    for (const model of ['sandbox-chat', 'sandbox-slow', 'sandbox-refuse', 'sandbox-long']) {
      const body = await (await sandbox().post(chat(model, { max_tokens: 2 }))).json();
      expect([model, body.usage.completion_tokens, body.choices[0].finish_reason]).toEqual([model, 2, 'length']);
    }
    const abort = new AbortController();
    const response = await sandbox().post(streamed('sandbox-stall', { max_tokens: 2 }), abort.signal);
    const first = await response.body?.getReader().read();
    expect(deltasOf(readEvents(new TextDecoder().decode(first?.value)).chunks)).toBe(2);
    abort.abort();
  });
});

describe('flow', () => {
  test('nothing is produced before it is asked for, and only as much as is asked for', async () => {
    const asked: number[] = [];
    const { post } = sandbox(1, async (ms) => void asked.push(ms));
    const response = await post(streamed('sandbox-long', { messages: [{ role: 'user', content: 'continue' }] }));
    const reader = response.body?.getReader();
    expect(asked.length).toBe(0);
    for (let reads = 0; reads < 4; reads++) await reader?.read();
    expect(asked.length).toBe(3);
    await reader?.cancel();
    expect(asked.length).toBe(3);
  });

  test('without a pace a chunk holds many events and stays small', async () => {
    const response = await sandbox().post(
      streamed('sandbox-long', { messages: [{ role: 'user', content: 'continue' }] }),
    );
    const reader = response.body?.getReader();
    const first = await reader?.read();
    expect(first?.value?.length).toBeGreaterThan(10_000);
    expect(first?.value?.length).toBeLessThan(20_000);
    await reader?.cancel();
  });

  test('an abort ends a paced stream at once and reaches the wait', async () => {
    const abort = new AbortController();
    const waiting = Promise.withResolvers<AbortSignal>();
    const { post } = sandbox(1000, (_ms, signal) => {
      waiting.resolve(signal);
      return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    });
    const reader = (await post(streamed('sandbox-chat'), abort.signal)).body?.getReader();
    await reader?.read();
    const pending = reader?.read();
    const signal = await waiting.promise;
    const reason = new Error('left');
    abort.abort(reason);
    await expect(pending).rejects.toBe(reason);
    expect(signal.aborted).toBe(true);
  });

  test('a cancelled body stops the wait too', async () => {
    const waiting = Promise.withResolvers<AbortSignal>();
    const { post } = sandbox(1000, (_ms, signal) => {
      waiting.resolve(signal);
      return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    });
    const reader = (await post(streamed('sandbox-chat'))).body?.getReader();
    await reader?.read();
    void reader?.read();
    const signal = await waiting.promise;
    await reader?.cancel();
    expect(signal.aborted).toBe(true);
  });

  test('a request that was aborted before is not begun', async () => {
    await expect(sandbox().post(chat('sandbox-chat'), AbortSignal.abort(new Error('early')))).rejects.toThrow('early');
  });
});

describe('edges', () => {
  test('unknown model, bad bodies, unknown paths', async () => {
    const { post, get } = sandbox();
    const cases: readonly [unknown, number, string][] = [
      [chat('nope'), 404, 'model'],
      ['{', 400, ''],
      ['[]', 400, ''],
      [{ messages: [] }, 400, 'model'],
      [{ model: 'sandbox-chat' }, 400, 'messages'],
      [{ model: 'sandbox-chat', messages: [] }, 400, 'messages'],
    ];
    for (const [body, status, param] of cases) {
      const response = await post(body);
      const error = await response.json();
      expectValid('ErrorResponse', error);
      expect([response.status, error.error.param]).toEqual([status, param]);
    }
    expect((await post(chat('sandbox-chat'), undefined, '/nothing')).status).toBe(404);
    expect((await get('/chat/completions')).status).toBe(404);
  });

  test('the models say what they do', async () => {
    const { get } = sandbox();
    const list = await (await get('/models')).json();
    expectValid('ListModelsResponse', list);
    expect(list.data.map((model: { id: string }) => model.id)).toEqual(sandboxModels.map(({ id }) => id));
    for (const { description } of sandboxModels) expect(description.length).toBeGreaterThan(20);
    const one = await (await get('/models/sandbox-chat')).json();
    expectValid('Model', one);
    expect((await get('/models/nope')).status).toBe(404);
  });
});

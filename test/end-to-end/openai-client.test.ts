/** The official library, pointed at Weir only, does what it does against its own vendor. */

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import OpenAI, {
  APIError,
  AuthenticationError,
  BadRequestError,
  InternalServerError,
  NotFoundError,
  PermissionDeniedError,
  RateLimitError,
} from 'openai';
import type { ChatCompletion, ChatCompletionMessageParam, ChatCompletionTool } from 'openai/resources/chat/completions';
import { type Script, scriptText } from '../fake-upstream/script.ts';
import { dataOf } from '../harness/chat.ts';
import { expectValid } from '../harness/schema.ts';
import { createToken } from '../harness/token.ts';
import { type RunningUpstream, startUpstream } from '../harness/upstream.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

let upstream: RunningUpstream;
let weir: RunningWeir;
/** Status of every HTTP reply the library saw, so that its own retries are visible. */
const statuses: number[] = [];

beforeAll(async () => {
  upstream = await startUpstream();
  weir = await startWeir({
    yaml: {
      providers: {
        up: { kind: 'openai', base_url: upstream.base, key: 'sk-upstream', models: ['gpt-4.1', 'unpriced'] },
        // Refuses everything after its first refusal.
        limited: { kind: 'openai', base_url: upstream.base, key: 'sk-limited', models: ['limited'] },
      },
      models: { fast: { targets: [{ provider: 'up', model: 'gpt-4.1' }] } },
    },
  });
});
afterAll(async () => {
  await weir.remove();
  await upstream.stop();
});
beforeEach(() => {
  statuses.length = 0;
});

/** A client whose every reply and event is checked against the published schemas. */
function client(apiKey = weir.token, maxRetries = 0): OpenAI {
  return new OpenAI({
    apiKey,
    baseURL: weir.base,
    maxRetries,
    fetch: async (address, init) => {
      const reply = await fetch(address as string, init as RequestInit);
      statuses.push(reply.status);
      expect(reply.headers.get('x-request-id')).toBeTruthy();
      await validate(new URL(String(address)).pathname, reply.clone());
      return reply;
    },
  });
}

async function validate(path: string, reply: Response): Promise<void> {
  const text = await reply.text();
  if (reply.status >= 400) return expectValid('ErrorResponse', JSON.parse(text));
  if (path === '/v1/models') return expectValid('ListModelsResponse', JSON.parse(text));
  if (path.startsWith('/v1/models/')) return expectValid('Model', JSON.parse(text));
  if (!reply.headers.get('content-type')?.startsWith('text/event-stream'))
    return expectValid('CreateChatCompletionResponse', JSON.parse(text));
  for (const data of dataOf(text).filter((each) => each !== '[DONE]'))
    expectValid(data.startsWith('{"error"') ? 'ErrorResponse' : 'CreateChatCompletionStreamResponse', JSON.parse(data));
}

const say = (content: string): ChatCompletionMessageParam[] => [{ role: 'user', content }];
const scripted = (script: Script) => say(scriptText(script));

/** The error a call ends with; a call that succeeds is the failure here. */
async function failure(call: Promise<unknown>): Promise<APIError> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof APIError)) throw new Error(`expected an APIError, got ${error}`);
  for (const field of [error.code, error.type, error.param]) expect(typeof field).toBe('string');
  return error;
}

test('models are listed and retrieved, aliases and slashes included', async () => {
  const ids: string[] = [];
  for await (const model of client().models.list()) ids.push(model.id);
  expect(ids).toContain('fast');
  expect(ids).toContain('sandbox-chat');
  expect(ids.some((id) => id === 'gpt-4.1' || id === 'up/gpt-4.1')).toBe(true);
  expect((await client().models.retrieve('sandbox-chat')).id).toBe('sandbox-chat');
  expect((await client().models.retrieve('up/gpt-4.1')).object).toBe('model');
  expect(await failure(client().models.retrieve('no-such-model'))).toBeInstanceOf(NotFoundError);
});

describe.each(['sandbox-chat', 'gpt-4.1', 'up/gpt-4.1', 'fast'])('%s', (model) => {
  test('chat', async () => {
    const { data: reply, request_id } = await client()
      .chat.completions.create({ model, messages: say('What is 6 times 7?') })
      .withResponse();
    expect(reply.choices[0]?.message.content?.length).toBeGreaterThan(0);
    expect(reply.choices[0]?.finish_reason).toBe('stop');
    expect(reply.usage?.total_tokens).toBeGreaterThan(0);
    expect(request_id).toBeTruthy();
  });

  test('streamed chat equals itself when folded by the library', async () => {
    const stream = client().chat.completions.stream({ model, messages: say('Tell me about the river.') });
    let deltas = '';
    stream.on('content', (delta) => {
      deltas += delta;
    });
    const whole = await stream.finalChatCompletion();
    expect(whole.choices[0]?.message.content).toBe(deltas);
    expect(deltas.length).toBeGreaterThan(0);
    expect(whole.choices[0]?.finish_reason).toBe('stop');
  });

  test('a usage chunk comes when asked for and only then', async () => {
    const count = async (options: object) => {
      let chunks = 0;
      const stream = await client().chat.completions.create({
        model,
        messages: say('Hello.'),
        stream: true,
        ...options,
      });
      for await (const chunk of stream) if (chunk.usage) chunks++;
      return chunks;
    };
    expect(await count({})).toBe(0);
    expect(await count({ stream_options: { include_usage: true } })).toBe(1);
  });

  test('ids differ between replies', async () => {
    const ask = () => client().chat.completions.create({ model, messages: say('Hello.') });
    const [first, second] = await Promise.all([ask(), ask()]);
    expect(first.id).not.toBe(second.id);
  });
});

const weatherTool: ChatCompletionTool = {
  type: 'function',
  function: {
    name: 'get_weather',
    description: 'Weather of a city',
    parameters: {
      type: 'object',
      properties: { city: { type: 'string' } },
      required: ['city'],
      additionalProperties: false,
    },
  },
};

async function toolLoop(model: string, content: string, stream: boolean): Promise<ChatCompletion> {
  const messages: ChatCompletionMessageParam[] = say(content);
  const ask = async () =>
    stream
      ? client()
          .chat.completions.stream({ model, messages, tools: [weatherTool] })
          .finalChatCompletion()
      : client().chat.completions.create({ model, messages, tools: [weatherTool] });
  const first = await ask();
  expect(first.choices[0]?.finish_reason).toBe('tool_calls');
  const message = first.choices[0]?.message;
  if (message === undefined) throw new Error('no choice');
  const call = message.tool_calls?.[0];
  if (call?.type !== 'function') throw new Error('no function call');
  expect(call.function.name).toBe('get_weather');
  expect(typeof (JSON.parse(call.function.arguments) as { city: unknown }).city).toBe('string');
  messages.push(message, { role: 'tool', tool_call_id: call.id, content: '{"temperature":21}' });
  return ask();
}

test.each([true, false])('a tool is called and its result answered (stream: %p)', async (stream) => {
  const call = { name: 'get_weather', arguments: '{"city": "Paris"}' };
  const rounds = [
    ['sandbox-chat', 'What is the weather in Paris?'],
    ['gpt-4.1', scriptText({ toolCall: call, text: 'It is mild.' })],
  ] as const;
  for (const [model, content] of rounds) {
    const last = await toolLoop(model, content, stream);
    expect(last.choices[0]?.finish_reason).toBe('stop');
    expect(last.choices[0]?.message.content?.length).toBeGreaterThan(0);
  }
});

test('structured output is valid against its schema', async () => {
  const schema = {
    type: 'object',
    properties: {
      city: { type: 'string' },
      population: { type: 'integer' },
      tags: { type: 'array', items: { type: 'string' } },
    },
    required: ['city', 'population', 'tags'],
    additionalProperties: false,
  };
  const rounds = [
    ['sandbox-chat', 'Paris has a population of 2100000.'],
    ['gpt-4.1', scriptText({ text: '{"city":"Paris","population":2100000,"tags":[]}' })],
  ] as const;
  for (const [model, content] of rounds) {
    const reply = await client().chat.completions.create({
      model,
      messages: say(content),
      response_format: { type: 'json_schema', json_schema: { name: 'city', strict: true, schema } },
    });
    const value = JSON.parse(reply.choices[0]?.message.content ?? '') as Record<string, unknown>;
    expect(Object.keys(value).sort()).toEqual(['city', 'population', 'tags']);
    expect(typeof value['city']).toBe('string');
    expect(Number.isInteger(value['population'])).toBe(true);
    expect(Array.isArray(value['tags'])).toBe(true);
  }
});

test('the sandbox honors n, max_tokens, stop and seed', async () => {
  const ask = (fields: object) =>
    client().chat.completions.create({
      model: 'sandbox-chat',
      messages: say('Say something long about rivers.'),
      ...fields,
    });
  const pair = await ask({ n: 2 });
  expect(pair.choices.map((choice) => choice.index)).toEqual([0, 1]);
  const short = await ask({ max_tokens: 2 });
  expect(short.choices[0]?.finish_reason).toBe('length');
  expect(short.usage?.completion_tokens).toBeLessThanOrEqual(2);
  const [one, same] = await Promise.all([ask({ seed: 7 }), ask({ seed: 7 })]);
  expect(one.choices[0]?.message.content).toBe(same.choices[0]?.message.content ?? '');
  const whole = one.choices[0]?.message.content ?? '';
  const word = whole.split(' ')[2] ?? '';
  const stopped = await ask({ seed: 7, stop: [word] });
  expect(stopped.choices[0]?.message.content).not.toContain(word);
});

test('each refusal is the matching error class of the library', async () => {
  const limited = await createToken(weir, '--models', 'sandbox-*');
  const poor = await createToken(weir, '--budget-usd', '0.000001', '--budget-period', 'total');
  const brief = await createToken(weir, '--rpm', '1');
  const ask = (token: string, fields: object = {}) =>
    client(token).chat.completions.create({ model: 'gpt-4.1', messages: scripted({}), ...fields });

  const unknown = await failure(ask('weir_thisisnotatokenofours00000000000000000000'));
  expect(unknown).toBeInstanceOf(AuthenticationError);
  const denied = await failure(ask(limited.token));
  expect(denied).toBeInstanceOf(PermissionDeniedError);
  expect(denied.code).toBe('model_not_allowed');
  const absent = await failure(ask(weir.token, { model: 'no-such-model' }));
  expect(absent).toBeInstanceOf(NotFoundError);
  expect(absent.code).toBe('model_not_found');
  const bad = await failure(ask(weir.token, { temperature: 'hot' }));
  expect(bad).toBeInstanceOf(BadRequestError);
  expect(bad.param).toBe('temperature');
  const broke = await failure(ask(poor.token));
  expect(broke.status).toBe(402);
  expect(broke.code).toBe('budget_spent');
  expect(broke.headers?.get('x-should-retry')).toBe('false');
  await ask(brief.token);
  const hurried = await failure(ask(brief.token));
  expect(hurried).toBeInstanceOf(RateLimitError);
  expect(Number(hurried.headers?.get('retry-after'))).toBeGreaterThan(0);
});

test("an upstream's refusals keep their class and message, never its key", async () => {
  const ask = (status: number, headers: Record<string, string> = {}) => {
    const body = JSON.stringify({
      error: { message: 'scripted refusal sk-upstream', type: 'x', param: null, code: null },
    });
    return failure(
      client().chat.completions.create({ model: 'gpt-4.1', messages: scripted({ status, body, headers }) }),
    );
  };
  const refused = await ask(400);
  expect(refused).toBeInstanceOf(BadRequestError);
  expect(refused.message).toContain('scripted refusal');
  expect(refused.message).not.toContain('sk-upstream');
  expect(await ask(404)).toBeInstanceOf(NotFoundError);
  expect(await ask(500)).toBeInstanceOf(InternalServerError);
});

test('an upstream that refuses everything for a while is a RateLimitError with its Retry-After', async () => {
  const library = new OpenAI({ apiKey: weir.token, baseURL: weir.base, maxRetries: 0 });
  const messages = scripted({
    status: 429,
    headers: { 'retry-after': '70' },
    body: '{"error":{"message":"slow down"}}',
  });
  const error = await failure(library.chat.completions.create({ model: 'limited', messages }));
  expect(error).toBeInstanceOf(RateLimitError);
  expect(Number(error.headers?.get('retry-after'))).toBeGreaterThan(0);
});

test('the library retries what is safe to retry, and not what may have been billed', async () => {
  const ask = (model: string) =>
    failure(client(weir.token, 2).chat.completions.create({ model, messages: say('hello') }));
  expect(await ask('sandbox-429')).toBeInstanceOf(RateLimitError);
  expect(statuses.length).toBeGreaterThan(1);
  statuses.length = 0;
  expect(await ask('sandbox-500')).toBeInstanceOf(InternalServerError);
  expect(statuses.length).toBe(1);
}, 300_000);

test('a cut stream throws in the library instead of ending as success', async () => {
  const read = async (model: string, messages: ChatCompletionMessageParam[]) => {
    for await (const _ of await client().chat.completions.create({ model, messages, stream: true }));
  };
  for (const how of ['end', 'truncate', 'reset'] as const) {
    const error = await failure(read('gpt-4.1', scripted({ deltas: 9, cut: { after: 3, how } })));
    expect(error.code).toBe('upstream_failed');
  }
  expect((await failure(read('sandbox-cut', say('hello')))).code).toBe('upstream_failed');
});

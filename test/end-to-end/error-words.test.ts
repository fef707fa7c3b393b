/** Errors as the official libraries read them, whatever the provider's format: real processes and sockets. */

import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import OpenAI from 'openai';
import { type Answer, type RefusingUpstream, startRefusing } from '../harness/refusing-upstream.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

setDefaultTimeout(300_000);

let upstream: RefusingUpstream;
let weir: RunningWeir;

const kinds = { chat: 'openai-chat', messages: 'anthropic', generate: 'gemini' } as const;
type ProviderName = keyof typeof kinds;
const names = Object.keys(kinds) as ProviderName[];

beforeAll(async () => {
  upstream = startRefusing();
  const base = { chat: `${upstream.base}/v1`, messages: upstream.base, generate: upstream.base };
  const provider = (name: ProviderName) => ({ kind: kinds[name], base_url: base[name], key: 'sk-any', models: ['m'] });
  weir = await startWeir({
    yaml: {
      providers: Object.fromEntries(names.map((name) => [name, provider(name)])),
      clocks: { patience_ms: 0, head_hold_ms: 1_000 },
    },
  });
});
afterAll(async () => {
  await weir.remove();
  await upstream.stop();
});
afterEach(() => upstream.reset());

/** How a service of each format reports that 9000 tokens are more than its 8192. */
const overflow: Readonly<Record<ProviderName, Answer>> = {
  chat: {
    status: 400,
    body: {
      error: {
        message: "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
        type: 'invalid_request_error',
        param: 'messages',
        code: 'context_length_exceeded',
      },
    },
  },
  messages: {
    status: 400,
    body: {
      type: 'error',
      error: { type: 'invalid_request_error', message: 'prompt is too long: 9000 tokens > 8192 maximum' },
    },
  },
  generate: {
    status: 400,
    body: {
      error: {
        code: 400,
        message: 'The input token count (9000) exceeds the maximum number of tokens allowed (8192).',
        status: 'INVALID_ARGUMENT',
      },
    },
  },
};

const messages = [{ role: 'user' as const, content: 'Good day' }];
const openai = () => new OpenAI({ baseURL: weir.base, apiKey: weir.token, maxRetries: 0 });
const anthropic = () => new Anthropic({ baseURL: weir.url, apiKey: weir.token, maxRetries: 0 });
const google = () => new GoogleGenAI({ apiKey: weir.token, httpOptions: { baseUrl: weir.url } });

async function thrownBy(call: PromiseLike<unknown>): Promise<Error & Record<string, unknown>> {
  try {
    await call;
  } catch (error) {
    return error as Error & Record<string, unknown>;
  }
  throw new Error('nothing was thrown');
}

describe.each(names)('a conversation that is too long for a provider of %s', (name) => {
  const model = `${name}/m`;

  test('openai finds its code, in both formats and in streams', async () => {
    upstream.answer = () => overflow[name];
    const calls = [
      () => openai().chat.completions.create({ model, messages }),
      () => openai().chat.completions.create({ model, messages, stream: true }),
      () => openai().responses.create({ model, input: 'Good day' }),
      () => openai().responses.create({ model, input: 'Good day', stream: true }),
    ];
    for (const call of calls) {
      const { status, code, type } = await thrownBy(call());
      expect([status, code, type]).toEqual([400, 'context_length_exceeded', 'invalid_request_error']);
    }
  });

  test('anthropic finds its message and its numbers', async () => {
    upstream.answer = () => overflow[name];
    const error = await thrownBy(anthropic().messages.create({ model, max_tokens: 9, messages }));
    expect(error['status']).toBe(400);
    expect(error['error']).toMatchObject({
      error: {
        type: 'invalid_request_error',
        message: expect.stringMatching(/^prompt is too long: 9000 tokens > 8192 maximum/),
      },
    });
  });

  test('google finds its status and its message', async () => {
    upstream.answer = () => overflow[name];
    const error = await thrownBy(google().models.generateContent({ model, contents: 'Good day' }));
    expect(error['status']).toBe(400);
    expect(error.message).toContain('"status":"INVALID_ARGUMENT"');
    expect(error.message).toContain(
      'The input token count (9000) exceeds the maximum number of tokens allowed (8192).',
    );
  });

  test('and in a stream whose head was sent', async () => {
    upstream.answer = () => ({ ...overflow[name], delayMs: 3_000 });
    const stream = await openai().responses.create({ model, input: 'Good day', stream: true });
    const events = [];
    for await (const event of stream) events.push(event);
    expect(events.at(-1)).toMatchObject({
      type: 'response.failed',
      response: { status: 'failed', error: { code: 'context_length_exceeded' } },
    });
    const spoken = await thrownBy(anthropic().messages.stream({ model, max_tokens: 9, messages }).finalText());
    expect(spoken.message).toContain('prompt is too long: 9000 tokens > 8192 maximum');
  });
});

describe('an overloaded provider', () => {
  const said: Readonly<Record<ProviderName, Answer>> = {
    chat: { status: 503, body: { error: { message: 'busy', type: 'service_unavailable', code: 'engine_overloaded' } } },
    messages: { status: 529, body: { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } } },
    generate: {
      status: 503,
      body: { error: { code: 503, message: 'The model is overloaded.', status: 'UNAVAILABLE' } },
    },
  };

  test.each(names)('of %s is reported in the format of each client', async (name) => {
    upstream.answer = () => said[name];
    const model = `${name}/m`;
    const one = await thrownBy(anthropic().messages.create({ model, max_tokens: 9, messages }));
    expect(one['error']).toMatchObject({ error: { type: 'overloaded_error' } });
    const other = await thrownBy(google().models.generateContent({ model, contents: 'Good day' }));
    expect(other.message).toContain('"status":"UNAVAILABLE"');
    const last = await thrownBy(openai().chat.completions.create({ model, messages }));
    expect(String(last['type'])).toMatch(/^(overloaded_error|service_unavailable)$/);
  });
});

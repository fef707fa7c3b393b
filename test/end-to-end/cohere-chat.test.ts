/** Cohere's library at a real Weir: its own wire, documents, citations, losses, errors and other clients. */

import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import { CohereClientV2, CohereError } from 'cohere-ai';
import { readLedger } from '../harness/ledger-rows.ts';
import { messagesText, type ScriptedProvider, startScriptedProvider } from '../harness/scripted-provider.ts';
import { until } from '../harness/until.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

let native: ScriptedProvider;
let messages: ScriptedProvider;
let weir: RunningWeir;
let last: Response | undefined;

beforeAll(async () => {
  [native, messages] = [startScriptedProvider(), startScriptedProvider()];
  const key = 'provider-key-0123456789';
  weir = await startWeir({
    yaml: {
      providers: {
        native: { kind: 'cohere-chat', base_url: native.origin, key, models: ['command-a', 'command-a-reasoning'] },
        messages: { kind: 'anthropic-messages', base_url: messages.base, key, models: ['m'] },
      },
      prices: { '*': { input: 1, output: 2 } },
    },
  });
}, 300_000);
afterAll(async () => {
  await weir?.remove();
  await native?.stop();
  await messages?.stop();
});
beforeEach(() => {
  last = undefined;
});

function client(token = weir.token): CohereClientV2 {
  const recordingFetch = async (address: string | URL | Request, init?: RequestInit): Promise<Response> => {
    last = await fetch(address as string, init);
    return last;
  };
  return new CohereClientV2({ token, baseUrl: weir.url, maxRetries: 0, fetch: recordingFetch as typeof fetch });
}

const losses = (): string => last?.headers.get('x-weir-losses') ?? '';
const user = (content: string) => ({ role: 'user' as const, content });

const usage = { billed_units: { input_tokens: 3, output_tokens: 4 }, tokens: { input_tokens: 90, output_tokens: 6 } };
const reply = {
  id: 'r-1',
  message: { role: 'assistant', content: [{ type: 'text', text: 'A dam.' }] },
  finish_reason: 'COMPLETE',
  usage,
};
const stream = [
  { type: 'message-start', id: 'r-1', delta: { message: { role: 'assistant' } } },
  { type: 'content-start', index: 0, delta: { message: { content: { type: 'text', text: '' } } } },
  { type: 'content-delta', index: 0, delta: { message: { content: { text: 'A dam.' } } } },
  { type: 'content-end', index: 0 },
  { type: 'message-end', delta: { finish_reason: 'COMPLETE', usage } },
];

test('its own wire passes untouched, whole and streamed, and is paid by the billed units', async () => {
  native.answer(reply);
  const asked = {
    model: 'native/command-a',
    messages: [user('What is a weir?')],
    documents: [{ id: 'd1', data: { text: 'A weir is a dam.', author: 'Anna' } }],
    citation_options: { mode: 'ACCURATE' },
    safety_mode: 'STRICT',
    k: 3,
    stream: false,
  };
  const whole = await post(asked);
  expect(await whole.json()).toEqual(reply);
  expect(native.last).toEqual({ ...asked, model: 'command-a' });
  expect(whole.headers.get('x-weir-losses')).toBeNull();
  native.answer(stream);
  const streamed = await post({ ...asked, stream: true });
  const sent = stream.map((data) => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`).join('');
  expect(await streamed.text()).toBe(sent);
  const ids = [whole, streamed].map(({ headers }) => headers.get('x-request-id'));
  const rowsOf = async () => (await readLedger(weir)).usage.filter(({ requestId }) => ids.includes(requestId));
  await until(async () => (await rowsOf()).length === 2, 60_000, 'both usage rows');
  expect((await rowsOf()).map(({ costNano, estimated }) => [costNano, estimated])).toEqual([
    [11_000n, false],
    [11_000n, false],
  ]);
});

function post(body: object): Promise<Response> {
  return fetch(`${weir.url}/v2/chat`, {
    method: 'POST',
    headers: { authorization: `Bearer ${weir.token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

test('documents are sent to another format, and its citations come back with their ids', async () => {
  const cited = {
    type: 'text',
    text: 'It dams.',
    citations: [
      {
        type: 'char_location',
        cited_text: 'A weir is a dam.',
        document_index: 0,
        document_title: 'd1',
        start_char_index: 0,
        end_char_index: 16,
      },
    ],
  };
  messages.answer({ ...messagesText(''), content: [cited] });
  const answer = await client().chat({
    model: 'messages/m',
    messages: [user('What is a weir?')],
    documents: [{ id: 'd1', data: { text: 'A weir is a dam.' } }],
    safetyMode: 'STRICT',
    maxTokens: 100,
  });
  const [turn] = messages.last['messages'] as { content: object[] }[];
  expect(turn?.content[0]).toEqual({
    type: 'document',
    source: { type: 'text', media_type: 'text/plain', data: 'A weir is a dam.' },
    title: 'd1',
    citations: { enabled: true },
  });
  const [citation] = answer.message.citations ?? [];
  expect([citation?.text, citation?.sources?.[0]?.id]).toEqual(['It dams.', 'd1']);
  expect(losses()).toBe('safety_mode');
});

test('the sandbox answers whole and streamed', async () => {
  const asked = { model: 'sandbox-chat', messages: [user('Hello')] };
  const whole = await client().chat(asked);
  const [content] = whole.message.content ?? [];
  expect(content?.type === 'text' && content.text.length > 0).toBe(true);
  expect(whole.finishReason).toBe('COMPLETE');
  const types: string[] = [];
  let text = '';
  for await (const event of await client().chatStream(asked)) {
    types.push(event.type);
    if (event.type === 'content-delta') text += event.delta?.message?.content?.text ?? '';
  }
  expect([types[0], types[1], types.at(-2), types.at(-1)]).toEqual([
    'message-start',
    'content-start',
    'content-end',
    'message-end',
  ]);
  expect(text.length).toBeGreaterThan(0);
});

test('errors reach the library with their status and message', async () => {
  const failure = async (asking: PromiseLike<unknown>): Promise<CohereError> => {
    const error = await Promise.resolve(asking).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    if (!(error instanceof CohereError)) throw new Error(`no error of the library: ${String(error)}`);
    return error;
  };
  const asked = { model: 'absent/none', messages: [user('Hello')] };
  const unknown = await failure(client().chat(asked));
  expect([unknown.statusCode, Object.keys(unknown.body as object)]).toEqual([404, ['id', 'message', 'code', 'param']]);
  expect((await failure(client('wrong-token').chatStream(asked))).statusCode).toBe(401);
  const wrong = await failure(client().chat({ model: 'sandbox-chat', messages: [user('Hello')], maxTokens: -1 }));
  expect([wrong.statusCode, wrong.message.includes('`max_tokens`')]).toEqual([400, true]);
});

test('a chat client reaches a provider of this format: tools, a plan beside the calls, thinking and results', async () => {
  const call = { id: 'call_1', type: 'function', function: { name: 'level', arguments: '{"river":"Inn"}' } };
  native.answer({
    ...reply,
    message: { role: 'assistant', tool_plan: 'I look.', tool_calls: [call] },
    finish_reason: 'TOOL_CALL',
  });
  const tool = { type: 'function', function: { name: 'level', parameters: { type: 'object', properties: {} } } };
  const other = { type: 'function', function: { name: 'gate', parameters: { type: 'object', properties: {} } } };
  const asked = {
    model: 'native/command-a-reasoning',
    messages: [user('How high?')] as object[],
    tools: [tool, other],
    tool_choice: { type: 'function', function: { name: 'level' } },
    reasoning_effort: 'high',
    top_p: 0.5,
  };
  const first = await chat(asked);
  const thinking = { type: 'enabled', token_budget: expect.any(Number) };
  expect(native.last).toMatchObject({ tools: [tool], tool_choice: 'REQUIRED', p: 0.5, stream: false, thinking });
  expect([first.choices[0].message.content, first.choices[0].message.tool_calls[0].id]).toEqual(['I look.', 'call_1']);
  native.answer(reply);
  const { tool_choice: _, ...rest } = asked;
  const result = { role: 'tool', tool_call_id: 'call_1', content: '3 m' };
  await chat({ ...rest, messages: [...asked.messages, first.choices[0].message, result] });
  expect(native.last['messages']).toEqual([
    { role: 'user', content: 'How high?' },
    { role: 'assistant', tool_plan: 'I look.', tool_calls: [call] },
    result,
  ]);
});

// biome-ignore lint/suspicious/noExplicitAny: the reply of another format, of which two fields are looked at.
async function chat(body: object): Promise<any> {
  const answer = await fetch(`${weir.base}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${weir.token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(answer.status).toBe(200);
  return answer.json();
}

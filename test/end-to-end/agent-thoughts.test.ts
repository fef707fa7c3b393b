/** Reasoning that agents return, what providers store and cache, and which of a client's betas reach other hosts. */

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { GoogleGenAI } from '@google/genai';
import { jsonSchema, stepCountIs, streamText, tool } from 'ai';
import {
  chatCall,
  chatCallStream,
  chatText,
  messagesCall,
  messagesCallStream,
  messagesText,
  messagesTextStream,
  responsesText,
  type ScriptedProvider,
  startScriptedProvider,
} from '../harness/scripted-provider.ts';
import { SocketClient } from '../harness/socket-client.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

let chat: ScriptedProvider;
let messages: ScriptedProvider;
let responses: ScriptedProvider;
let hosted: ScriptedProvider;
let weir: RunningWeir;

beforeAll(async () => {
  [chat, messages, responses, hosted] = [
    startScriptedProvider(),
    startScriptedProvider(),
    startScriptedProvider(),
    startScriptedProvider(),
  ];
  weir = await startWeir({
    yaml: {
      providers: {
        chat: { kind: 'openai-chat', base_url: chat.base, key: 'k', models: ['m'] },
        messages: { kind: 'anthropic-messages', base_url: messages.base, key: 'k', models: ['m', 'claude-sonnet-5'] },
        responses: { kind: 'openai-responses', base_url: responses.base, key: 'k', models: ['m'] },
        bedrock: {
          kind: 'bedrock',
          base_url: hosted.origin,
          key: 'bearer',
          settings: { region: 'eu-central-1' },
          models: ['anthropic.claude-sonnet-4-6'],
        },
      },
      prices: { '*': { input: 1, output: 1 } },
    },
  });
});
afterAll(async () => {
  await weir.remove();
  await Promise.all([chat, messages, responses, hosted].map((provider) => provider.stop()));
});
beforeEach(() => {
  for (const provider of [chat, messages, responses, hosted]) {
    provider.bodies.length = 0;
    provider.headers.length = 0;
  }
});

type Tree = Record<string, unknown>;

async function ask(path: string, body: object, more: Record<string, string> = {}) {
  const answer = await fetch(weir.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${weir.token}`, 'content-type': 'application/json', ...more },
    body: JSON.stringify(body),
  });
  const reply = (await answer.json()) as Tree;
  return { status: answer.status, losses: answer.headers.get('x-weir-losses') ?? '', reply };
}

const thought = { type: 'thinking', thinking: 'I look.', signature: 'sealed' };
const call = { id: 'toolu_1', name: 'look', args: '{}' };

/** The assistant's turn as the provider received it. */
const assistantTurn = (provider: ScriptedProvider): unknown =>
  (provider.last['messages'] as { role: string; content: unknown }[]).find(({ role }) => role === 'assistant')?.content;

describe('thoughts of another format, for clients of the content-generation format', () => {
  const functionDeclarations = [{ name: 'look', parametersJsonSchema: { type: 'object' } }];
  const contents = [{ role: 'user', parts: [{ text: 'Go.' }] }];
  const answered = { functionResponse: { id: 'toolu_1', name: 'look', response: { output: 'x' } } };
  const config = { tools: [{ functionDeclarations }] };

  test('are attached to the call, and come back although a client drops thoughts', async () => {
    messages.answer(messagesCall(call, [thought, { type: 'text', text: 'Let me see.' }]));
    const client = new GoogleGenAI({ apiKey: weir.token, httpOptions: { baseUrl: weir.url } });
    const first = await client.models.generateContent({ model: 'messages/m', contents, config });
    const parts = first.candidates?.[0]?.content?.parts ?? [];
    expect(parts.find((part) => part.functionCall !== undefined)?.thoughtSignature).toBeString();
    const kept = parts.filter((part) => part.thought !== true);
    messages.answer(messagesText('Done.'));
    const again = [...contents, { role: 'model', parts: kept }, { role: 'user', parts: [answered] }];
    await client.models.generateContent({ model: 'messages/m', contents: again, config });
    expect(assistantTurn(messages)).toEqual([
      thought,
      { type: 'text', text: 'Let me see.' },
      { type: 'tool_use', id: 'toolu_1', name: 'look', input: {} },
    ]);
  });

  test('are remembered by the call’s id if a client drops the signature as well', async () => {
    messages.answer(messagesCall({ ...call, id: 'toolu_2' }, [thought]), messagesText('Done.'));
    const path = '/v1beta/models/messages/m:generateContent';
    await ask(path, { contents, ...config });
    const skipped = {
      functionCall: { id: 'toolu_2', name: 'look', args: {} },
      thoughtSignature: 'skip_thought_signature_validator',
    };
    const result = { functionResponse: { ...answered.functionResponse, id: 'toolu_2' } };
    const again = [...contents, { role: 'model', parts: [skipped] }, { role: 'user', parts: [result] }];
    await ask(path, { contents: again, ...config });
    expect(assistantTurn(messages)).toMatchObject([thought, { type: 'tool_use', id: 'toolu_2' }]);
  });

  test('come back through streams of the AI SDK', async () => {
    messages.answer(messagesCallStream({ ...call, id: 'toolu_3' }, thought), messagesTextStream('Done.'));
    const google = createGoogleGenerativeAI({ apiKey: weir.token, baseURL: `${weir.url}/v1beta` });
    const look = tool({ inputSchema: jsonSchema({ type: 'object' }), execute: async () => 'x' });
    const result = streamText({
      model: google('messages/m'),
      prompt: 'Go.',
      tools: { look },
      stopWhen: stepCountIs(2),
    });
    expect(await result.text).toBe('Done.');
    expect(assistantTurn(messages)).toMatchObject([thought, { type: 'tool_use' }]);
  });
});

describe('thinking that a chat provider gives as plain text', () => {
  const tools = [{ name: 'look', input_schema: { type: 'object' } }];
  const question = { role: 'user', content: 'Go.' };
  const result = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'call_1', content: 'x' }] };
  const body = { model: 'chat/m', max_tokens: 100, tools };

  for (const field of ['reasoning_content', 'reasoning']) {
    test(`is returned in the field that it came in: ${field}`, async () => {
      chat.answer(chatCall({ id: 'call_1', name: 'look', args: '{}' }, { [field]: 'I look.' }), chatText('Done.'));
      const { reply } = await ask('/v1/messages', { ...body, messages: [question] });
      const turn = { role: 'assistant', content: reply['content'] };
      const { losses } = await ask('/v1/messages', { ...body, messages: [question, turn, result] });
      expect((chat.last['messages'] as Tree[])[1]).toMatchObject({ role: 'assistant', [field]: 'I look.' });
      expect(losses).toBe('');
    });
  }

  test('is sealed in streams for clients that return seals', async () => {
    const stream = chatCallStream({ id: 'call_9', name: 'look', args: '{}' }, 2, [
      { reasoning_content: 'I ' },
      { reasoning_content: 'look.' },
    ]);
    chat.answer(stream, chatText('Done.'));
    const declared = [{ type: 'function', name: 'look', parameters: { type: 'object' }, strict: false }];
    const input = [{ role: 'user', content: 'Go.' }];
    const answer = await fetch(`${weir.base}/responses`, {
      method: 'POST',
      headers: { authorization: `Bearer ${weir.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'chat/m', input, tools: declared, stream: true }),
    });
    const reasoning = /"type":"reasoning","status":"completed".*?"encrypted_content":"([^"]+)"/.exec(
      await answer.text(),
    );
    expect(reasoning?.[1]).toBeString();
    const again = [
      ...input,
      {
        type: 'reasoning',
        id: 'rs_1',
        summary: [{ type: 'summary_text', text: 'I look.' }],
        encrypted_content: reasoning?.[1],
      },
      { type: 'function_call', call_id: 'call_9', name: 'look', arguments: '{}' },
      { type: 'function_call_output', call_id: 'call_9', output: 'x' },
    ];
    await ask('/v1/responses', { model: 'chat/m', input: again, tools: declared });
    expect((chat.last['messages'] as Tree[])[1]).toMatchObject({ reasoning_content: 'I look.' });
  });
});

test('plain thinking is remembered by the call’s id for clients that return none of it', async () => {
  chat.answer(
    chatCall({ id: 'call_7', name: 'look', args: '{}' }, { reasoning_content: 'I look.' }),
    chatText('Done.'),
  );
  const path = '/v1beta/models/chat/m:generateContent';
  const tools = [{ functionDeclarations: [{ name: 'look', parametersJsonSchema: { type: 'object' } }] }];
  const question = { role: 'user', parts: [{ text: 'Go.' }] };
  await ask(path, { contents: [question], tools });
  const called = { role: 'model', parts: [{ functionCall: { id: 'call_7', name: 'look', args: {} } }] };
  const result = { functionResponse: { id: 'call_7', name: 'look', response: { output: 'x' } } };
  await ask(path, { contents: [question, called, { role: 'user', parts: [result] }], tools });
  expect((chat.last['messages'] as Tree[])[1]).toMatchObject({ role: 'assistant', reasoning_content: 'I look.' });
});

describe('what a provider keeps', () => {
  test('is nothing if the caller’s format stores nothing', async () => {
    responses.answer(responsesText('Hi.'));
    const question = [{ role: 'user', content: 'Hi' }];
    await ask('/v1/chat/completions', { model: 'responses/m', messages: question });
    expect(responses.last['store']).toBe(false);
    await ask('/v1/messages', { model: 'responses/m', max_tokens: 9, messages: question });
    expect(responses.last['store']).toBe(false);
    await ask('/v1/chat/completions', { model: 'responses/m', messages: question, store: true });
    expect(responses.last['store']).toBe(true);
    await ask('/v1/responses', { model: 'responses/m', input: 'Hi' });
    expect('store' in responses.last).toBe(false);
  });
});

describe('a result that answers no call', () => {
  const orphan = { type: 'function_call_output', call_id: 'call_gone', output: 'x' };
  const words = 'No tool call found for function call output with call_id call_gone.';

  test('is refused as the original service refuses it', async () => {
    const { status, reply } = await ask('/v1/responses', {
      model: 'chat/m',
      input: [{ role: 'user', content: 'Go.' }, orphan],
    });
    expect(status).toBe(400);
    expect(reply['error']).toMatchObject({ message: words, type: 'invalid_request_error', param: 'input' });
    expect(chat.bodies).toEqual([]);
  });

  test('is refused over a socket, which then forgets the response that it continued', async () => {
    const socket = new SocketClient(`${weir.base}/responses`, { token: weir.token });
    await socket.opened;
    chat.answer(chatCallStream({ id: 'call_1', name: 'look', args: '{}' }, 2));
    const send = (body: object) =>
      socket.socket.send(JSON.stringify({ type: 'response.create', model: 'chat/m', store: false, ...body }));
    const next = async (type: RegExp) => {
      for (;;) {
        const event = await socket.next();
        if (type.test(event.type)) return event;
      }
    };
    send({ input: [{ role: 'user', content: 'Go.' }] });
    const first = await next(/^response\.completed$/);
    const { id } = first['response'] as { id: string };
    send({ previous_response_id: id, input: [orphan] });
    expect(await next(/^error$/)).toMatchObject({ error: { message: words } });
    send({ previous_response_id: id, input: [{ ...orphan, call_id: 'call_1' }] });
    expect(JSON.stringify(await next(/^error$/))).toContain(id);
    socket.socket.close();
  });
});

describe('cache marks for models that cache only what is marked', () => {
  const long = 'word '.repeat(2_000);
  const tools = [{ type: 'function', function: { name: 'look', parameters: { type: 'object' } } }];
  const system = { role: 'system', content: long };
  const user = { role: 'user', content: 'Go.' };

  test('are added for callers whose format has none', async () => {
    messages.answer(messagesText('Hi.'));
    const { losses } = await ask('/v1/chat/completions', {
      model: 'messages/claude-sonnet-5',
      messages: [system, user],
      tools,
    });
    const cache_control = { type: 'ephemeral' };
    expect(messages.last['system']).toMatchObject([{ type: 'text', cache_control }]);
    expect(messages.last['messages']).toMatchObject([{ content: [{ text: 'Go.', cache_control }] }]);
    expect(losses).not.toContain('cache');
  });

  test('are not for a single short question, a model that caches by itself, or a caller who could mark', async () => {
    messages.answer(messagesText('Hi.'));
    const model = 'messages/claude-sonnet-5';
    await ask('/v1/chat/completions', { model, messages: [system, user] });
    await ask('/v1/chat/completions', { model, messages: [user], tools });
    await ask('/v1/chat/completions', { model: 'messages/m', messages: [system, user], tools });
    await ask('/v1/messages', {
      model,
      max_tokens: 9,
      system: long,
      messages: [user, { role: 'assistant', content: 'a' }, user],
    });
    expect(JSON.stringify(messages.bodies)).not.toContain('cache_control');
    expect(messages.bodies.length).toBe(4);
  });
});

describe('betas at other hosts', () => {
  test('are those that the host takes; the others are reported', async () => {
    hosted.answer(messagesText('Hi.'));
    const body = {
      model: 'bedrock/anthropic.claude-sonnet-4-6',
      max_tokens: 9,
      messages: [{ role: 'user', content: 'Hi' }],
      tools: [{ name: 'look', input_schema: { type: 'object' }, defer_loading: true }],
      context_management: { edits: [] },
    };
    const given = 'claude-code-20250219,context-1m-2025-08-07';
    const { status, losses } = await ask('/v1/messages', body, { 'anthropic-beta': given });
    expect(status).toBe(200);
    expect(hosted.last['anthropic_beta']).toEqual(['context-1m-2025-08-07']);
    expect(hosted.headers[0]?.get('anthropic-beta')).toBe('context-1m-2025-08-07');
    expect(JSON.stringify(hosted.last)).not.toMatch(/defer_loading|context_management/);
    for (const word of ['claude-code-20250219', 'context_management', 'defer_loading']) expect(losses).toContain(word);
  });
});

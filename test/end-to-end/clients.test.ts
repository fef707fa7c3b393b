/** What real clients send and need, case by case, on the text endpoints. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createAnthropic } from '@ai-sdk/anthropic';
import Anthropic from '@anthropic-ai/sdk';
import { betaTool } from '@anthropic-ai/sdk/helpers/beta/json-schema';
import { FunctionCallingConfigMode, GoogleGenAI, Type } from '@google/genai';
import { generateText } from 'ai';
import Anthropic0 from 'anthropic-sdk-0';
import OpenAI from 'openai';
import { answers, calls, conversation, schemaOfTool, tools, weatherSchema } from '../fake-upstream/wire/scenes.ts';
import type { Verdict } from '../fake-upstream/wire/server.ts';
import {
  type ProviderName,
  providerNames,
  type RunningProviders,
  startProviders,
} from '../fake-upstream/wire/start-all.ts';
import { dataOf } from '../harness/chat.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

let providers: RunningProviders;
let weir: RunningWeir;

beforeAll(async () => {
  providers = await startProviders();
  const targets = [{ provider: 'messages', model: 'checked' }];
  const models = { 'claude-sonnet-4-5': { targets } };
  weir = await startWeir({ yaml: { ...providers.yaml, models } });
});
afterAll(async () => {
  await weir.remove();
  providers.stop();
});

const question = conversation.question;
const others = providerNames.filter((name) => name !== 'messages');

function send(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${weir.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

const bearer = () => ({ authorization: `Bearer ${weir.token}` });

/** Sends with a token and expects a 200. */
async function ask(
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Record<string, unknown>> {
  const reply = await send(path, body, { ...bearer(), ...headers });
  const text = await reply.text();
  if (reply.status !== 200) throw new Error(`${reply.status} ${text}`);
  return JSON.parse(text) as Record<string, unknown>;
}

/** The last request that a provider saw. */
function lastSeen(name: ProviderName): Verdict {
  const last = providers.byName[name].verdicts.at(-1);
  if (last === undefined) throw new Error(`${name} saw nothing`);
  return last;
}

function anthropic(baseURL = weir.url): Anthropic {
  return new Anthropic({ apiKey: weir.token, baseURL, maxRetries: 0 });
}

function openai(): OpenAI {
  return new OpenAI({ apiKey: weir.token, baseURL: weir.base, maxRetries: 0 });
}

function google(baseUrl = weir.url): GoogleGenAI {
  return new GoogleGenAI({ apiKey: weir.token, httpOptions: { baseUrl } });
}

const plain = { max_tokens: 100, messages: [{ role: 'user' as const, content: question }] };
const contents = [{ role: 'user', parts: [{ text: question }] }];
const said = (reply: { content: { type: string; text?: string }[] }) => reply.content.map(({ text }) => text).join('');

describe('URLs', () => {
  test('a base URL pasted with its version gives doubled prefixes, which are accepted', async () => {
    expect(said(await anthropic(weir.base).messages.create({ model: 'chat/checked', ...plain }))).toBe(answers.text);
    const reply = await google(weir.base).models.generateContent({ model: 'chat/checked', contents });
    expect(reply.text).toBe(answers.text);
  });

  test('a query after the path changes nothing', async () => {
    const reply = await anthropic().beta.messages.create({ model: 'responses/checked', ...plain });
    expect(said(reply)).toBe(answers.text);
    await ask('/v1/messages?beta=true', { model: 'chat/checked', ...plain });
  });

  test("a model's slash may be unescaped in the path, and its last colon begins the action", async () => {
    for (const model of ['generate/checked', 'messages/checked', 'chat/checked:tuned:2']) {
      const reply = await ask(`/v1beta/models/${model}:generateContent`, { contents });
      expect(reply['modelVersion']).toBe(model.slice(model.indexOf('/') + 1));
    }
  });

  test('models are listed in the format of the client', async () => {
    const theirs: { id: string; type: string }[] = [];
    for await (const model of anthropic().models.list({ limit: 1000 })) theirs.push(model);
    expect(theirs.length).toBeGreaterThan(0);
    expect(theirs.every(({ type }) => type === 'model')).toBe(true);
    const ours: { id: string; object: string }[] = [];
    for await (const model of openai().models.list()) ours.push(model);
    expect(ours.map(({ id }) => id)).toEqual(theirs.map(({ id }) => id));
    expect(ours.every(({ object }) => object === 'model')).toBe(true);
    const named: (string | undefined)[] = [];
    for await (const model of await google().models.list()) named.push(model.name);
    expect(named).toEqual(ours.map(({ id }) => `models/${id}`));
  });

  test('a model with a slash is retrieved by its escaped name', async () => {
    expect((await openai().models.retrieve('chat/checked')).id).toBe('chat/checked');
    expect((await anthropic().models.retrieve('chat/checked')).id).toBe('chat/checked');
    const reply = await fetch(`${weir.base}/models/chat%2Fchecked`, { headers: bearer() });
    expect(await reply.json()).toMatchObject({ id: 'chat/checked', object: 'model' });
  });
});

describe('credentials', () => {
  const messagesBody = { model: 'chat/checked', ...plain };
  const body = { contents };
  const path = '/v1beta/models/chat/checked:generateContent';

  test('each library’s own header is accepted', async () => {
    const { token } = weir;
    expect((await send('/v1/messages', messagesBody, { 'x-api-key': token })).status).toBe(200);
    expect((await send('/v1/messages', messagesBody, bearer())).status).toBe(200);
    expect((await send(path, body, { 'x-goog-api-key': token })).status).toBe(200);
    expect((await send(path, body, bearer())).status).toBe(200);
    expect((await send(`${path}?key=${token}`, body)).status).toBe(200);
    expect((await send(`${path}?alt=json&key=${token}`, body)).status).toBe(200);
    expect((await send('/v1/messages', messagesBody, { ...bearer(), 'x-api-key': token })).status).toBe(200);
  });

  test('a wrong one, two different ones and none are refused in the envelope of the format', async () => {
    const wrong = { 'x-api-key': 'some-token-never-issued' };
    const refused = await send('/v1/messages', messagesBody, wrong);
    expect([refused.status, await refused.json()]).toMatchObject([
      401,
      { type: 'error', error: { code: 'token_unknown' } },
    ]);
    const two = await send('/v1/messages', messagesBody, { ...bearer(), ...wrong });
    expect([two.status, await two.json()]).toMatchObject([400, { error: { code: 'credentials_conflict' } }]);
    const none = await send(path, body, { 'x-goog-api-client': 'genai' });
    expect([none.status, await none.json()]).toMatchObject([401, { error: { code: 401, status: 'UNAUTHENTICATED' } }]);
  });

  test('any dated version of the messages format is accepted, and so is none; anything else is refused', async () => {
    for (const version of ['2023-06-01', '2026-10-21']) {
      for (const name of ['anthropic-version', 'vendor-version']) {
        expect((await send('/v1/messages', messagesBody, { ...bearer(), [name]: version })).status).toBe(200);
      }
    }
    expect((await send('/v1/messages', messagesBody, bearer())).status).toBe(200);
    const odd = await send('/v1/messages', messagesBody, { ...bearer(), 'anthropic-version': 'latest' });
    expect(odd.status).toBe(400);
    expect(await odd.json()).toMatchObject({ type: 'error', error: { param: 'anthropic-version' } });
  });

  test('the provider gets its own key and never the client’s', async () => {
    for (const name of providerNames) {
      await ask('/v1/messages', { model: `${name}/checked`, ...plain }, { 'x-api-key': weir.token });
      expect(JSON.stringify([...lastSeen(name).headers])).not.toContain(weir.token);
    }
  });
});

describe('the messages format as its agents send it', () => {
  test('instructions inside the messages reach every provider', async () => {
    const messages = [
      { role: 'system', content: 'First rule.' },
      { role: 'user', content: 'Hello.' },
      { role: 'assistant', content: 'Hi.' },
      { role: 'system', content: 'Second rule.' },
      { role: 'user', content: question },
    ];
    for (const name of others) {
      await ask('/v1/messages', { model: `${name}/checked`, max_tokens: 100, system: 'Top rule.', messages });
      const { text } = lastSeen(name);
      for (const rule of ['Top rule.', 'First rule.', 'Second rule.', question]) expect(text).toContain(rule);
    }
  });

  /** As an agent sends it: everything at once. */
  const agentBody = (model: string) => ({
    model,
    max_tokens: 32000,
    stream: true,
    system: [
      { type: 'text', text: 'You are an agent.', cache_control: { type: 'ephemeral' } },
      { type: 'text', text: 'Be careful.', cache_control: { type: 'ephemeral', ttl: '1h' } },
    ],
    messages: [{ role: 'user', content: [{ type: 'text', text: question, cache_control: { type: 'ephemeral' } }] }],
    tools: tools.map((tool) => {
      return { name: tool.name, description: tool.description, input_schema: schemaOfTool(tool), defer_loading: true };
    }),
    thinking: { type: 'adaptive' },
    context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
    output_config: { effort: 'high' },
    metadata: { user_id: '{"device_id":"d","session_id":"s"}' },
  });
  const beta = 'claude-code-20250219,interleaved-thinking-2025-05-14,context-management-2025-06-27';

  test('an agent’s request goes to a provider of the format byte for byte', async () => {
    const body = JSON.stringify(agentBody('messages/free'), null, 1);
    const reply = await send('/v1/messages?beta=true', body, { ...bearer(), 'anthropic-beta': beta });
    expect(await reply.text()).toContain('"type":"message_stop"');
    const seen = lastSeen('messages');
    expect(seen.text).toBe(body.replace('messages/free', 'free'));
    expect(seen.headers.get('anthropic-beta')).toBe(beta);
  });

  test('the same request is translated for every other provider, and losses are reported', async () => {
    for (const name of others) {
      const reply = await send('/v1/messages', agentBody(`${name}/checked`), { ...bearer(), 'anthropic-beta': beta });
      const text = await reply.text();
      expect([name, reply.status, text.includes('"type":"message_stop"')]).toEqual([name, 200, true]);
      expect(reply.headers.get('x-weir-losses') ?? '').toContain('context_management');
      expect(lastSeen(name).text).toContain('Be careful.');
    }
  });

  test('the id of the user, a JSON text, arrives as the text it is', async () => {
    const metadata = { user_id: '{"device_id":"d","session_id":"s"}' };
    await ask('/v1/messages', { model: 'chat/checked', ...plain, metadata });
    expect(lastSeen('chat').body['user']).toBe(metadata.user_id);
    await ask('/v1/messages', { model: 'messages/checked', ...plain, metadata });
    expect(lastSeen('messages').body['metadata']).toEqual(metadata);
  });

  test('a thread is refused with the message that makes the library send the whole history', async () => {
    for (const name of others) {
      const body = { model: `${name}/checked`, ...plain, thread: { type: 'create' } };
      const reply = await send('/v1/messages', body, bearer());
      expect([reply.status, await reply.json()]).toMatchObject([
        400,
        { type: 'error', error: { details: { error_code: 'thread_unsupported_request' } } },
      ]);
    }
    await ask('/v1/messages', { model: 'messages/free', ...plain, thread: { type: 'create' } });
    expect(lastSeen('messages').body['thread']).toEqual({ type: 'create' });
  });

  test('the library’s tool runner falls back and finishes its loop', async () => {
    for (const name of others) {
      const asked: { thread: boolean; status: number }[] = [];
      const client = new Anthropic({
        apiKey: weir.token,
        baseURL: weir.url,
        maxRetries: 0,
        fetch: async (address, init) => {
          const reply = await fetch(address as string, init as RequestInit);
          asked.push({ thread: String(init?.body).includes('"thread":'), status: reply.status });
          return reply;
        },
      });
      const runner = client.beta.messages.toolRunner({
        model: `${name}/thinking`,
        max_tokens: 8192,
        messages: [{ role: 'user', content: question }],
        thinking: { type: 'enabled', budget_tokens: 2048 },
        tools: tools.map((tool) =>
          betaTool({
            name: tool.name,
            description: tool.description,
            inputSchema: { ...schemaOfTool(tool) },
            run: () => calls.thinking?.[0]?.result ?? '',
          }),
        ),
      });
      expect(said(await runner.runUntilDone())).toBe(answers.after);
      expect(asked).toEqual([
        { thread: true, status: 400 },
        { thread: false, status: 200 },
        { thread: false, status: 200 },
      ]);
    }
  });

  test('a large limit without streaming is no reason to refuse', async () => {
    const model = createAnthropic({ apiKey: weir.token, baseURL: weir.base })('claude-sonnet-4-5');
    expect((await generateText({ model, prompt: question, maxRetries: 0 })).text).toBe(answers.text);
    expect(lastSeen('messages').body).toMatchObject({ max_tokens: 64000 });
    expect(lastSeen('messages').stream).toBe(false);
    await new Anthropic0({ apiKey: weir.token, baseURL: weir.url }).messages.create({
      model: 'chat/checked',
      ...plain,
    });
    expect(lastSeen('chat').body).toMatchObject({ max_tokens: 100 });
  });
});

describe('the chat format in its dialects', () => {
  const call = { id: 'call_1', type: 'function', function: { name: 'get_weather', arguments: '{"city":"Oslo"}' } };
  const declared = tools.map((tool) => ({
    type: 'function',
    function: { name: tool.name, description: tool.description, parameters: schemaOfTool(tool) },
  }));

  test('an assistant’s tool turn comes with content null, empty or absent', async () => {
    for (const name of providerNames) {
      for (const content of [{ content: null }, { content: '' }, {}]) {
        const messages = [
          { role: 'user', content: question },
          { role: 'assistant', ...content, tool_calls: [call] },
          { role: 'tool', tool_call_id: 'call_1', content: '7 degrees' },
        ];
        await ask('/v1/chat/completions', { model: `${name}/checked`, messages, tools: declared, stream: false });
        expect(lastSeen(name).wrong).toBeUndefined();
      }
    }
  });

  test('the older functions API works through a whole loop', async () => {
    const functions = declared.map((tool) => tool.function);
    const [made] = calls.tools ?? [];
    const user = { role: 'user', content: question };
    for (const name of providerNames.filter((other) => other !== 'chat')) {
      const first = { model: `${name}/tools`, messages: [user], functions, function_call: { name: 'get_weather' } };
      const reply = (await ask('/v1/chat/completions', first)) as unknown as OpenAI.ChatCompletion;
      const message = reply.choices[0]?.message;
      expect(reply.choices[0]?.finish_reason).toBe('function_call');
      expect(message?.function_call?.name).toBe('get_weather');
      expect(JSON.parse(message?.function_call?.arguments ?? '')).toEqual(made?.input);
      expect(message?.tool_calls).toBeUndefined();
      const result = { role: 'function', name: 'get_weather', content: made?.result };
      const second = { model: `${name}/checked`, messages: [user, message, result], functions };
      const last = (await ask('/v1/chat/completions', second)) as unknown as OpenAI.ChatCompletion;
      expect(last.choices[0]?.message.content).toBe(answers.text);
      expect(lastSeen(name).text).toContain(made?.result ?? '');
    }
  });

  test('the body decides about streaming, whatever the Accept header says', async () => {
    const body = { model: 'messages/checked', messages: plain.messages, stream: true };
    const reply = await send('/v1/chat/completions', body, { ...bearer(), accept: 'application/json' });
    expect(reply.headers.get('content-type')).toStartWith('text/event-stream');
    expect(dataOf(await reply.text()).at(-1)).toBe('[DONE]');
  });

  test('every reply has its own id, also if the provider gives none', async () => {
    const ids: unknown[] = [];
    const body = { model: 'generate/checked+noid', messages: plain.messages };
    for (let round = 0; round < 10; round++) ids.push((await ask('/v1/chat/completions', body))['id']);
    for (let round = 0; round < 10; round++) {
      const stream = await send('/v1/chat/completions', { ...body, stream: true }, bearer());
      const own = dataOf(await stream.text()).flatMap((data) => (data === '[DONE]' ? [] : [JSON.parse(data).id]));
      expect(new Set(own).size).toBe(1);
      ids.push(own[0]);
    }
    for (const path of ['/v1/messages', '/v1/responses']) {
      const asked = { model: 'generate/checked+noid', ...(path === '/v1/messages' ? plain : { input: question }) };
      for (let round = 0; round < 5; round++) ids.push((await ask(path, asked))['id']);
    }
    expect(ids.every((id) => typeof id === 'string' && id.length > 8)).toBe(true);
    expect(new Set(ids).size).toBe(30);
  });
});

describe('the responses format as its agents send it', () => {
  test('tools in namespaces and unknown items reach a provider of the format untouched', async () => {
    const body = JSON.stringify({
      model: 'responses/free',
      store: false,
      include: ['reasoning.encrypted_content'],
      instructions: 'You are an agent.',
      input: [
        { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'Rules.' }] },
        { type: 'additional_tools', role: 'developer', tools: [{ type: 'function', name: 'later', parameters: {} }] },
        { type: 'message', id: 'msg_1', role: 'user', content: [{ type: 'input_text', text: question }] },
        { type: 'something_new', id: 'x_1', nested: { kept: [1, 2.5e3, null] } },
      ],
      tools: [
        {
          type: 'namespace',
          name: 'files',
          description: 'Files.',
          tools: [{ type: 'function', name: 'read', parameters: {}, strict: false }],
        },
        { type: 'web_search', external_web_access: true },
      ],
      stream: true,
    });
    const reply = await send('/v1/responses', body, bearer());
    expect(await reply.text()).toContain('event: response.completed');
    expect(lastSeen('responses').text).toBe(body.replace('responses/free', 'free'));
  });

  test('a developer’s turn and items with ids are translated for every other provider', async () => {
    const input = [
      { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'Rules.' }] },
      { type: 'message', id: 'msg_1', role: 'user', content: [{ type: 'input_text', text: question }] },
      { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'get_weather', arguments: '{"city":"Oslo"}' },
      { type: 'function_call_output', call_id: 'call_1', output: '7 degrees' },
    ];
    for (const name of ['chat', 'messages', 'generate'] as const) {
      const reply = await ask('/v1/responses', { model: `${name}/checked`, store: false, input });
      expect(reply['status']).toBe('completed');
      expect(lastSeen(name).text).toContain('Rules.');
    }
  });
});

describe('the content-generation format in its dialects', () => {
  const both = { parts: [{ text: question }], role: 'user' };
  const upper = tools.map(({ name, description, property }) => ({
    name,
    description,
    parameters: {
      type: Type.OBJECT,
      properties: { [property]: { type: Type.STRING } },
      required: [property],
    },
  }));
  const lower = tools.map((tool) => {
    return { name: tool.name, description: tool.description, parametersJsonSchema: schemaOfTool(tool) };
  });

  test('tools may have either kind of schema', async () => {
    const mode = FunctionCallingConfigMode.ANY;
    const toolConfig = { functionCallingConfig: { mode, allowedFunctionNames: ['get_weather'] } };
    for (const name of providerNames) {
      for (const functionDeclarations of [upper, lower]) {
        const config = { tools: [{ functionDeclarations }], toolConfig };
        const reply = await google().models.generateContent({ model: `${name}/tools`, contents: [both], config });
        expect(reply.functionCalls?.map(({ args }) => args)).toEqual(calls.tools?.map(({ input }) => ({ ...input })));
      }
    }
  });

  test('the reply schema may be of either kind', async () => {
    const responseSchema = {
      type: Type.OBJECT,
      properties: { city: { type: Type.STRING }, celsius: { type: Type.NUMBER } },
      required: ['city', 'celsius'],
    };
    for (const name of providerNames) {
      for (const schema of [{ responseSchema }, { responseJsonSchema: weatherSchema }]) {
        const config = { responseMimeType: 'application/json', ...schema };
        const reply = await google().models.generateContent({ model: `${name}/schema`, contents: [both], config });
        expect(reply.text).toBe(answers.schema);
      }
    }
  });

  test('the documented placeholder of a signature is accepted and sent to no other format', async () => {
    const skip = 'skip_thought_signature_validator';
    const functionCall = { id: 'fc-1', name: 'get_weather', args: { city: 'Oslo' } };
    const functionResponse = { id: 'fc-1', name: 'get_weather', response: { output: '7 degrees' } };
    const body = {
      contents: [
        both,
        { role: 'model', parts: [{ functionCall, thoughtSignature: skip }] },
        { role: 'user', parts: [{ functionResponse }] },
      ],
      tools: [{ functionDeclarations: lower }],
    };
    for (const name of providerNames) {
      await ask(`/v1beta/models/${name}/checked:generateContent`, body);
      const { text } = lastSeen(name);
      if (name === 'generate') expect(JSON.parse(text)).toEqual(body);
      else expect(text).not.toContain(skip);
      expect(text).toContain('fc-1');
    }
  });

  test('a stream is one JSON array unless events are requested', async () => {
    for (const name of providerNames) {
      const path = `/v1beta/models/${name}/checked:streamGenerateContent`;
      const reply = await send(path, { contents }, bearer());
      expect(reply.headers.get('content-type')).toStartWith('application/json');
      const chunks = (await reply.json()) as { candidates: { content?: { parts: { text?: string }[] } }[] }[];
      const parts = chunks.flatMap((chunk) => chunk.candidates[0]?.content?.parts ?? []);
      expect(parts.map(({ text }) => text ?? '').join('')).toBe(answers.text);
      expect(chunks.length).toBeGreaterThan(1);
    }
  });
});

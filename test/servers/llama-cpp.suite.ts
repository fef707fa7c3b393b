/**
 * The four client formats on a real llama.cpp server behind Weir. Its model has one token for each byte, so the number of
 * input tokens tells whether a part of the request has reached the model.
 */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import OpenAI from 'openai';
import { freePort } from '../harness/ports.ts';
import { until } from '../harness/until.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

const command = JSON.parse(process.env['WEIR_TEST_LLAMA_SERVER'] ?? '[]') as string[];

interface Server {
  readonly url: string;
  stop(): Promise<void>;
}

async function startServer(port: number, ...flags: string[]): Promise<Server> {
  const child = Bun.spawn([...command, `${port}`, ...flags], { stdin: 'ignore', stdout: 'ignore', stderr: 'ignore' });
  const url = `http://127.0.0.1:${port}`;
  const stop = async (): Promise<void> => {
    child.kill('SIGKILL');
    await child.exited;
  };
  await until(async () => {
    if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode}`);
    return (await fetch(`${url}/health`).catch(() => undefined))?.ok === true;
  });
  return { url, stop };
}

let server: Server;
let vectors: Server;
let weir: RunningWeir;
let openai: OpenAI;
let anthropic: Anthropic;
let google: GoogleGenAI;

beforeAll(async () => {
  server = await startServer(await freePort());
  vectors = await startServer(await freePort(), '--embeddings');
  weir = await startWeir({
    unchecked:
      'what the server writes in its own format is passed on: fields beside the format’s, and some that are missing',
    yaml: {
      providers: {
        local: { kind: 'llama.cpp', base_url: `${server.url}/v1`, models: ['tiny'] },
        vectors: { kind: 'llama.cpp', base_url: `${vectors.url}/v1`, models: ['tiny-vectors'] },
      },
    },
  });
  openai = new OpenAI({ baseURL: weir.base, apiKey: weir.token, maxRetries: 0 });
  anthropic = new Anthropic({ baseURL: weir.url, apiKey: weir.token, maxRetries: 0 });
  google = new GoogleGenAI({ apiKey: weir.token, httpOptions: { baseUrl: weir.url } });
});
afterAll(async () => {
  await weir.remove();
  await server.stop();
  await vectors.stop();
});

const model = 'tiny';
const parameters = { type: 'object' as const, properties: { city: { type: 'string' } }, required: ['city'] };
const schema = {
  type: 'object' as const,
  properties: { a: { type: 'integer' } },
  required: ['a'],
  additionalProperties: false,
};

describe('whole replies, cut at the limit', () => {
  test('chat', async () => {
    const messages = [{ role: 'user' as const, content: 'hi' }];
    const { choices, usage } = await openai.chat.completions.create({ model, messages, max_tokens: 6 });
    expect([choices[0]?.finish_reason, usage?.completion_tokens]).toEqual(['length', 6]);
  });

  test('responses', async () => {
    const reply = await openai.responses.create({ model, input: 'hi', max_output_tokens: 6 });
    expect([reply.status, reply.incomplete_details?.reason]).toEqual(['incomplete', 'max_output_tokens']);
    expect(reply.output_text).not.toBe('');
  });

  test('messages', async () => {
    const reply = await anthropic.messages.create({
      model,
      max_tokens: 6,
      messages: [{ role: 'user', content: 'hi' }],
    });
    expect([reply.stop_reason, reply.usage.output_tokens]).toEqual(['max_tokens', 6]);
  });

  test('generateContent', async () => {
    const reply = await google.models.generateContent({ model, contents: 'hi', config: { maxOutputTokens: 6 } });
    expect(reply.candidates?.[0]?.finishReason as string).toBe('MAX_TOKENS');
  });
});

describe('streams', () => {
  test('chat', async () => {
    const stream = openai.chat.completions.stream({
      model,
      messages: [{ role: 'user', content: 'hi' }],
      max_tokens: 6,
    });
    const { choices } = await stream.finalChatCompletion();
    expect(choices[0]?.finish_reason).toBe('length');
  });

  test('responses, whose library keeps the items apart by their index', async () => {
    const stream = openai.responses.stream({ model, input: 'hi', max_output_tokens: 6 });
    let text = '';
    for await (const event of stream) if (event.type === 'response.output_text.delta') text += event.delta;
    const reply = await stream.finalResponse();
    expect([reply.status, reply.output_text]).toEqual(['incomplete', text]);
  });

  test('messages', async () => {
    const stream = anthropic.messages.stream({ model, max_tokens: 6, messages: [{ role: 'user', content: 'hi' }] });
    expect((await stream.finalMessage()).stop_reason).toBe('max_tokens');
  });

  test('generateContent', async () => {
    const stream = await google.models.generateContentStream({ model, contents: 'hi', config: { maxOutputTokens: 6 } });
    let last: string | undefined;
    for await (const chunk of stream) last = chunk.candidates?.[0]?.finishReason ?? last;
    expect(last).toBe('MAX_TOKENS');
  });
});

describe('the one tool that must be called, of two', () => {
  const names = ['first', 'second'];

  test('chat', async () => {
    const tools = names.map((name) => ({ type: 'function' as const, function: { name, parameters } }));
    const messages = [{ role: 'user' as const, content: 'hi' }];
    const choice = { type: 'function' as const, function: { name: 'second' } };
    const { choices } = await openai.chat.completions.create({ model, messages, tools, tool_choice: choice });
    const calls = choices[0]?.message.tool_calls ?? [];
    expect(new Set(calls.map((call) => call.type === 'function' && call.function.name))).toEqual(new Set(['second']));
  });

  test('responses', async () => {
    const tools = names.map((name) => ({ type: 'function' as const, name, parameters, strict: false }));
    const choice = { type: 'function' as const, name: 'second' };
    const { output } = await openai.responses.create({ model, input: 'hi', tools, tool_choice: choice });
    const calls = output.filter((item) => item.type === 'function_call');
    expect(new Set(calls.map(({ name }) => name))).toEqual(new Set(['second']));
  });

  test('messages, and its result in the next turn', async () => {
    const tools = names.map((name) => ({ name, input_schema: parameters }));
    const choice = { type: 'tool' as const, name: 'second' };
    const messages: Anthropic.MessageParam[] = [{ role: 'user', content: 'hi' }];
    const asked = { model, max_tokens: 200, tools };
    const { content } = await anthropic.messages.create({ ...asked, messages, tool_choice: choice });
    const calls = content.filter((block) => block.type === 'tool_use');
    expect(new Set(calls.map(({ name }) => name))).toEqual(new Set(['second']));
    const results = calls.map(({ id }) => ({ type: 'tool_result' as const, tool_use_id: id, content: 'sunny' }));
    messages.push({ role: 'assistant', content }, { role: 'user', content: results });
    const next = await anthropic.messages.create({ ...asked, messages });
    expect(next.content.length).toBeGreaterThan(0);
  });

  test('generateContent', async () => {
    const functionDeclarations = names.map((name) => ({ name, parametersJsonSchema: parameters }));
    const functionCallingConfig = { mode: 'ANY' as never, allowedFunctionNames: ['second'] };
    const config = { tools: [{ functionDeclarations }], toolConfig: { functionCallingConfig } };
    const reply = await google.models.generateContent({ model, contents: 'hi', config });
    expect(new Set(reply.functionCalls?.map(({ name }) => name))).toEqual(new Set(['second']));
  });
});

describe('a schema holds the answer', () => {
  const isHeld = (text: string | null | undefined): void => {
    expect(JSON.parse(text ?? '')).toEqual({ a: expect.any(Number) });
  };

  test('chat', async () => {
    const { choices } = await openai.chat.completions.create({
      model,
      messages: [{ role: 'user', content: 'hi' }],
      response_format: { type: 'json_schema', json_schema: { name: 's', schema } },
    });
    isHeld(choices[0]?.message.content);
  });

  test('responses', async () => {
    const text = { format: { type: 'json_schema' as const, name: 's', schema, strict: true } };
    isHeld((await openai.responses.create({ model, input: 'hi', text })).output_text);
  });

  test('messages', async () => {
    const { content } = await anthropic.messages.create({
      model,
      max_tokens: 200,
      messages: [{ role: 'user', content: 'hi' }],
      output_config: { format: { type: 'json_schema', schema } },
    });
    const [block] = content;
    isHeld(block?.type === 'text' ? block.text : undefined);
  });

  test('generateContent', async () => {
    const config = { responseMimeType: 'application/json', responseJsonSchema: schema };
    isHeld((await google.models.generateContent({ model, contents: 'hi', config })).text);
  });
});

type Body = Readonly<Record<string, unknown>>;

async function post(path: string, body: Body) {
  const reply = await fetch(weir.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${weir.token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const said = (await reply.json()) as { usage?: Record<string, number>; usageMetadata?: Record<string, number> };
  const { usage, usageMetadata } = said;
  const cached = usage?.['cache_read_input_tokens'] ?? 0;
  const tokens = usage?.['prompt_tokens'] ?? usage?.['input_tokens'] ?? usageMetadata?.['promptTokenCount'] ?? 0;
  // The server times each of its replies.
  const losses = (reply.headers.get('x-weir-losses') ?? '').split(', ').filter((name) => name !== 'timings');
  return { status: reply.status, losses: losses.join(), tokens: tokens + cached, said };
}

const long = 'w'.repeat(400);
const texts = (type: string) => [{ type, text: 'hi' }];
const blocks = (...more: object[]) => ({ messages: [{ role: 'user', content: [...texts('text'), ...more] }] });
const items = (...more: object[]) => ({ input: [{ role: 'user', content: texts('input_text') }, ...more] });
const result = (content: unknown) => ({
  messages: [
    { role: 'user', content: 'hi' },
    { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'f', input: {} }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content }] },
  ],
  tools: [{ name: 'f', input_schema: { type: 'object' } }],
});
const found = { type: 'search_result', title: 't', source: 's', content: [{ type: 'text', text: long }] };
const inline = { type: 'text', media_type: 'text/plain', data: long };
const file = `data:text/plain;base64,${Buffer.from(long).toString('base64')}`;

/** With 400 characters more than the plain question, that the model must get; or a loss that is named, or a clear refusal. */
const features: readonly (readonly [name: string, path: string, body: Body])[] = [
  ['a document of text', '/v1/messages', blocks({ type: 'document', source: inline })],
  [
    'a document of blocks',
    '/v1/messages',
    blocks({ type: 'document', source: { type: 'content', content: [{ type: 'text', text: long }] } }),
  ],
  ['a search result', '/v1/messages', blocks(found)],
  ['search results of a tool', '/v1/messages', result([found])],
  ['a document of a tool', '/v1/messages', result([{ type: 'document', source: inline }])],
  [
    'a PDF',
    '/v1/messages',
    blocks({ type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' } }),
  ],
  [
    'tool servers',
    '/v1/messages',
    { ...blocks(), mcp_servers: [{ type: 'url', url: 'https://x.example', name: long }] },
  ],
  [
    'a tool',
    '/v1/messages',
    { ...blocks(), tools: [{ name: 'f', description: long, input_schema: { type: 'object' } }] },
  ],
  [
    'instructions in the middle',
    '/v1/messages',
    {
      messages: [
        { role: 'user', content: 'hi' },
        { role: 'system', content: long },
      ],
    },
  ],
  [
    'a file of text',
    '/v1/responses',
    items({ role: 'user', content: [{ type: 'input_file', filename: 'a.txt', file_data: file }] }),
  ],
  ['a freeform tool', '/v1/responses', { ...items(), tools: [{ type: 'custom', name: 'p', description: long }] }],
  [
    'grouped tools',
    '/v1/responses',
    {
      ...items(),
      tools: [
        {
          type: 'namespace',
          name: 'n',
          description: 'd',
          tools: [{ type: 'function', name: 'f', description: long, parameters: {} }],
        },
      ],
    },
  ],
  [
    'tool servers',
    '/v1/responses',
    { ...items(), tools: [{ type: 'mcp', server_label: 's', server_url: 'https://x.example' }] },
  ],
  [
    'a call of a tool server',
    '/v1/responses',
    items({ type: 'mcp_call', id: 'm', server_label: 's', name: 'f', arguments: '{}', output: long }),
  ],
  ['instructions', '/v1/responses', { ...items(), instructions: long }],
  ['a search of the web', '/v1/chat/completions', { ...blocks(), web_search_options: {} }],
  ['a file', '/v1/chat/completions', blocks({ type: 'file', file: { filename: 'a.txt', file_data: file } })],
  [
    'inline text',
    '/v1beta/models/tiny:generateContent',
    {
      contents: [
        {
          role: 'user',
          parts: [
            { text: 'hi' },
            { inlineData: { mimeType: 'text/plain', data: Buffer.from(long).toString('base64') } },
          ],
        },
      ],
    },
  ],
  [
    'code that was run',
    '/v1beta/models/tiny:generateContent',
    {
      contents: [
        { role: 'user', parts: [{ text: 'hi' }] },
        { role: 'model', parts: [{ codeExecutionResult: { outcome: 'OUTCOME_OK', output: long } }] },
        { role: 'user', parts: [{ text: 'so' }] },
      ],
    },
  ],
  [
    'a search of the web',
    '/v1beta/models/tiny:generateContent',
    { contents: [{ role: 'user', parts: [{ text: 'hi' }] }], tools: [{ googleSearch: {} }] },
  ],
];

describe('nothing is lost in silence', () => {
  for (const [name, path, body] of features) {
    test(`${name} at ${path}`, async () => {
      const limit = path.endsWith('generateContent')
        ? { generationConfig: { maxOutputTokens: 4 } }
        : { model, [path === '/v1/responses' ? 'max_output_tokens' : 'max_tokens']: 4 };
      const { status, losses, tokens, said } = await post(path, { ...limit, ...body });
      const isRefused = status >= 400 && status < 500;
      const outcome = isRefused ? 'refused' : losses !== '' ? 'named' : tokens > 400 ? 'reached' : 'SILENT';
      expect([outcome, status, JSON.stringify(said)]).not.toEqual(['SILENT', expect.anything(), expect.anything()]);
      console.log(`  ${outcome.padEnd(8)} ${name} (${path}) ${losses}`);
    });
  }
});

describe('the edges', () => {
  test('vectors, at a server that makes them', async () => {
    const { data } = await openai.embeddings.create({ model: 'tiny-vectors', input: ['a', 'b'] });
    expect(data.map(({ embedding }) => embedding.length)).toEqual([64, 64]);
  });

  test('tokens are counted by the server', async () => {
    const messages = [{ role: 'user' as const, content: long }];
    const { input_tokens: tokens } = await anthropic.messages.countTokens({ model, messages });
    expect(tokens).toBeGreaterThan(400);
    expect(tokens).toBeLessThan(460);
  });

  test('an input that is too long is the caller’s error in every format', async () => {
    const words = 'w'.repeat(20_000);
    const replies = await Promise.all([
      post('/v1/chat/completions', { model, messages: [{ role: 'user', content: words }] }),
      post('/v1/responses', { model, input: words }),
      post('/v1/messages', { model, max_tokens: 4, messages: [{ role: 'user', content: words }] }),
      post('/v1beta/models/tiny:generateContent', { contents: [{ role: 'user', parts: [{ text: words }] }] }),
    ]);
    expect(replies.map(({ status }) => status)).toEqual([400, 400, 400, 400]);
    for (const { said } of replies) expect(JSON.stringify(said)).toContain('context');
  });

  test('a client that leaves ends the generation', async () => {
    const leaving = new AbortController();
    const stream = await openai.chat.completions.create(
      { model, messages: [{ role: 'user', content: 'hi' }], stream: true, max_tokens: 12_000 },
      { signal: leaving.signal },
    );
    for await (const _ of stream) {
      leaving.abort();
      break;
    }
    await until(async () => {
      const slots = (await (await fetch(`${server.url}/slots`)).json()) as readonly { is_processing: boolean }[];
      return slots.every((slot) => !slot.is_processing);
    });
  });

  test('is found at its own port', async () => {
    const own = await startServer(8080).catch(() => undefined);
    // Another program of this machine has the port.
    if (own === undefined) return;
    const other = await startWeir({ env: { WEIR_DISCOVERY_LOCAL: 'true' } });
    try {
      const reply = await fetch(`${other.base}/models`, { headers: { authorization: `Bearer ${other.token}` } });
      const { data } = (await reply.json()) as { data: readonly { id: string; owned_by: string }[] };
      expect(data.filter(({ owned_by: owner }) => owner === 'llama.cpp')).toHaveLength(1);
    } finally {
      await other.remove();
      await own.stop();
    }
  });
});

/** Fields that models or servers do not accept are not sent: requests of real clients, as a provider receives them. */

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

type Body = Readonly<Record<string, unknown>>;

const seen: Body[] = [];
const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
const message = { role: 'assistant', content: 'done', refusal: null };

/** Answers every format with one word. */
const provider = Bun.serve({
  port: 0,
  async fetch(request) {
    const { pathname } = new URL(request.url);
    if (request.method !== 'POST') return Response.json({ data: [] });
    seen.push((await request.json()) as Body);
    if (pathname.endsWith('/chat/completions')) {
      const choices = [{ index: 0, message, finish_reason: 'stop' }];
      return Response.json({ id: 'c', object: 'chat.completion', created: 1, model: 'm', choices, usage });
    }
    if (pathname.endsWith('/messages')) {
      const content = [{ type: 'text', text: 'done' }];
      const used = { input_tokens: 1, output_tokens: 1 };
      const reply = { id: 'm', type: 'message', role: 'assistant', model: 'm', content, stop_reason: 'end_turn' };
      return Response.json({ ...reply, usage: used });
    }
    const candidates = [{ index: 0, content: { role: 'model', parts: [{ text: 'done' }] }, finishReason: 'STOP' }];
    return Response.json({ candidates, usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1 } });
  },
});

let weir: RunningWeir;
beforeAll(async () => {
  const base_url = `http://127.0.0.1:${provider.port}/v1`;
  const key = 'sk-upstream';
  weir = await startWeir({
    yaml: {
      providers: {
        chat: { kind: 'openai-chat', base_url, key, models: ['gpt-4o', 'my-qwen'] },
        claude: { kind: 'anthropic-messages', base_url, key, models: ['claude-opus-4-8', 'my-claude'] },
        glm: { kind: 'zhipu', base_url, key, models: ['glm-4.6'] },
        qwen: { kind: 'dashscope', base_url, key, models: ['qwen-plus'] },
        deepseek: { kind: 'deepseek', base_url, key, models: ['deepseek-chat'] },
        gemini: { kind: 'gemini-generate', base_url, key, models: ['gemini-2.0-flash'] },
      },
    },
  });
});
beforeEach(() => void seen.splice(0));
afterAll(async () => {
  await weir.remove();
  await provider.stop(true);
});

const toolsIn = (body: Body | undefined): number => (body?.['tools'] as unknown[] | undefined)?.length ?? 0;

async function send(path: string, body: Body, headers: Record<string, string> = {}) {
  const reply = await fetch(weir.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${weir.token}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  const losses = (reply.headers.get('x-weir-losses') ?? '')
    .split(', ')
    .filter((name) => name !== '' && name !== 'system_fingerprint');
  return { status: reply.status, reply: (await reply.json()) as Body, losses, sent: seen.at(-1) };
}

const text = (words: string, more: Body = {}) => ({ type: 'text', text: words, ...more });

/** As Claude Code sends it: several system blocks, a system turn inside, thinking, and an id of 150 characters. */
const claudeCode = (model: string): Body => ({
  model,
  max_tokens: 32_000,
  metadata: { user_id: JSON.stringify({ device_id: 'd'.repeat(64), account_uuid: '', session_id: 's'.repeat(36) }) },
  thinking: { type: 'adaptive' },
  system: [text('You are an agent.'), text('Be brief.', { cache_control: { type: 'ephemeral' } })],
  messages: [
    { role: 'user', content: [text('<reminder>'), text('What is this?')] },
    { role: 'system', content: 'Today is Sunday.' },
  ],
});

describe('an agent of the messages format on a chat server', () => {
  test('gets one instruction, plain strings, a short id and a limit that the model has', async () => {
    const { status, sent, losses } = await send('/v1/messages', claudeCode('gpt-4o'));
    expect(status).toBe(200);
    expect(sent?.['messages']).toEqual([
      { role: 'system', content: 'You are an agent.\n\nBe brief.' },
      { role: 'user', content: '<reminder>\n\nWhat is this?\n\nToday is Sunday.' },
    ]);
    expect(sent?.['max_tokens']).toBe(16_384);
    expect(sent?.['reasoning_effort']).toBeUndefined();
    expect(sent?.['user']).toMatch(/^[0-9a-f]{64}$/);
    expect(losses).toEqual(expect.arrayContaining(['max_tokens', 'thinking', 'messages[2]-instruction']));
    expect(losses).not.toContain('user');
    const again = await send('/v1/messages', claudeCode('my-qwen'));
    expect(again.sent?.['user']).toBe(sent?.['user']);
    expect(again.sent?.['max_tokens']).toBe(32_000);
  });

  test('in strict mode is refused instead', async () => {
    const { status, reply } = await send('/v1/messages', claudeCode('gpt-4o'), { 'x-weir-strict': 'true' });
    expect([status, JSON.stringify(reply).includes('max_tokens'), seen.length]).toEqual([400, true, 0]);
  });
});

describe('a chat request on a model of the messages format', () => {
  const ask = (model: string, more: Body = {}): Body => ({
    model,
    messages: [{ role: 'user', content: 'hi' }],
    ...more,
  });

  test('without a limit gets the model’s largest; a default limit of Weir is reported as a loss', async () => {
    const known = await send('/v1/chat/completions', ask('claude-opus-4-8'));
    expect([known.sent?.['max_tokens'], known.losses]).toEqual([128_000, []]);
    const unknown = await send('/v1/chat/completions', ask('my-claude'));
    expect([unknown.sent?.['max_tokens'], unknown.losses]).toEqual([8_192, ['no-max_tokens']]);
  });

  test('omits sampling that the model refuses, and asks for JSON mode in the prompt', async () => {
    const { sent, losses } = await send(
      '/v1/chat/completions',
      ask('claude-opus-4-8', { temperature: 0.2, top_p: 1, response_format: { type: 'json_object' } }),
    );
    expect([sent?.['temperature'], sent?.['top_p']]).toEqual([undefined, undefined]);
    expect(JSON.stringify(sent?.['system'])).toContain('JSON');
    expect(losses).toEqual(expect.arrayContaining(['temperature', 'JSON-mode']));
    expect(losses).not.toContain('top_p');
  });

  test('with a role of only some chat servers is refused if it has to be translated', async () => {
    const odd = [{ role: 'narrator', content: 'Once.' }, ...(ask('')['messages'] as unknown[])];
    const { status, reply } = await send('/v1/chat/completions', ask('claude-opus-4-8', { messages: odd }));
    expect([status, (reply['error'] as Body)['param'], seen.length]).toEqual([400, 'messages[0].role', 0]);
    const passed = await send('/v1/chat/completions', ask('my-qwen', { messages: odd }));
    expect([passed.status, passed.sent?.['messages']]).toEqual([200, odd]);
  });
});

test('a content-generation client that allows all of its functions demands any of them on a chat server', async () => {
  const functionDeclarations = [{ name: 'look' }, { name: 'listen' }];
  const ask = (allowedFunctionNames: string[]): Body => ({
    contents: [{ role: 'user', parts: [{ text: 'hi' }] }],
    tools: [{ functionDeclarations }],
    toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames } },
  });
  const all = await send('/v1beta/models/my-qwen:generateContent', ask(['listen', 'look']));
  expect([all.sent?.['tool_choice'], toolsIn(all.sent)]).toEqual(['required', 2]);
  functionDeclarations.push({ name: 'smell' });
  const some = await send('/v1beta/models/my-qwen:generateContent', ask(['listen', 'look']));
  expect([some.sent?.['tool_choice'], toolsIn(some.sent)]).toEqual(['required', 2]);
});

test('thinking is not requested from a model without it', async () => {
  const { sent, losses } = await send('/v1/messages', claudeCode('gemini-2.0-flash'));
  const config = sent?.['generationConfig'] as Body;
  expect([config['thinkingConfig'], config['maxOutputTokens']]).toEqual([undefined, 8_192]);
  expect(losses).toEqual(expect.arrayContaining(['thinking', 'max_tokens']));
});

test('hosts with their own fields for thinking get those', async () => {
  const asked = async (model: string, thinking: Body, more: Body = {}) => {
    const { sent } = await send('/v1/messages', { ...claudeCode(model), thinking, ...more });
    const fields = ['thinking', 'enable_thinking', 'thinking_budget', 'reasoning_effort'];
    return Object.fromEntries(fields.flatMap((name) => (sent?.[name] === undefined ? [] : [[name, sent[name]]])));
  };
  const adaptive = { type: 'adaptive' };
  const budget = { type: 'enabled', budget_tokens: 4_000 };
  expect(await asked('glm-4.6', adaptive)).toEqual({ thinking: { type: 'enabled' } });
  expect(await asked('glm-4.6', { type: 'disabled' })).toEqual({ thinking: { type: 'disabled' } });
  expect(await asked('qwen-plus', budget)).toEqual({ enable_thinking: true, thinking_budget: 4_000 });
  expect(await asked('qwen-plus', { type: 'disabled' })).toEqual({ enable_thinking: false });
  expect(await asked('deepseek-chat', adaptive, { output_config: { effort: 'high' } })).toEqual({
    thinking: { type: 'enabled' },
    reasoning_effort: 'high',
  });
});

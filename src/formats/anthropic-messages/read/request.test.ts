/** Every form of a messages request read into the neutral one, and written back without a loss. */

import { describe, expect, test } from 'bun:test';
import { writeSeal } from '../../../conversation/seals/seal.ts';
import { requestDefaults } from '../../../conversation/text-request.ts';
import type { WriteTarget } from '../../codec.ts';
import { writeRequest } from '../write/request.ts';
import { readRequest } from './request.ts';

const origin = { format: 'anthropic-messages', provider: 'p', model: 'm' };
const target: WriteTarget = { origin, profile: {}, quirks: {} };
const base = { model: 'm', max_tokens: 10, messages: [{ role: 'user', content: 'hi' }] };
const read = (fields: Record<string, unknown>) => readRequest({ ...base, ...fields });
const blocks = (content: unknown, role = 'user') => read({ messages: [{ role, content }] }).value.messages;
const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } } as const;

test('the least request', () => {
  expect(read({})).toEqual({
    value: {
      model: 'm',
      messages: [{ role: 'user', parts: [{ type: 'text', text: 'hi' }] }],
      ...requestDefaults,
      maxOutputTokens: 10,
    },
    losses: [],
  });
});

test('instructions: blocks with cache marks, a string, and in the middle', () => {
  const system = [
    { type: 'text', text: 'one' },
    { type: 'text', text: 'two', cache_control: { type: 'ephemeral', ttl: '1h' } },
  ];
  const messages = [
    { role: 'user', content: 'hi' },
    { role: 'system', content: 'now' },
  ];
  expect(read({ system, messages }).value.messages).toEqual([
    {
      role: 'instruction',
      parts: [
        { type: 'text', text: 'one' },
        { type: 'text', text: 'two', cacheMark: { lifetime: '1h' } },
      ],
    },
    { role: 'user', parts: [{ type: 'text', text: 'hi' }] },
    { role: 'instruction', parts: [{ type: 'text', text: 'now' }] },
  ]);
  expect(read({ system: 's' }).value.messages[0]).toEqual({
    role: 'instruction',
    parts: [{ type: 'text', text: 's' }],
  });
});

test('signatures are the format’s own, or the ones that we wrapped', () => {
  const foreign = { value: 'sig', origin: { format: 'gemini-generate', provider: 'g', model: 'x' } };
  const content = [
    { type: 'thinking', thinking: 'hm', signature: 'abc' },
    { type: 'thinking', thinking: 'ha', signature: writeSeal(foreign) },
    { type: 'redacted_thinking', data: 'hidden' },
    { type: 'thinking', thinking: 'bare', signature: '' },
  ];
  const own = { format: 'anthropic-messages', provider: '', model: '' };
  expect(blocks(content, 'assistant')[0]?.parts).toEqual([
    { type: 'thinking', text: 'hm', seal: { value: 'abc', origin: own } },
    { type: 'thinking', text: 'ha', seal: foreign },
    { type: 'thinking', text: '', redacted: true, seal: { value: 'hidden', origin: own } },
    { type: 'thinking', text: 'bare' },
  ]);
});

test('calls, and results as turns of their own', () => {
  const call = { type: 'tool_use', id: 't1', name: 'f', input: { a: [1] }, caller: { type: 'direct' } };
  const results = [
    { type: 'tool_result', tool_use_id: 't1', content: 'ok' },
    { type: 'tool_result', tool_use_id: 't2', content: [{ type: 'text', text: 'no' }, image], is_error: true },
    { type: 'text', text: 'continue' },
  ];
  const { value, losses } = read({
    messages: [
      { role: 'assistant', content: [call] },
      { role: 'user', content: results },
    ],
  });
  expect(losses).toEqual([]);
  expect(value.messages).toEqual([
    { role: 'assistant', parts: [{ type: 'tool-call', id: 't1', name: 'f', arguments: '{"a":[1]}' }] },
    {
      role: 'tool',
      parts: [
        { type: 'tool-result', callId: 't1', parts: [{ type: 'text', text: 'ok' }], failed: false },
        {
          type: 'tool-result',
          callId: 't2',
          parts: [
            { type: 'text', text: 'no' },
            { type: 'media', media: 'image', mediaType: 'image/png', source: { kind: 'base64', data: 'AAAA' } },
          ],
          failed: true,
        },
      ],
    },
    { role: 'user', parts: [{ type: 'text', text: 'continue' }] },
  ]);
});

test('media of every source', () => {
  const parts = blocks([
    { type: 'image', source: { type: 'url', url: 'https://x/a.png' } },
    { type: 'image', source: { type: 'file', file_id: 'f1' } },
    { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'words' }, title: 't', context: 'c' },
    {
      type: 'document',
      source: { type: 'base64', media_type: 'application/pdf', data: 'JVBE' },
      citations: { enabled: true },
    },
    { type: 'document', source: { type: 'content', content: 'blocks' } },
  ])[0]?.parts;
  expect(parts).toMatchObject([
    { media: 'image', source: { kind: 'url', url: 'https://x/a.png' } },
    { media: 'image', source: { kind: 'file-id', id: 'f1' } },
    { media: 'document', mediaType: 'text/plain', source: { kind: 'text' }, filename: 't', context: 'c' },
    { media: 'document', mediaType: 'application/pdf', citable: true },
    { type: 'native', format: 'anthropic-messages' },
  ]);
});

test('tools of the caller, the web search and the provider’s own', () => {
  const { value } = read({
    tools: [
      { name: 'f', description: 'd', input_schema: { type: 'object' }, strict: true, defer_loading: true },
      { type: 'custom', name: 'g', input_schema: {}, cache_control: { type: 'ephemeral' } },
      { type: 'web_search_20260209', name: 'web_search', max_uses: 3 },
      { type: 'bash_20250124', name: 'bash' },
    ],
  });
  const extras = (fields: object) => ({ format: 'anthropic-messages', fields });
  expect(value.tools).toEqual([
    {
      name: 'f',
      description: 'd',
      parameters: { type: 'object' },
      strict: true,
      deferredIn: 'anthropic-messages',
    },
    { name: 'g', parameters: {}, cacheMark: {} },
  ]);
  expect(value.hostedTools).toEqual([
    { kind: 'web-search', search: { usesMax: 3 }, extras: extras({ type: 'web_search_20260209' }) as never },
    { kind: 'native', format: 'anthropic-messages', value: { type: 'bash_20250124', name: 'bash' } },
  ]);
});

test('the choice among tools and the parallel switch', () => {
  const choice = (value: unknown) => {
    const { toolChoice, parallelToolCalls } = read({ tool_choice: value }).value;
    return [toolChoice, parallelToolCalls];
  };
  expect(choice({ type: 'auto', disable_parallel_tool_use: true })).toEqual([{ kind: 'auto' }, false]);
  expect(choice({ type: 'any' })).toEqual([{ kind: 'required' }, undefined]);
  expect(choice({ type: 'tool', name: 'f', disable_parallel_tool_use: false })).toEqual([
    { kind: 'tool', name: 'f' },
    true,
  ]);
  expect(choice({ type: 'none' })).toEqual([{ kind: 'none' }, undefined]);
  expect(read({ tool_choice: { type: 'odd' } }).losses.map(({ what }) => what)).toEqual(['tool_choice']);
});

test('thinking, effort and structured output in all their spellings', () => {
  const thinking = (fields: Record<string, unknown>) => read(fields).value.thinking;
  expect(thinking({ thinking: { type: 'enabled', budget_tokens: 2048 } })).toEqual({ mode: 'on', budgetTokens: 2048 });
  expect(thinking({ thinking: { type: 'disabled' } })).toEqual({ mode: 'off' });
  expect(thinking({ thinking: { type: 'adaptive', display: 'omitted' }, output_config: { effort: 'xhigh' } })).toEqual({
    mode: 'adaptive',
    effort: 'xhigh',
    visible: false,
  });
  expect(thinking({ output_config: { effort: 'low' } })).toEqual({ effort: 'low' });
  const schema = { type: 'object' };
  const shape = { kind: 'json-schema', schema } as const;
  expect(read({ output_config: { format: { type: 'json_schema', schema } } }).value.output).toEqual(shape);
  expect(read({ output_format: { type: 'json_schema', schema } }).value.output).toEqual(shape);
});

test('a thread holds what only its provider has', () => {
  const { value, losses } = read({ thread: { type: 'continue', previous_message_id: 'msg_1' } });
  expect(value.unsupported).toBe('thread');
  expect(value.extras?.fields.thread).toEqual({ type: 'continue', previous_message_id: 'msg_1' });
  expect(losses).toEqual([]);
  expect(read({ thread: null }).value.unsupported).toBeUndefined();
});

test('nonsense is reported and never throws', () => {
  for (const messages of [undefined, 3, [null], [{ role: 'odd' }], [{ role: 'user', content: 4 }]]) {
    expect(read({ messages }).losses.length).toBeGreaterThan(0);
  }
  const odd = [
    { type: 'text' },
    { type: 'tool_use' },
    {},
    null,
    { type: 'tool_result', content: [{ type: 'tool_use' }] },
  ];
  expect(read({ messages: [{ role: 'user', content: odd }] }).losses.length).toBeGreaterThanOrEqual(5);
  expect(read({ max_tokens: 'x', stop_sequences: [1], tools: 3, thinking: {}, service_tier: 'x' }).losses.length).toBe(
    5,
  );
  expect(readRequest({}).value.model).toBe('');
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  readRequest(
    JSON.parse(
      '{"__proto__":{"polluted":1},"messages":[{"role":"user","content":[{"type":"text","text":"x","__proto__":{"polluted":1}}]}]}',
    ),
  );
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();
});

describe('read, written and read again', () => {
  const cached = { cache_control: { type: 'ephemeral', ttl: '5m' } };
  const whole = {
    ...base,
    max_tokens: 4000,
    stream: true,
    system: [{ type: 'text', text: 's', ...cached }],
    messages: [
      { role: 'user', content: [{ type: 'text', text: 'look', ...cached }, image] },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'hm', signature: 'abc' },
          { type: 'redacted_thinking', data: 'x' },
          {
            type: 'text',
            text: 'cited',
            citations: [{ type: 'char_location', cited_text: 'c', document_index: 0, document_title: 't' }],
          },
          { type: 'server_tool_use', id: 'srv', name: 'web_search', input: { query: 'q' } },
          { type: 'web_search_tool_result', tool_use_id: 'srv', content: [] },
          { type: 'tool_use', id: 't1', name: 'f', input: {} },
          { type: 'tool_use', id: 't2', name: 'f', input: { a: 'ü' }, ...cached },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 't1', content: 'ok', ...cached },
          { type: 'tool_result', tool_use_id: 't2', content: [image], is_error: true },
          { type: 'search_result', source: 's', title: 't', content: [{ type: 'text', text: 'x' }] },
          { type: 'text', text: 'go' },
        ],
      },
      { role: 'system', content: 'mid' },
    ],
    tools: [
      { name: 'f', input_schema: { type: 'object', properties: {} }, eager_input_streaming: true, ...cached },
      { type: 'web_search_20250305', name: 'web_search', allowed_domains: ['x.y'] },
      { type: 'code_execution_20250825', name: 'code_execution' },
    ],
    tool_choice: { type: 'auto', disable_parallel_tool_use: true },
    thinking: { type: 'enabled', budget_tokens: 2000, display: 'summarized' },
    output_config: {
      effort: 'high',
      task_budget: { total: 1 },
      format: { type: 'json_schema', schema: { type: 'object', additionalProperties: false } },
    },
    stop_sequences: ['END'],
    service_tier: 'standard_only',
    metadata: { user_id: '{"device":"1"}', later: 'x' },
    context_management: { edits: [] },
    container: 'c1',
    mcp_servers: [{ name: 'x' }],
    inference_geo: 'eu',
    speed: 'fast',
  };

  test('keeps everything', () => {
    const first = readRequest(whole);
    expect(first.losses).toEqual([]);
    const written = writeRequest(first.value, target);
    expect(written.losses).toEqual([]);
    expect(written.value).toEqual(whole);
    expect(readRequest(written.value)).toEqual(first);
  });
});

import { describe, expect, test } from 'bun:test';
import type { Tree } from '../../../conversation/json-tree.ts';
import { writeSeal } from '../../../conversation/seals/seal.ts';
import { readRequest } from './request.ts';

const read = (fields: Tree) => readRequest({ model: 'm', input: 'Hi', ...fields });
const messages = (input: unknown, fields: Tree = {}) => read({ input, ...fields }).value.messages;

describe('turns', () => {
  test('a text is the user, instructions come first', () => {
    expect(messages('Hi', { instructions: 'Be brief.' })).toEqual([
      { role: 'instruction', parts: [{ type: 'text', text: 'Be brief.' }] },
      { role: 'user', parts: [{ type: 'text', text: 'Hi' }] },
    ]);
  });

  test('consecutive items of the assistant are one turn in their order, and so are its results', () => {
    const input = [
      { role: 'developer', content: 'Rules' },
      { role: 'user', content: [{ type: 'input_text', text: 'Go' }] },
      { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'a' }], encrypted_content: 'secret' },
      { type: 'message', role: 'assistant', id: 'msg_1', content: [{ type: 'output_text', text: 'I look.' }] },
      { type: 'function_call', id: 'fc_1', call_id: 'c1', name: 'f', arguments: '{"a": 1}' },
      { type: 'web_search_call', id: 'ws_1', status: 'completed' },
      { type: 'function_call', call_id: 'c2', name: 'f', arguments: '' },
      { type: 'function_call_output', call_id: 'c2', output: 'two' },
      {
        type: 'function_call_output',
        call_id: 'c1',
        output: [
          { type: 'input_text', text: 'one' },
          { type: 'input_image', image_url: 'data:image/png;base64,QUJD', detail: 'low' },
        ],
      },
    ];
    const own = { format: 'openai-responses', provider: '', model: '' };
    expect(messages(input)).toEqual([
      { role: 'instruction', authority: 'developer', parts: [{ type: 'text', text: 'Rules' }] },
      { role: 'user', parts: [{ type: 'text', text: 'Go' }] },
      {
        role: 'assistant',
        parts: [
          { type: 'thinking', text: 'a', seal: { value: 'rs_1#secret', origin: own } },
          { type: 'text', text: 'I look.' },
          { type: 'tool-call', id: 'c1', name: 'f', arguments: '{"a": 1}' },
          { type: 'native', format: 'openai-responses', value: input[5] },
          { type: 'tool-call', id: 'c2', name: 'f', arguments: '' },
        ],
      },
      {
        role: 'tool',
        parts: [
          { type: 'tool-result', callId: 'c2', parts: [{ type: 'text', text: 'two' }], failed: false },
          {
            type: 'tool-result',
            callId: 'c1',
            parts: [
              { type: 'text', text: 'one' },
              {
                type: 'media',
                media: 'image',
                mediaType: 'image/png',
                source: { kind: 'base64', data: 'QUJD' },
                detail: 'low',
              },
            ],
            failed: false,
          },
        ],
      },
    ]);
  });

  test('a seal that we wrapped comes back with its own origin, hidden thoughts stay hidden', () => {
    const seal = { value: 'sig', origin: { format: 'anthropic-messages', provider: 'p', model: 'm' } };
    const wrapped = writeSeal(seal);
    const item = { type: 'reasoning', id: 'rs_9', encrypted_content: wrapped };
    expect(messages([{ ...item, summary: [] }])[0]?.parts).toEqual([
      { type: 'thinking', text: '', redacted: true, seal },
    ]);
    expect(messages([{ ...item, summary: [{ type: 'summary_text', text: '' }] }])[0]?.parts).toEqual([
      { type: 'thinking', text: '', seal },
    ]);
  });

  test('files in all their forms', () => {
    const file = (fields: Tree) =>
      messages([{ role: 'user', content: [{ type: 'input_file', ...fields }] }])[0]?.parts[0];
    expect(file({ file_url: 'https://a/b.pdf' })).toMatchObject({ source: { kind: 'url', url: 'https://a/b.pdf' } });
    expect(file({ file_id: 'file-1' })).toMatchObject({ media: 'document', source: { kind: 'file-id', id: 'file-1' } });
    expect(file({ filename: 'a.pdf', file_data: 'data:application/pdf;base64,QUJD' })).toEqual({
      type: 'media',
      media: 'document',
      mediaType: 'application/pdf',
      source: { kind: 'base64', data: 'QUJD' },
      filename: 'a.pdf',
    });
    expect(file({ file_data: `data:text/plain;base64,${Buffer.from('é').toString('base64')}` })).toMatchObject({
      source: { kind: 'text', text: 'é' },
    });
    expect(file({ file_data: 'data:text/plain;base64,/w==' })).toMatchObject({
      source: { kind: 'base64', data: '/w==' },
    });
  });

  test('items that only this format has keep their place', () => {
    const items = [
      { type: 'additional_tools', role: 'developer', tools: [] },
      { type: 'item_reference', id: 'msg_1' },
      { type: 'local_shell_call', call_id: 'c', action: {} },
      { type: 'local_shell_call_output', call_id: 'c', output: 'y' },
    ];
    const native = (value: unknown) => ({ type: 'native', format: 'openai-responses', value });
    expect(messages(items)).toEqual([
      { role: 'instruction', parts: [{ ...native(items[0]), instead: [] }] },
      { role: 'assistant', parts: [native(items[1]), native(items[2])] },
      { role: 'tool', parts: [native(items[3])] },
    ] as never);
  });

  test('malformed input is a loss, never an exception', () => {
    for (const input of [null, 7, {}, [null, 'x', 7, []], [{ role: 7 }], [{ role: 'user', content: 7 }]]) {
      expect(read({ input }).value.model).toBe('m');
    }
    const { losses } = read({
      input: [7, { role: 'user', content: [null, { type: 'input_text' }] }, { role: 'king' }],
    });
    expect(losses.map(({ what }) => what)).toEqual([
      'input[0]',
      'input[1].content[0]',
      'input[1].content[1]',
      'input[2].role',
    ]);
  });
});

describe('tools', () => {
  test('functions, the web search and all others', () => {
    const { value } = read({
      tools: [
        { type: 'function', name: 'f', parameters: { type: 'object' }, strict: true, defer_loading: true },
        { type: 'web_search', search_context_size: 'low' },
        { type: 'web_search_preview' },
        { type: 'local_shell' },
      ],
    });
    expect(value.tools).toEqual([
      {
        name: 'f',
        parameters: { type: 'object' },
        strict: true,
        deferredIn: 'openai-responses',
      },
    ]);
    expect(value.hostedTools).toEqual([
      { kind: 'web-search', search: { contextSize: 'low' } },
      { kind: 'web-search', extras: { format: 'openai-responses', fields: { type: 'web_search_preview' } } },
      { kind: 'native', format: 'openai-responses', value: { type: 'local_shell' } },
    ]);
  });

  test('namespaces, custom tools and tools that items bring have names of their own', () => {
    const plain = { type: 'function', name: 'crm__find' };
    const group = {
      type: 'namespace',
      name: 'crm',
      description: 'Customers.',
      tools: [
        { type: 'function', name: 'find' },
        { type: 'custom', name: 'query', format: { type: 'text' } },
      ],
    };
    const grammar = { type: 'grammar', syntax: 'regex', definition: '.+' };
    const brought = { type: 'additional_tools', tools: [{ type: 'custom', name: 'exec', format: grammar }] };
    const { value, losses } = read({
      tools: [group, plain],
      tool_choice: {
        type: 'allowed_tools',
        mode: 'auto',
        tools: [
          { type: 'namespace', name: 'crm' },
          { type: 'custom', name: 'exec' },
        ],
      },
      input: [
        brought,
        { type: 'function_call', call_id: 'a', name: 'find', namespace: 'crm', arguments: '{}' },
        { type: 'custom_tool_call', call_id: 'b', name: 'query', namespace: 'crm', input: 'x' },
        { type: 'function_call', call_id: 'c', name: 'gone', namespace: 'crm', arguments: '{}' },
        { type: 'custom_tool_call_output', call_id: 'b', output: 'y' },
      ],
    });
    const namespace = (toolName: string) => ({ name: 'crm', toolName, description: 'Customers.' });
    expect(value.tools).toEqual([
      { name: 'crm__find_2', namespace: namespace('find') },
      { name: 'crm__query', namespace: namespace('query'), freeform: {} },
      { name: 'crm__find' },
      { name: 'exec', freeform: { syntax: 'regex', definition: '.+' }, placedIn: 'openai-responses' },
    ]);
    expect(value.toolChoice).toEqual({
      kind: 'allowed',
      names: ['crm__find_2', 'crm__query', 'exec'],
      required: false,
    });
    expect(value.messages.slice(1)).toEqual([
      {
        role: 'assistant',
        parts: [
          { type: 'tool-call', id: 'a', name: 'crm__find_2', arguments: '{}' },
          { type: 'tool-call', id: 'b', name: 'crm__query', arguments: 'x', freeform: true },
          { type: 'tool-call', id: 'c', name: 'crm__gone', arguments: '{}' },
        ],
      },
      {
        role: 'tool',
        parts: [{ type: 'tool-result', callId: 'b', parts: [{ type: 'text', text: 'y' }], failed: false }],
      },
    ]);
    expect([value.extras, losses]).toEqual([undefined, []]);
  });

  test('every choice', () => {
    const choice = (tool_choice: unknown) => read({ tool_choice }).value;
    expect(choice('none').toolChoice).toEqual({ kind: 'none' });
    expect(choice('required').toolChoice).toEqual({ kind: 'required' });
    expect(choice({ type: 'function', name: 'f' }).toolChoice).toEqual({ kind: 'tool', name: 'f' });
    const allowed = { type: 'allowed_tools', mode: 'required', tools: [{ type: 'function', name: 'f' }] };
    expect(choice(allowed).toolChoice).toEqual({ kind: 'allowed', names: ['f'], required: true });
    expect(choice(allowed).extras).toBeUndefined();
    const mixed = { ...allowed, tools: [...allowed.tools, { type: 'mcp', server_label: 's' }] };
    expect(choice(mixed).extras?.fields).toEqual({ tool_choice: mixed });
    expect(choice({ type: 'file_search' })).toMatchObject({
      toolChoice: { kind: 'auto' },
      extras: { fields: { tool_choice: { type: 'file_search' } } },
    });
  });
});

test('options with a neutral name', () => {
  const { value, losses } = read({
    stream: true,
    max_output_tokens: 9,
    temperature: 0.5,
    top_p: 0.9,
    top_logprobs: 3,
    parallel_tool_calls: false,
    store: false,
    service_tier: 'flex',
    metadata: { a: 'b' },
    safety_identifier: 'u1',
    prompt_cache_key: 'k',
    previous_response_id: 'resp_1',
    reasoning: { effort: 'high', summary: 'detailed' },
    text: { verbosity: 'low', format: { type: 'json_schema', name: 's', schema: { type: 'object' }, strict: true } },
    include: ['reasoning.encrypted_content', 'message.output_text.logprobs'],
    stream_options: { include_obfuscation: false },
    truncation: 'disabled',
    background: false,
    max_tool_calls: null,
  });
  expect(losses).toEqual([]);
  expect(value).toEqual({
    model: 'm',
    messages: [{ role: 'user', parts: [{ type: 'text', text: 'Hi' }] }],
    stream: true,
    tools: [],
    toolChoice: { kind: 'auto' },
    output: { kind: 'json-schema', schema: { type: 'object' }, name: 's', strict: true },
    candidates: 1,
    stop: [],
    maxOutputTokens: 9,
    temperature: 0.5,
    topP: 0.9,
    parallelToolCalls: false,
    store: false,
    logprobs: { top: 3 },
    verbosity: 'low',
    serviceTier: 'flex',
    metadata: { a: 'b' },
    user: 'u1',
    promptCacheKey: 'k',
    previousReplyId: 'resp_1',
    thinking: { effort: 'high', visible: true, summary: 'detailed' },
  });
});

test('its own fields are kept, and those that no other format supports are named', () => {
  const { value } = read({ max_tool_calls: 3, truncation: 'auto', include: ['file_search_call.results'], x_new: null });
  expect(value.extras).toEqual({
    format: 'openai-responses',
    fields: { max_tool_calls: 3, truncation: 'auto', x_new: null, include: ['file_search_call.results'] },
  });
  expect(value.unsupported).toBeUndefined();
  expect(read({ background: true }).value.unsupported).toBe('background');
  expect(read({ conversation: 'conv_1' }).value.unsupported).toBe('conversation');
  expect(read({ prompt: { id: 'pmpt_1' } }).value.unsupported).toBe('prompt');
  expect(read({ reasoning: { effort: 'none' } }).value.thinking).toEqual({ mode: 'off', effort: 'none' });
  const hostile = read(JSON.parse('{"__proto__":{"polluted":1}}') as Tree).value.extras;
  expect(Object.keys(hostile?.fields ?? {})).toEqual(['__proto__']);
});

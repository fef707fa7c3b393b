/** Every form a chat request takes, read into the neutral request; what is not carried is reported. */

import { describe, expect, test } from 'bun:test';
import type { Message } from '../../../conversation/parts.ts';
import { writeSeal } from '../../../conversation/seals/seal.ts';
import { requestDefaults } from '../../../conversation/text-request.ts';
import { readRequest } from './request.ts';

const user = { role: 'user', content: 'hi' };
const read = (fields: Record<string, unknown>) => readRequest({ model: 'm', messages: [user], ...fields });
const messages = (...given: readonly unknown[]): readonly Message[] => read({ messages: given }).value.messages;
const partsOf = (content: unknown) => messages({ role: 'user', content })[0]?.parts;

test('the least request', () => {
  expect(read({})).toEqual({
    value: {
      model: 'm',
      messages: [{ role: 'user', parts: [{ type: 'text', text: 'hi' }] }],
      ...requestDefaults,
    },
    losses: [],
  });
});

test('every scalar field', () => {
  const { value, losses } = read({
    stream: true,
    stream_options: { include_usage: true },
    max_tokens: 5,
    max_completion_tokens: 7,
    n: 3,
    seed: 11,
    temperature: 0.5,
    top_p: 0.9,
    presence_penalty: 1,
    frequency_penalty: -1,
    reasoning_effort: 'low',
    user: 'u',
    parallel_tool_calls: false,
    stop: ['a', 'b'],
  });
  expect(value).toMatchObject({
    stream: true,
    maxOutputTokens: 7,
    candidates: 3,
    seed: 11,
    temperature: 0.5,
    topP: 0.9,
    presencePenalty: 1,
    frequencyPenalty: -1,
    thinking: { effort: 'low' },
    user: 'u',
    parallelToolCalls: false,
    stop: ['a', 'b'],
  });
  expect(losses).toEqual([]);
  expect(read({ max_tokens: 5, stop: 'x' }).value).toMatchObject({ maxOutputTokens: 5, stop: ['x'] });
});

test('every option', () => {
  const { value, losses } = read({
    logprobs: true,
    top_logprobs: 3,
    logit_bias: { '50256': -100 },
    modalities: ['text', 'audio'],
    audio: { voice: 'ash', format: 'mp3' },
    verbosity: 'low',
    service_tier: 'flex',
    metadata: { a: 'b' },
    safety_identifier: 's',
    prompt_cache_key: 'k',
    store: false,
  });
  expect(value).toMatchObject({
    logprobs: { top: 3 },
    logitBias: { '50256': -100 },
    modalities: ['text', 'audio'],
    audio: { voice: 'ash', format: 'mp3' },
    verbosity: 'low',
    serviceTier: 'flex',
    metadata: { a: 'b' },
    user: 's',
    promptCacheKey: 'k',
    store: false,
  });
  expect([value.extras, losses]).toEqual([undefined, []]);
  const both = read({ user: 'u', safety_identifier: 's' }).value;
  expect([both.user, both.extras?.fields]).toEqual(['u', { safety_identifier: 's' }]);
});

const thinkingForms: readonly [Record<string, unknown>, object][] = [
  [{ reasoning_effort: 'none' }, { effort: 'none', mode: 'off' }],
  [{ reasoning_effort: 'xhigh' }, { effort: 'xhigh' }],
  [{ reasoning: { effort: 'low', exclude: true } }, { effort: 'low', visible: false }],
  [{ reasoning: { max_tokens: 2000, enabled: true } }, { budgetTokens: 2000, mode: 'on' }],
  [{ thinking: { type: 'disabled' } }, { mode: 'off' }],
  [{ thinking: { type: 'enabled', budget_tokens: 99 } }, { mode: 'on', budgetTokens: 99 }],
];
for (const [fields, thinking] of thinkingForms) {
  test(`thinking as ${JSON.stringify(fields)}`, () => {
    const { value, losses } = read(fields);
    expect([value.thinking as unknown, losses]).toEqual([thinking, []]);
  });
}

describe('messages', () => {
  test('roles', () => {
    const roles = messages(
      { role: 'system', content: 's' },
      { role: 'developer', content: 'd' },
      { role: 'user', content: 'u', name: 'ann' },
      { role: 'assistant', content: 'a' },
      { role: 'tool', tool_call_id: 'c', content: 't' },
    );
    expect(roles.map((message) => message.role)).toEqual(['instruction', 'instruction', 'user', 'assistant', 'tool']);
    expect(roles.slice(0, 2).map(({ authority }) => authority)).toEqual(['system', 'developer']);
    expect(roles[2]?.name).toBe('ann');
    expect(roles[4]?.parts).toEqual([
      { type: 'tool-result', callId: 'c', parts: [{ type: 'text', text: 't' }], failed: false },
    ]);
  });

  for (const content of [null, '', undefined]) {
    test(`an assistant's tool turn with content ${JSON.stringify(content)}`, () => {
      const call = { id: 'c1', type: 'function', function: { name: 'f', arguments: '{"a": 1}' } };
      const turn = { role: 'assistant', tool_calls: [call], ...(content === undefined ? {} : { content }) };
      expect(messages(turn)[0]?.parts).toEqual([{ type: 'tool-call', id: 'c1', name: 'f', arguments: '{"a": 1}' }]);
    });
  }

  test('thinking, text, refusal and calls keep the order in which they were made', () => {
    const call = { id: 'c', type: 'function', function: { name: 'f', arguments: '' } };
    const turn = { role: 'assistant', content: 'x', reasoning_content: 'r', refusal: 'no', tool_calls: [call] };
    expect(messages(turn)[0]?.parts.map((part) => part.type)).toEqual(['thinking', 'text', 'refusal', 'tool-call']);
  });

  test('signatures that a client sends back', () => {
    const foreign = { value: 'v', origin: { format: 'f', provider: 'p', model: 'm' } };
    const call = (signature: string) => ({
      id: 'c',
      type: 'function',
      function: { name: 'f', arguments: '' },
      extra_content: { google: { thought_signature: signature } },
    });
    const raw = { type: 'reasoning.text', text: 'r', signature: 'sig', index: 0 };
    const wrapped = { type: 'reasoning.encrypted', data: writeSeal(foreign) };
    const [turn] = messages({
      role: 'assistant',
      content: null,
      reasoning: 'r',
      reasoning_details: [raw, wrapped],
      tool_calls: [call('raw'), call(writeSeal(foreign))],
    });
    const own = { format: 'openai-chat', provider: '', model: '' };
    expect(turn?.parts).toEqual([
      {
        type: 'thinking',
        text: 'r',
        seal: { value: '{"type":"reasoning.text","signature":"sig","index":0}', origin: own },
      },
      { type: 'thinking', text: '', redacted: true, seal: foreign },
      { type: 'tool-call', id: 'c', name: 'f', arguments: '', seal: { value: 'raw', origin: own } },
      { type: 'tool-call', id: 'c', name: 'f', arguments: '', seal: foreign },
    ]);
  });

  test('a mark on a whole message is one on its last part', () => {
    const mark = { cache_control: { type: 'ephemeral', ttl: '1h' } };
    expect(messages({ role: 'system', content: 's', ...mark })[0]?.parts).toEqual([
      { type: 'text', text: 's', cacheMark: { lifetime: '1h' } },
    ]);
    expect(partsOf([{ type: 'text', text: 't', prompt_cache_breakpoint: { mode: 'explicit' } }])).toEqual([
      { type: 'text', text: 't', cacheMark: {} },
    ]);
  });

  test('deprecated function turns are paired by name', () => {
    const read = messages(
      { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{}' } },
      { role: 'function', name: 'f', content: '1' },
    );
    const [call, result] = read.map((message) => message.parts[0]);
    expect(call?.type === 'tool-call' && result?.type === 'tool-result' && call.id === result.callId).toBe(true);
  });

  test('images, audio, files', () => {
    expect(
      partsOf([
        { type: 'text', text: 'see', cache_control: { type: 'ephemeral', ttl: '1h' } },
        { type: 'image_url', image_url: { url: 'https://a/b.png', detail: 'low' } },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
        { type: 'input_audio', input_audio: { data: 'BBBB', format: 'mp3' } },
        { type: 'file', file: { file_data: 'data:application/pdf;base64,CCCC', filename: 'a.pdf' } },
        { type: 'file', file: { file_id: 'file-1' } },
        { type: 'refusal', refusal: 'no' },
      ]),
    ).toEqual([
      { type: 'text', text: 'see', cacheMark: { lifetime: '1h' } },
      { type: 'media', media: 'image', source: { kind: 'url', url: 'https://a/b.png' }, detail: 'low' },
      { type: 'media', media: 'image', mediaType: 'image/png', source: { kind: 'base64', data: 'AAAA' } },
      { type: 'media', media: 'audio', mediaType: 'audio/mpeg', source: { kind: 'base64', data: 'BBBB' } },
      {
        type: 'media',
        media: 'document',
        mediaType: 'application/pdf',
        source: { kind: 'base64', data: 'CCCC' },
        filename: 'a.pdf',
      },
      { type: 'media', media: 'document', source: { kind: 'file-id', id: 'file-1' } },
      { type: 'refusal', text: 'no' },
    ]);
  });

  test('an unknown part is kept whole for this format', () => {
    const part = { type: 'hologram', data: 1 };
    expect(partsOf([part])).toEqual([{ type: 'native', format: 'openai-chat', value: part }]);
  });
});

describe('tools', () => {
  const tool = (name: string) => ({
    type: 'function',
    function: { name, description: 'd', parameters: { type: 'object' }, strict: true },
  });

  test('declarations, new and deprecated', () => {
    const declared = { name: 'f', description: 'd', parameters: { type: 'object' }, strict: true };
    expect(read({ tools: [tool('f')] }).value.tools).toEqual([declared]);
    expect(read({ functions: [{ name: 'g' }], function_call: { name: 'g' } }).value).toMatchObject({
      tools: [{ name: 'g' }],
      toolChoice: { kind: 'tool', name: 'g' },
    });
  });

  const choices: readonly [unknown, unknown][] = [
    ['auto', { kind: 'auto' }],
    ['none', { kind: 'none' }],
    ['required', { kind: 'required' }],
    [
      { type: 'function', function: { name: 'f' } },
      { kind: 'tool', name: 'f' },
    ],
    [
      { type: 'custom', custom: { name: 'c' } },
      { kind: 'tool', name: 'c' },
    ],
  ];
  for (const [choice, expected] of choices) {
    test(`choice ${JSON.stringify(choice)}`, () => {
      expect(read({ tools: [tool('f')], tool_choice: choice }).value.toolChoice as unknown).toEqual(expected);
    });
  }

  test('allowed tools are named', () => {
    const allowed = { mode: 'required', tools: [{ type: 'function', function: { name: 'g' } }] };
    const { value } = read({
      tools: [tool('f'), tool('g')],
      tool_choice: { type: 'allowed_tools', allowed_tools: allowed },
    });
    expect(value.tools.map(({ name }) => name)).toEqual(['f', 'g']);
    expect(value.toolChoice).toEqual({ kind: 'allowed', names: ['g'], required: true });
  });

  test('an allowed tool without a name, and a part that no result can hold, are reported', () => {
    const allowed = { mode: 'auto', tools: [{ type: 'web_search' }, { type: 'function', function: { name: 'g' } }] };
    const result = { role: 'tool', tool_call_id: 'c', content: [{ type: 'refusal', refusal: 'no' }] };
    const { losses } = read({ messages: [result], tool_choice: { type: 'allowed_tools', allowed_tools: allowed } });
    expect(losses.map(({ what }) => what)).toEqual(['messages[0].content', 'tool_choice.allowed_tools.tools[0]']);
  });

  test("tools of the provider, marks and a declaration's unknown fields", () => {
    const grammar = { syntax: 'lark', definition: 'start: /.+/' };
    const custom = { type: 'custom', custom: { name: 'c', format: { type: 'grammar', grammar } } };
    const marked = { ...tool('f'), cache_control: { type: 'ephemeral' }, defer_loading: true };
    const { value, losses } = read({
      tools: [custom, marked, null],
      web_search_options: { search_context_size: 'low' },
    });
    expect(value.tools).toMatchObject([
      { name: 'c', freeform: grammar },
      { name: 'f', cacheMark: {}, extras: { format: 'openai-chat', fields: { defer_loading: true } } },
    ]);
    expect(value.hostedTools).toEqual([{ kind: 'web-search', search: { contextSize: 'low' } }]);
    expect(losses.map(({ what }) => what)).toEqual(['tools[2]']);
  });
});

test('response formats', () => {
  expect(read({ response_format: { type: 'text' } }).value.output).toEqual({ kind: 'text' });
  expect(read({ response_format: { type: 'json_object' } }).value.output).toEqual({ kind: 'json' });
  const shape = { name: 'n', strict: true, schema: { type: 'object' } };
  expect(read({ response_format: { type: 'json_schema', json_schema: shape } }).value.output).toEqual({
    kind: 'json-schema',
    name: 'n',
    strict: true,
    schema: { type: 'object' },
  });
});

describe('losses', () => {
  const lost = (fields: Record<string, unknown>) => read(fields).losses.map(({ what }) => what);

  test('unknown fields are kept for this format, and are no loss yet', () => {
    const { value, losses } = read({ unknown_field: 1, prediction: { type: 'content' }, nothing: null });
    expect(value.extras).toEqual({
      format: 'openai-chat',
      fields: { unknown_field: 1, prediction: { type: 'content' } },
    });
    expect(losses).toEqual([]);
    expect(read({ logit_bias: {}, logprobs: false, metadata: {}, modalities: ['text'] }).value).toEqual(read({}).value);
    const grammar = { type: 'grammar', grammar: 'g' };
    expect(read({ response_format: grammar }).value.extras?.fields).toEqual({ response_format: grammar });
  });

  test('fields of a message too', () => {
    expect(lost({ messages: [{ role: 'assistant', content: 'x', audio: { id: 'a' }, annotations: [] }] })).toEqual([
      'messages[0].audio',
    ]);
  });

  test('odd input never throws, and a flood of unknown fields is bounded', () => {
    const odd: readonly unknown[] = [
      null,
      0,
      '',
      'x',
      [],
      {},
      [null],
      [[]],
      [{}],
      { a: { b: 1 } },
      true,
      -1,
      1e308,
      [1, 'a', null],
    ];
    const fields = [
      'messages',
      'tools',
      'functions',
      'tool_choice',
      'function_call',
      'response_format',
      'stop',
      'n',
      'max_tokens',
      'seed',
      'user',
      'stream_options',
      'model',
    ];
    for (const field of fields)
      for (const value of odd) expect(read({ [field]: value }).value.candidates).toBeGreaterThan(0);
    for (const content of odd) expect(partsOf(content)).toBeArray();
    for (const part of odd) expect(partsOf([part])).toBeArray();
    for (const inner of odd)
      for (const type of ['text', 'image_url', 'input_audio', 'file', 'refusal', 'video_url'])
        expect(partsOf([{ type, [type]: inner }])).toBeArray();
    const flood = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`x${index}`, 1]));
    expect(Object.keys(read(flood).value.extras?.fields ?? {}).length).toBe(5_000);
    const messages = [{ role: 'user', content: 'x', ...flood }];
    expect(read({ messages }).losses.length).toBe(100);
  });
});

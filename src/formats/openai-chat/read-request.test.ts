/** Every form a chat request takes, read into the neutral request; what is not carried is reported. */

import { describe, expect, test } from 'bun:test';
import type { Message } from '../../conversation/parts.ts';
import { readRequest } from './read-request.ts';

const user = { role: 'user', content: 'hi' };
const read = (fields: Record<string, unknown>) => readRequest({ model: 'm', messages: [user], ...fields });
const messages = (...given: readonly unknown[]): readonly Message[] => read({ messages: given }).value.messages;
const partsOf = (content: unknown) => messages({ role: 'user', content })[0]?.parts;

test('the least request', () => {
  expect(read({})).toEqual({
    value: {
      model: 'm',
      messages: [{ role: 'user', parts: [{ type: 'text', text: 'hi' }] }],
      stream: false,
      tools: [],
      toolChoice: { kind: 'auto' },
      output: { kind: 'text' },
      candidates: 1,
      stop: [],
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

  test('deprecated function turns are paired by name', () => {
    const read = messages(
      { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{}' } },
      { role: 'function', name: 'f', content: '1' },
    );
    const [call, result] = read.map((message) => message.parts[0]);
    expect(call?.type === 'tool-call' && result?.type === 'tool-result' && call.id === result.callId).toBe(true);
  });

  test('images, sound, files', () => {
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

  test('allowed tools leave the others undeclared', () => {
    const allowed = { mode: 'required', tools: [{ type: 'function', function: { name: 'g' } }] };
    const { value } = read({
      tools: [tool('f'), tool('g')],
      tool_choice: { type: 'allowed_tools', allowed_tools: allowed },
    });
    expect(value.tools.map(({ name }) => name)).toEqual(['g']);
    expect(value.toolChoice).toEqual({ kind: 'required' });
  });

  test('a tool that is not a function is a loss', () => {
    const { value, losses } = read({ tools: [{ type: 'custom', custom: { name: 'c' } }, tool('f')] });
    expect(value.tools.length).toBe(1);
    expect(losses.map(({ what }) => what)).toEqual(['tools[0]']);
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

  test('fields without a place are reported, empty ones are not', () => {
    expect(
      lost({ logit_bias: { 1: 2 }, logprobs: true, top_logprobs: 2, metadata: { a: 'b' }, unheard_of: 1 }),
    ).toEqual(['logit_bias', 'logprobs', 'top_logprobs', 'metadata', 'unheard_of']);
    expect(
      lost({ logit_bias: {}, logprobs: false, top_logprobs: null, metadata: {}, store: false, modalities: ['text'] }),
    ).toEqual([]);
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
    expect(read(flood).losses.length).toBe(100);
  });
});

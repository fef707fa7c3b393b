/** Requests of other formats written in this one: what it demands is there, what it cannot say is reported. */

import { describe, expect, test } from 'bun:test';
import type { ModelProfile } from '../../../conversation/model-profile.ts';
import type { Message, Part } from '../../../conversation/parts.ts';
import { requestDefaults, type TextRequest } from '../../../conversation/text-request.ts';
import type { WriteQuirks } from '../../codec.ts';
import { writeRequest } from './request.ts';

const origin = { format: 'anthropic-messages', provider: 'p', model: 'there' };
const user: Message = { role: 'user', parts: [{ type: 'text', text: 'hi' }] };
const plain: TextRequest = {
  model: 'here',
  messages: [user],
  ...requestDefaults,
};
const f = { name: 'f', parameters: { type: 'object' } } as const;

/** The model's largest reply is known, as it is of nearly every model. */
const known: ModelProfile = { outputTokensMax: 8_192 };

function write(fields: Partial<TextRequest>, profile = known, quirks: WriteQuirks = {}) {
  const { value, losses } = writeRequest({ ...plain, ...fields }, { origin, profile, quirks });
  return { value, lost: losses.map(({ what }) => what) };
}

const content = (parts: readonly Part[], role: Message['role'] = 'user') => {
  const { value, lost } = write({ messages: [{ role, parts }] });
  return { content: (value.messages as { content: unknown }[])[0]?.content, lost };
};

test('the least request, with the limit that the format demands: the largest of the model, or an assumed one that is reported', () => {
  expect(write({}, { outputTokensMax: 64_000 })).toEqual({
    value: { model: 'there', max_tokens: 64_000, messages: [{ role: 'user', content: 'hi' }] },
    lost: [],
  });
  expect(write({ maxOutputTokens: 5 }, { outputTokensMax: 64_000 }).value.max_tokens).toBe(5);
  const unknown = write({}, {});
  expect([unknown.value.max_tokens, unknown.lost]).toEqual([8192, ['no max_tokens']]);
});

test('instructions gather in their field; results and what follows them become one turn', () => {
  const { value } = write({
    messages: [
      { role: 'instruction', parts: [{ type: 'text', text: 'a' }], authority: 'system' },
      { role: 'instruction', parts: [{ type: 'text', text: 'b', cacheMark: {} }], authority: 'developer' },
      user,
      { role: 'assistant', parts: [{ type: 'tool-call', id: 't', name: 'f', arguments: '' }] },
      { role: 'tool', parts: [{ type: 'tool-result', callId: 't', parts: [], failed: false }] },
      {
        role: 'tool',
        parts: [{ type: 'tool-result', callId: 'u', parts: [{ type: 'text', text: 'r' }], failed: true }],
      },
      user,
    ],
  });
  expect(value.system).toEqual([
    { type: 'text', text: 'a' },
    { type: 'text', text: 'b', cache_control: { type: 'ephemeral' } },
  ]);
  expect(value.messages).toEqual([
    { role: 'user', content: 'hi' },
    { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'f', input: {} }] },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 't' },
        { type: 'tool_result', tool_use_id: 'u', content: 'r', is_error: true },
        { type: 'text', text: 'hi' },
      ],
    },
  ]);
});

test('the user’s text before a result stays in the same turn', () => {
  const result: Message = {
    role: 'tool',
    parts: [{ type: 'tool-result', callId: 't', parts: [{ type: 'text', text: 'r' }], failed: false }],
  };
  const { value } = write({ messages: [user, result, user, user] });
  expect(value.messages).toEqual([
    {
      role: 'user',
      content: [
        { type: 'text', text: 'hi' },
        { type: 'tool_result', tool_use_id: 't', content: 'r' },
        { type: 'text', text: 'hi' },
      ],
    },
    { role: 'user', content: 'hi' },
  ]);
});

test('a provider gets back the citations that it made, and no others', () => {
  const own = { type: 'char_location', cited_text: 'c' };
  const { content: written, lost } = content(
    [
      {
        type: 'text',
        text: 'x',
        citations: [{ native: { format: 'anthropic-messages', value: own } }, { url: 'https://foreign' }],
      },
    ],
    'assistant',
  );
  expect(written).toEqual([{ type: 'text', text: 'x', citations: [own] }]);
  expect(lost).toEqual(['messages[0] citation']);
});

describe('arguments', () => {
  const input = (text: string) => {
    const { content: written, lost } = content(
      [{ type: 'tool-call', id: 't', name: 'f', arguments: text }],
      'assistant',
    );
    return [(written as { input: unknown }[])[0]?.input, lost.length];
  };
  test('an object is parsed, nothing is an empty object, anything else is wrapped and reported', () => {
    expect(input('{"a": 1}')).toEqual([{ a: 1 }, 0]);
    expect(input(' ')).toEqual([{}, 0]);
    expect(JSON.stringify(input('{"big":12345678901234567890,"rate":1.0}')[0])).toBe(
      '{"big":12345678901234567890,"rate":1.0}',
    );
    expect(input('[1]')).toEqual([{ arguments: [1] }, 1]);
    expect(input('{"a"')).toEqual([{ arguments: '{"a"' }, 1]);
  });
});

test('thinking without a signature, audio, and parts of other formats are reported', () => {
  const { content: written, lost } = content(
    [
      { type: 'thinking', text: 'hm' },
      { type: 'text', text: 'x' },
      { type: 'native', format: 'openai-chat', value: { type: 'odd' } },
      { type: 'refusal', text: 'no' },
    ],
    'assistant',
  );
  expect(written).toEqual([
    { type: 'text', text: 'x' },
    { type: 'text', text: 'no' },
  ]);
  expect(lost).toEqual(['messages[0] thinking', 'messages[0] odd', 'messages[0] refusal']);
  const audio: Part = { type: 'media', media: 'audio', source: { kind: 'base64', data: 'A' } };
  expect(content([{ type: 'text', text: 'x' }, audio]).lost).toEqual(['messages[0] audio']);
});

test('a turn without any supported part is dropped, except the user’s, which the format requires', () => {
  const { value, lost } = write({
    messages: [user, { role: 'assistant', parts: [{ type: 'thinking', text: 'hm' }] }, user],
  });
  expect(value.messages).toEqual([
    { role: 'user', content: 'hi' },
    { role: 'user', content: 'hi' },
  ]);
  expect(lost).toEqual(['messages[1] thinking']);
  const audio: Part = { type: 'media', media: 'audio', source: { kind: 'base64', data: 'A' } };
  expect(content([audio]).content).toBe('…');
});

test('media: the type is found where it was not said, texts are plain, documents keep their names', () => {
  const png = { kind: 'base64', data: 'iVBORw0KGgoAAAA' } as const;
  const { content: written, lost } = content([
    { type: 'media', media: 'image', source: png },
    { type: 'media', media: 'image', source: { kind: 'url', url: 'https://x' }, detail: 'low' },
    {
      type: 'media',
      media: 'document',
      mediaType: 'text/markdown',
      source: { kind: 'base64', data: Buffer.from('# ü').toString('base64') },
      filename: 'a.md',
    },
    { type: 'media', media: 'document', source: { kind: 'base64', data: 'JVBE' }, citable: true },
  ]);
  expect(written).toEqual([
    { type: 'image', source: { type: 'base64', media_type: 'image/png', data: png.data } },
    { type: 'image', source: { type: 'url', url: 'https://x' } },
    { type: 'document', source: { type: 'text', media_type: 'text/plain', data: '# ü' }, title: 'a.md' },
    {
      type: 'document',
      source: { type: 'base64', media_type: 'application/pdf', data: 'JVBE' },
      citations: { enabled: true },
    },
  ]);
  expect(lost).toEqual(['messages[0] image detail']);
});

describe('thinking', () => {
  const thinking = (fields: Partial<TextRequest>, profile?: ModelProfile) => {
    const { value, lost } = write(fields, profile);
    return [value.thinking, value.output_config, value.max_tokens, lost];
  };
  const enabled = (budget: number) => ({ type: 'enabled', budget_tokens: budget });

  test('an effort stays an effort, a budget a budget', () => {
    expect(thinking({ thinking: { effort: 'high' } })).toEqual([{ type: 'adaptive' }, { effort: 'high' }, 8192, []]);
    expect(thinking({ thinking: { budgetTokens: 2000 } })).toEqual([enabled(2000), undefined, 8192, []]);
    expect(thinking({ thinking: { mode: 'adaptive', visible: true } })[0]).toEqual({
      type: 'adaptive',
      display: 'summarized',
    });
    expect(thinking({ thinking: { effort: 'none' } })[0]).toEqual({ type: 'disabled' });
    expect(thinking({ thinking: { mode: 'off' } })[0]).toEqual({ type: 'disabled' });
    expect(thinking({ thinking: { effort: 'minimal' } })).toEqual([
      { type: 'adaptive' },
      { effort: 'low' },
      8192,
      ['thinking effort minimal'],
    ]);
  });

  test('the budget stays below the limit: an unset limit grows, a set one shrinks the budget', () => {
    expect(thinking({ thinking: { budgetTokens: 10_000 } }, {})).toEqual([
      enabled(10_000),
      undefined,
      18_192,
      ['no max_tokens'],
    ]);
    expect(thinking({ thinking: { budgetTokens: 10_000 } })).toEqual([
      enabled(8191),
      undefined,
      8192,
      ['thinking budget'],
    ]);
    expect(thinking({ thinking: { budgetTokens: 10_000 }, maxOutputTokens: 4000 })).toEqual([
      enabled(3999),
      undefined,
      4000,
      ['thinking budget'],
    ]);
    expect(thinking({ thinking: { budgetTokens: 10 } })[0]).toEqual(enabled(1024));
    expect(thinking({ thinking: { budgetTokens: 2000 }, maxOutputTokens: 1000 })).toEqual([
      undefined,
      undefined,
      1000,
      ['thinking'],
    ]);
  });

  test('it removes sampling, and a demanded call or lost thinking removes it', () => {
    const { value, lost } = write({ thinking: { effort: 'low' }, temperature: 0.5, topK: 3, topP: 0.5 });
    expect([value.temperature, value.top_k, value.top_p]).toEqual([undefined, undefined, undefined]);
    expect(lost).toEqual(['temperature', 'top_p', 'top_k']);
    expect(thinking({ thinking: { effort: 'low' }, tools: [f], toolChoice: { kind: 'required' } })).toEqual([
      undefined,
      { effort: 'low' },
      8192,
      ['thinking'],
    ]);
    const loop: Message[] = [
      user,
      { role: 'assistant', parts: [{ type: 'tool-call', id: 't', name: 'f', arguments: '{}' }] },
      { role: 'tool', parts: [{ type: 'tool-result', callId: 't', parts: [], failed: false }] },
    ];
    expect(thinking({ thinking: { budgetTokens: 2000 }, messages: loop })[3]).toEqual(['thinking']);
    expect(thinking({ thinking: { effort: 'low' }, messages: loop })[0]).toEqual({ type: 'adaptive' });
  });
});

test('a model whose thinking is only on or off gets the budget that the format requires', () => {
  const profile: ModelProfile = { thinking: { kind: 'switch' }, outputTokensMax: 64_000 };
  expect(write({ thinking: { mode: 'on' } }, profile).value.thinking).toEqual({
    type: 'enabled',
    budget_tokens: 8_192,
  });
  const short = write({ thinking: { mode: 'on' }, maxOutputTokens: 2_000 }, profile);
  expect([short.value.thinking, short.lost]).toEqual([{ type: 'enabled', budget_tokens: 1_999 }, []]);
});

test('a turn that the model is to continue does not end with white space, which is reported', () => {
  const prefill = (text: string) => write({ messages: [user, { role: 'assistant', parts: [{ type: 'text', text }] }] });
  const { value, lost } = prefill('It is \n');
  expect([(value.messages as unknown[])[1], lost]).toEqual([
    { role: 'assistant', content: 'It is' },
    ['messages[1] trailing white space'],
  ]);
  expect(prefill('It is').lost).toEqual([]);
});

test('tools: the schema’s type is demanded, allowed ones alone are declared', () => {
  const { value, lost } = write({
    tools: [{ name: 'a' }, { name: 'b', parameters: { properties: {} } }, { name: 'c', parameters: true }],
    toolChoice: { kind: 'allowed', names: ['a', 'b'], required: true },
    parallelToolCalls: false,
    hostedTools: [{ kind: 'web-search' }, { kind: 'native', format: 'openai-responses', value: { type: 'mcp' } }],
  });
  expect(value.tools).toEqual([
    { name: 'a', input_schema: { type: 'object', properties: {} } },
    { name: 'b', input_schema: { type: 'object', properties: {} } },
    { type: 'web_search_20250305', name: 'web_search' },
  ]);
  expect(value.tool_choice).toEqual({ type: 'any', disable_parallel_tool_use: true });
  expect(lost).toEqual(['tool mcp']);
  const foreign = { kind: 'native', format: 'gemini-generate', value: { codeExecution: {} } } as const;
  expect(write({ hostedTools: [foreign] }).lost).toEqual(['tool codeExecution']);
  expect(write({ toolChoice: { kind: 'required' } }).lost).toEqual(['tool_choice']);
  expect(write({ tools: [f], toolChoice: { kind: 'none' } }).value.tool_choice).toEqual({ type: 'none' });
});

test('a schema is closed and refused keywords are removed, each reported by its place', () => {
  const schema = {
    type: 'object',
    properties: {
      minimum: { type: 'integer', minimum: 3 },
      list: { type: 'array', items: { type: 'object', properties: {}, additionalProperties: true }, minItems: 2 },
      either: {
        oneOf: [
          { type: 'string', format: 'email' },
          { type: 'string', format: 'odd' },
        ],
      },
    },
  };
  const { value, lost } = write({ output: { kind: 'json-schema', schema, name: 'n', description: 'd', strict: true } });
  expect(value.output_config).toEqual({
    format: {
      type: 'json_schema',
      schema: {
        type: 'object',
        description: 'd',
        properties: {
          minimum: { type: 'integer' },
          list: { type: 'array', items: { type: 'object', properties: {}, additionalProperties: false } },
          either: { anyOf: [{ type: 'string', format: 'email' }, { type: 'string' }] },
        },
        additionalProperties: false,
      },
    },
  });
  expect(lost.toSorted()).toEqual([
    'schema.properties.either.anyOf[1].format',
    'schema.properties.list.items.additionalProperties',
    'schema.properties.list.minItems',
    'schema.properties.minimum.minimum',
  ]);
});

test('what the format does not support is reported, empty values are not', () => {
  const { value, lost } = write({
    candidates: 2,
    seed: 1,
    presencePenalty: 1,
    frequencyPenalty: 1,
    logprobs: { top: 2 },
    logitBias: { '1': 1 },
    modalities: ['text', 'audio'],
    audio: { voice: 'a' },
    verbosity: 'low',
    metadata: { a: 'b' },
    promptCacheKey: 'k',
    store: true,
    output: { kind: 'json' },
    serviceTier: 'flex',
    temperature: 1.7,
    topP: 0.5,
    stop: [' ', 'END'],
    extras: { format: 'openai-chat', fields: { prediction: {} } },
  });
  expect(value).toMatchObject({ temperature: 1, stop_sequences: ['END'] });
  expect(value.top_p).toBeUndefined();
  expect(lost.toSorted()).toEqual(
    [
      'n seed presence_penalty frequency_penalty logprobs logit_bias modalities audio verbosity metadata'.split(' '),
      ['prompt_cache_key', 'store', 'JSON mode', 'service tier flex', 'temperature', 'top_p', 'stop', 'prediction'],
    ]
      .flat()
      .toSorted(),
  );
  const silent = write({ presencePenalty: 0, modalities: ['text'], store: false, logitBias: {}, metadata: {} });
  expect(silent.lost).toEqual([]);
  expect(write({ user: 'u', serviceTier: 'default', topK: 3 }).value).toMatchObject({
    metadata: { user_id: 'u' },
    service_tier: 'standard_only',
    top_k: 3,
  });
});

test('fields that a provider rejects are left out and reported', () => {
  const { value, lost } = write({ temperature: 0.5, topK: 2 }, known, { rejectsFields: ['temperature', 'stream'] });
  expect([value.temperature, value.top_k, lost]).toEqual([undefined, 2, ['temperature']]);
});

import { describe, expect, test } from 'bun:test';
import type { Message, Part } from '../../../conversation/parts.ts';
import { requestDefaults, type TextRequest } from '../../../conversation/text-request.ts';
import type { WriteTarget } from '../../codec.ts';
import { writeRequest } from './request.ts';

const origin = { format: 'openai-responses', provider: 'p', model: 'upstream-m' };
const target = { origin, profile: {}, quirks: {} };
const plain: TextRequest = {
  model: 'm',
  messages: [{ role: 'user', parts: [{ type: 'text', text: 'Hi' }] }],
  ...requestDefaults,
};
const write = (fields: Partial<TextRequest>) => writeRequest({ ...plain, ...fields }, target);
const input = (...messages: Message[]) => write({ messages }).value['input'];
const user = (...parts: Part[]): Message => ({ role: 'user', parts });

test('a plain request has the required fields only', () => {
  expect(write({})).toEqual({
    value: {
      model: 'upstream-m',
      input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hi' }] }],
      store: false,
    },
    losses: [],
  });
});

describe('what the provider keeps', () => {
  const written = (fields: Partial<TextRequest>, more: Partial<WriteTarget>) =>
    writeRequest({ ...plain, ...fields }, { ...target, ...more });

  test('is nothing, unless the caller says so or comes from a format that keeps', () => {
    expect(written({}, {}).value['store']).toBe(false);
    expect(written({ store: true }, {}).value['store']).toBe(true);
    expect(written({}, { keepsByDefault: true }).value['store']).toBeUndefined();
    const { value, losses } = written({}, { quirks: { rejectsFields: ['store'] } });
    expect([value['store'], losses]).toEqual([undefined, []]);
    expect(written({ store: true }, { quirks: { rejectsFields: ['store'] } }).losses).toMatchObject([
      { what: 'store' },
    ]);
  });

  test('thoughts come back sealed from models that think, and others are not asked for any', () => {
    const sealed = ['reasoning.encrypted_content'];
    const effort = { kind: 'effort', efforts: ['none', 'low', 'high'] } as const;
    expect(written({}, { profile: { thinking: effort } }).value['include']).toEqual(sealed);
    expect(written({}, { profile: { thinking: { kind: 'never' } } }).value['include']).toBeUndefined();
    expect(written({}, {}).value['include']).toBeUndefined();
    const off = { thinking: { effort: 'none' } };
    expect(written(off, { profile: { thinking: effort } }).value['include']).toBeUndefined();
    expect(written({ thinking: { effort: 'low' } }, {}).value['include']).toEqual(sealed);
  });
});

test('namespaces and custom tools are written as they were declared', () => {
  const namespace = (toolName: string) => ({ name: 'crm', toolName, description: 'Customers.' });
  const { value } = write({
    tools: [
      { name: 'crm__find', namespace: namespace('find') },
      { name: 'exec', freeform: { syntax: 'lark', definition: 'start: /.+/' } },
      { name: 'crm__query', namespace: namespace('query'), freeform: {} },
      { name: 'later', placedIn: 'openai-responses' },
    ],
    toolChoice: { kind: 'tool', name: 'crm__query' },
    messages: [
      {
        role: 'assistant',
        parts: [
          { type: 'tool-call', id: 'a', name: 'crm__find', arguments: '{}' },
          { type: 'tool-call', id: 'b', name: 'exec', arguments: 'ls', freeform: true },
        ],
      },
      {
        role: 'tool',
        parts: [{ type: 'tool-result', callId: 'b', parts: [{ type: 'text', text: 'x' }], failed: false }],
      },
    ],
  });
  expect(value['tools']).toEqual([
    {
      type: 'namespace',
      name: 'crm',
      description: 'Customers.',
      tools: [
        { type: 'function', name: 'find', parameters: null, strict: false },
        { type: 'custom', name: 'query' },
      ],
    },
    { type: 'custom', name: 'exec', format: { type: 'grammar', syntax: 'lark', definition: 'start: /.+/' } },
  ]);
  expect(value['tool_choice']).toEqual({ type: 'custom', name: 'query', namespace: 'crm' });
  expect(value['input']).toEqual([
    { type: 'function_call', call_id: 'a', name: 'find', namespace: 'crm', arguments: '{}' },
    { type: 'custom_tool_call', call_id: 'b', name: 'exec', input: 'ls' },
    { type: 'custom_tool_call_output', call_id: 'b', output: 'x' },
  ]);
});

describe('turns', () => {
  test('the first instruction has its own field, later ones and developers keep their place', () => {
    const said = (text: string, authority?: 'system' | 'developer'): Message => ({
      role: 'instruction',
      parts: [{ type: 'text', text }],
      ...(authority === undefined ? {} : { authority }),
    });
    const messages = [said('a', 'system'), said('b'), user(), said('c', 'developer')];
    const { value } = writeRequest({ ...plain, messages }, { ...target, profile: { developerRole: 'taken' } });
    expect(value['instructions']).toBe('a');
    const items = [
      { type: 'message', role: 'system', content: [{ type: 'input_text', text: 'b' }] },
      { type: 'message', role: 'user', content: '' },
      { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'c' }] },
    ];
    expect(value['input']).toEqual(items);
    // Not every server of the format is known to tell them apart.
    expect(write({ messages: [said('c', 'developer')] }).value['input']).toMatchObject([{ role: 'system' }]);
  });

  test('the order of thinking, text and calls is kept', () => {
    const seal = { value: 'rs_7#secret', origin };
    const parts: Part[] = [
      { type: 'thinking', text: 'hm', seal },
      { type: 'text', text: 'one' },
      { type: 'tool-call', id: 'c1', name: 'f', arguments: '{ }' },
      { type: 'text', text: 'two' },
      { type: 'refusal', text: 'no' },
      { type: 'thinking', text: '', redacted: true, seal: { value: 'bare', origin } },
    ];
    expect(input({ role: 'assistant', parts })).toEqual([
      { type: 'reasoning', id: 'rs_7', summary: [{ type: 'summary_text', text: 'hm' }], encrypted_content: 'secret' },
      {
        type: 'message',
        role: 'assistant',
        content: [{ type: 'output_text', text: 'one', annotations: [], logprobs: [] }],
      },
      { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{ }' },
      {
        type: 'message',
        role: 'assistant',
        content: [
          { type: 'output_text', text: 'two', annotations: [], logprobs: [] },
          { type: 'refusal', refusal: 'no' },
        ],
      },
      { type: 'reasoning', id: 'rs_weir_1', summary: [], encrypted_content: 'bare' },
    ]);
  });

  test('results with several parts, and what of them is lost', () => {
    const image = { type: 'media', media: 'image', mediaType: 'image/png', source: { kind: 'base64', data: 'QQ==' } };
    const { value, losses } = write({
      messages: [
        {
          role: 'tool',
          parts: [
            {
              type: 'tool-result',
              callId: 'c1',
              failed: true,
              parts: [{ type: 'text', text: 'a', cacheMark: {} }, image as never],
            },
            { type: 'tool-result', callId: 'c2', failed: false, parts: [{ type: 'text', text: 'b' }] },
          ],
        },
      ],
    });
    expect(value['input']).toEqual([
      {
        type: 'function_call_output',
        call_id: 'c1',
        output: [
          { type: 'input_text', text: 'Error: a' },
          { type: 'input_image', image_url: 'data:image/png;base64,QQ==' },
        ],
      },
      { type: 'function_call_output', call_id: 'c2', output: 'b' },
    ]);
    expect(losses.map(({ what }) => what)).toEqual(['cache marks']);
  });

  test('documents and audio', () => {
    const media = (fields: object) => input(user({ type: 'media', ...fields } as Part));
    const content = (part: object) => [{ type: 'message', role: 'user', content: [part] }];
    expect(media({ media: 'document', source: { kind: 'text', text: 'é' } })).toEqual(
      content({ type: 'input_file', filename: 'document.txt', file_data: 'data:text/plain;base64,w6k=' }),
    );
    expect(media({ media: 'document', source: { kind: 'url', url: 'https://a/b' }, filename: 'b.pdf' })).toEqual(
      content({ type: 'input_file', file_url: 'https://a/b', filename: 'b.pdf' }),
    );
    expect(media({ media: 'audio', mediaType: 'audio/mpeg', source: { kind: 'base64', data: 'QQ==' } })).toEqual(
      content({ type: 'input_audio', input_audio: { data: 'QQ==', format: 'mp3' } }),
    );
    expect(media({ media: 'video', source: { kind: 'url', url: 'https://a/b' } })).toEqual([]);
  });

  test('unsealed thoughts and foreign parts are reported', () => {
    const { value, losses } = write({
      messages: [
        {
          role: 'assistant',
          parts: [
            { type: 'thinking', text: 'hm' },
            { type: 'native', format: 'other', value: {} },
          ],
        },
      ],
    });
    expect(value['input']).toEqual([]);
    expect(losses.map(({ what }) => what)).toEqual(['messages[0] thinking', 'messages[0] part']);
    expect(value['include']).toBeUndefined();
  });
});

describe('thinking', () => {
  test('what is asked for comes back sealed and is not kept by the provider', () => {
    const { value } = write({ thinking: { mode: 'on', budgetTokens: 2_000, visible: true } });
    expect(value).toMatchObject({
      reasoning: { effort: 'low', summary: 'auto' },
      include: ['reasoning.encrypted_content'],
      store: false,
    });
    expect(write({ thinking: { effort: 'high' }, store: true }).value['store']).toBe(true);
  });

  test('none is none', () => {
    expect(write({ thinking: { mode: 'off' } }).value).toEqual({
      ...write({}).value,
      reasoning: { effort: 'none' },
    });
  });
});

test('tools and the choice among them', () => {
  const { value, losses } = write({
    tools: [{ name: 'f' }, { name: 'g', description: 'd', parameters: { type: 'object' }, strict: true }],
    hostedTools: [
      { kind: 'web-search', extras: { format: 'other', fields: { max_uses: 3 } } },
      { kind: 'native', format: 'other', value: { type: 'bash_1' } },
    ],
    toolChoice: { kind: 'allowed', names: ['f'], required: true },
    parallelToolCalls: false,
  });
  expect(value).toMatchObject({
    tools: [
      { type: 'function', name: 'f', parameters: null, strict: false },
      { type: 'function', name: 'g', description: 'd', parameters: { type: 'object' }, strict: true },
      { type: 'web_search' },
    ],
    tool_choice: { type: 'allowed_tools', mode: 'required', tools: [{ type: 'function', name: 'f' }] },
    parallel_tool_calls: false,
  });
  expect(losses.map(({ what }) => what)).toEqual(['web search max_uses', 'hosted tool bash_1']);
  expect(write({ toolChoice: { kind: 'tool', name: 'f' } }).value['tool_choice']).toEqual({
    type: 'function',
    name: 'f',
  });
});

test('what does not exist here is reported, each by its name', () => {
  const { losses } = write({
    stop: ['x'],
    candidates: 2,
    topK: 1,
    seed: 1,
    presencePenalty: 1,
    frequencyPenalty: 1,
    logitBias: {},
    modalities: ['text', 'audio'],
    extras: { format: 'other', fields: { x: 1 } },
  });
  expect(losses.map(({ what }) => what)).toEqual([
    'stop',
    'n',
    'top_k',
    'seed',
    'presence_penalty',
    'frequency_penalty',
    'logit_bias',
    'modalities',
    'x',
  ]);
});

test('shapes of the output', () => {
  expect(write({ output: { kind: 'json' } }).value['text']).toEqual({ format: { type: 'json_object' } });
  expect(
    write({ output: { kind: 'json-schema', schema: { type: 'object' } }, verbosity: 'low' }).value['text'],
  ).toEqual({
    format: { type: 'json_schema', name: 'reply', schema: { type: 'object' } },
    verbosity: 'low',
  });
});

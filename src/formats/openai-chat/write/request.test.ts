/** What providers of the chat format get, and what is reported as lost because they do not support it. */

import { describe, expect, test } from 'bun:test';
import type { ModelProfile } from '../../../conversation/model-profile.ts';
import type { Message, Part } from '../../../conversation/parts.ts';
import { requestDefaults, type TextRequest } from '../../../conversation/text-request.ts';
import type { WriteQuirks } from '../../codec.ts';
import { readRequest } from '../read/request.ts';
import { writeRequest } from './request.ts';

const origin = { format: 'openai-chat', provider: 'p', model: 'upstream' };
const least: TextRequest = {
  model: 'm',
  messages: [{ role: 'user', parts: [{ type: 'text', text: 'hi' }] }],
  ...requestDefaults,
};

function write(fields: Partial<TextRequest>, quirks: WriteQuirks = {}, profile: ModelProfile = {}) {
  const { value, losses } = writeRequest({ ...least, ...fields }, { origin, profile, quirks });
  return { body: value, lost: losses.map(({ what }) => what) };
}

/** Takes all that the format can say. */
const original: ModelProfile = { developerRole: 'taken', textLists: 'taken', searchOption: 'taken' };

const turns = (messages: readonly Message[], quirks: WriteQuirks = {}, profile: ModelProfile = {}) => {
  const { body, lost } = write({ messages }, quirks, profile);
  return { messages: body.messages as unknown, lost };
};
const userParts = (...parts: Part[]) => turns([{ role: 'user', parts }]);

test('the least request', () => {
  expect(write({})).toEqual({ body: { model: 'upstream', messages: [{ role: 'user', content: 'hi' }] }, lost: [] });
});

test('everything that both sides can say comes back', () => {
  const body = {
    model: 'upstream',
    messages: [
      { role: 'system', content: 's' },
      {
        role: 'developer',
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'see' },
          { type: 'image_url', image_url: { url: 'https://a/b.png', detail: 'low' } },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
          { type: 'input_audio', input_audio: { data: 'BBBB', format: 'mp3' } },
          { type: 'file', file: { file_data: 'data:application/pdf;base64,CCCC', filename: 'a.pdf' } },
          { type: 'file', file: { file_id: 'file-1' } },
          { type: 'hologram', data: 1 },
        ],
        name: 'ann',
      },
      {
        role: 'assistant',
        content: 'calling',
        reasoning_details: [{ type: 'reasoning.text', signature: 's', format: 'f', text: 'hm' }],
        tool_calls: [
          { id: 'a', type: 'function', function: { name: 'f', arguments: '{ "x" : 1 }' } },
          {
            id: 'b',
            type: 'function',
            function: { name: 'f', arguments: '' },
            extra_content: { google: { thought_signature: 't' } },
          },
          { id: 'c', type: 'custom', custom: { name: 'c', input: 'raw' } },
        ],
      },
      { role: 'tool', tool_call_id: 'a', content: '1' },
      {
        role: 'tool',
        tool_call_id: 'b',
        content: [
          { type: 'text', text: '2' },
          { type: 'text', text: '3' },
        ],
      },
      { role: 'tool', tool_call_id: 'c', content: '' },
      { role: 'assistant', content: [{ type: 'refusal', refusal: 'no' }] },
      { role: 'user', content: ' ' },
    ],
    stream: true,
    stream_options: { include_usage: true },
    max_completion_tokens: 9,
    tools: [
      { type: 'function', function: { name: 'f', description: 'd', parameters: { type: 'object' }, strict: true } },
      { type: 'function', function: { name: 'g', odd: 1 }, defer_loading: true },
      { type: 'custom', custom: { name: 'c' } },
    ],
    tool_choice: {
      type: 'allowed_tools',
      allowed_tools: {
        mode: 'auto',
        tools: [
          { type: 'function', function: { name: 'f' } },
          { type: 'custom', custom: { name: 'c' } },
        ],
      },
    },
    parallel_tool_calls: false,
    web_search_options: { search_context_size: 'low' },
    response_format: {
      type: 'json_schema',
      json_schema: { name: 'n', description: 'd', schema: { type: 'object' }, strict: true },
    },
    n: 2,
    stop: ['a', 'b'],
    temperature: 0.5,
    top_p: 0.9,
    seed: 3,
    presence_penalty: 1,
    frequency_penalty: -1,
    logit_bias: { '1': 2 },
    user: 'u',
    reasoning_effort: 'minimal',
    logprobs: true,
    top_logprobs: 4,
    modalities: ['text', 'audio'],
    audio: { voice: 'ash', format: 'wav' },
    verbosity: 'high',
    service_tier: 'priority',
    metadata: { a: 'b' },
    prompt_cache_key: 'k',
    store: true,
    prediction: { type: 'content', content: 'x' },
  };
  const { value, losses } = readRequest(body);
  expect(losses).toEqual([]);
  const { extras, ...rest } = value;
  const again = write({ ...rest, ...(extras && { extras }) }, {}, original);
  expect(again.lost).toEqual([]);
  expect(again.body as unknown).toEqual(body);
});

describe('quirks', () => {
  test('older names and rejected fields', () => {
    const fields: Partial<TextRequest> = { stream: true, maxOutputTokens: 5, store: false, verbosity: 'low' };
    const quirks = { limitIsMaxTokens: true, rejectsStreamOptions: true, rejectsFields: ['store', 'verbosity'] };
    const { body, lost } = write(fields, quirks);
    expect(body).toMatchObject({ stream: true, max_tokens: 5 });
    expect(Object.keys(body).sort()).toEqual(['max_tokens', 'messages', 'model', 'stream']);
    expect(lost).toEqual(['verbosity']);
    expect(write(fields, quirks, { olderLimit: 'refused' }).body).toMatchObject({ max_completion_tokens: 5 });
  });

  test('developer turns are for servers that are known to take them', () => {
    const messages: Message[] = [{ role: 'instruction', authority: 'developer', parts: [{ type: 'text', text: 'd' }] }];
    expect(turns(messages, {}, original).messages).toEqual([{ role: 'developer', content: 'd' }]);
    expect(turns(messages).messages).toEqual([{ role: 'system', content: 'd' }]);
    expect(turns(messages, {}, { developerRole: 'refused' }).messages).toEqual([{ role: 'system', content: 'd' }]);
  });

  test('texts are one string, unless lists of them are known to be taken or carry marks', () => {
    const two: Part[] = [
      { type: 'text', text: 'a' },
      { type: 'text', text: 'b', cacheMark: {} },
    ];
    const call: Part = { type: 'tool-call', id: 'c', name: 'f', arguments: '{}' };
    const result: Part = { type: 'tool-result', callId: 'c', parts: two as never, failed: false };
    const messages: Message[] = [
      { role: 'instruction', parts: two },
      { role: 'user', parts: two },
      { role: 'assistant', parts: [{ type: 'text', text: 'It is ' }, { type: 'text', text: 'sunny.' }, call] },
      { role: 'tool', parts: [result] },
    ];
    const contents = (profile: ModelProfile, quirks: WriteQuirks = {}) =>
      (turns(messages, quirks, profile).messages as { content: unknown }[]).map(({ content }) => content);
    expect(contents({})).toEqual(['a\n\nb', 'a\n\nb', 'It is sunny.', 'a\n\nb']);
    expect(contents({ textLists: 'refused' })).toEqual(contents({}));
    expect(turns(messages).lost).toEqual(['cache marks']);
    expect(contents(original)[1]).toEqual([
      { type: 'text', text: 'a' },
      { type: 'text', text: 'b' },
    ]);
    expect(contents({}, { cacheMarksAs: 'cache_control' })[1]).toEqual([
      { type: 'text', text: 'a' },
      { type: 'text', text: 'b', cache_control: { type: 'ephemeral' } },
    ]);
    const image: Part = { type: 'media', media: 'image', source: { kind: 'url', url: 'https://a/' } };
    const [mixed] = turns([{ role: 'user', parts: [...two, image] }]).messages as { content: unknown[] }[];
    expect(mixed?.content).toHaveLength(3);
  });

  test('thinking of earlier turns', () => {
    const messages: Message[] = [
      {
        role: 'assistant',
        parts: [
          { type: 'thinking', text: 'hm' },
          { type: 'text', text: 'a' },
        ],
      },
      {
        role: 'assistant',
        parts: [
          { type: 'thinking', text: 'so' },
          { type: 'text', text: 'b' },
        ],
      },
    ];
    expect(turns(messages)).toEqual({
      messages: [
        { role: 'assistant', content: 'a' },
        { role: 'assistant', content: 'b' },
      ],
      lost: ['thinking of earlier turns'],
    });
    expect(turns(messages, { echoesThinkingAs: 'reasoning_content' })).toEqual({
      messages: [
        { role: 'assistant', content: 'a', reasoning_content: 'hm' },
        { role: 'assistant', content: 'b', reasoning_content: 'so' },
      ],
      lost: [],
    });
  });

  test('cache marks are written where they are taken, and reported once where not', () => {
    const text: Part = { type: 'text', text: 'x', cacheMark: { lifetime: '1h' } };
    const messages: Message[] = [
      { role: 'user', parts: [text] },
      { role: 'user', parts: [text] },
    ];
    const plain = { role: 'user', content: 'x' };
    expect(turns(messages)).toEqual({ messages: [plain, plain], lost: ['cache marks'] });
    const marked = (fields: object) => ({ role: 'user', content: [{ type: 'text', text: 'x', ...fields }] });
    const control = marked({ cache_control: { type: 'ephemeral', ttl: '1h' } });
    expect(turns(messages, { cacheMarksAs: 'cache_control' })).toEqual({ messages: [control, control], lost: [] });
    const breakpoint = marked({ prompt_cache_breakpoint: { mode: 'explicit' } });
    expect(turns(messages, { cacheMarksAs: 'prompt_cache_breakpoint' })).toEqual({
      messages: [breakpoint, breakpoint],
      lost: ['cache mark lifetime'],
    });
  });
});

describe('thinking', () => {
  const forms: readonly [NonNullable<TextRequest['thinking']>, unknown, string[]][] = [
    [{ mode: 'off' }, 'none', []],
    [{ mode: 'on' }, 'medium', []],
    [{ mode: 'adaptive' }, undefined, []],
    [{ mode: 'on', budgetTokens: 10_000 }, 'medium', []],
    [{ budgetTokens: 31_999 }, 'high', []],
    [{ effort: 'xhigh', budgetTokens: 1 }, 'xhigh', []],
    [{ effort: 'low', visible: true }, 'low', ['thinking visibility']],
  ];
  for (const [thinking, effort, lost] of forms) {
    test(JSON.stringify(thinking), () => {
      const written = write({ thinking });
      expect([written.body.reasoning_effort, written.lost]).toEqual([effort, lost]);
    });
  }
});

describe('thinking in the fields of a host', () => {
  type Thinking = NonNullable<TextRequest['thinking']>;
  const fields = (thinkingAs: NonNullable<WriteQuirks['thinkingAs']>, thinking: Thinking, limit?: number) => {
    const { body, lost } = write({ thinking, ...(limit !== undefined && { maxOutputTokens: limit }) }, { thinkingAs });
    const { model: _, messages: __, max_completion_tokens: ___, ...rest } = body;
    return lost.length === 0 ? rest : [rest, ...lost];
  };

  test('a switch and a number of tokens', () => {
    const say = (thinking: Thinking) => fields('enable_thinking', thinking);
    expect(say({ mode: 'off' })).toEqual({ enable_thinking: false });
    expect(say({ effort: 'none' })).toEqual({ enable_thinking: false });
    expect(say({ mode: 'adaptive' })).toEqual({ enable_thinking: true });
    expect(say({ mode: 'on', budgetTokens: 2_000 })).toEqual({ enable_thinking: true, thinking_budget: 2_000 });
    expect(say({ effort: 'high' })).toEqual({ enable_thinking: true, thinking_budget: 24_576 });
    expect(say({ effort: 'odd' })).toEqual([{ enable_thinking: true }, 'thinking effort odd']);
    expect(say({ visible: true })).toEqual([{}, 'thinking visibility']);
  });

  test('a type, or an effort', () => {
    const say = (thinking: Thinking) => fields('thinking-type', thinking);
    expect(say({ mode: 'off' })).toEqual({ thinking: { type: 'disabled' } });
    expect(say({ mode: 'on' })).toEqual({ thinking: { type: 'enabled' } });
    expect(say({ effort: 'max' })).toEqual({ reasoning_effort: 'max' });
    expect(say({ budgetTokens: 24_576 })).toEqual({ reasoning_effort: 'high' });
    const silent: ModelProfile = { thinking: { kind: 'effort', efforts: ['none', 'high'], byDefault: 'none' } };
    expect(write({ thinking: { effort: 'high' } }, { thinkingAs: 'thinking-type' }, silent).body).toMatchObject({
      thinking: { type: 'enabled' },
      reasoning_effort: 'high',
    });
  });

  test('one object, with an effort or a number of tokens and never both', () => {
    const say = (thinking: Thinking, limit?: number) => fields('reasoning', thinking, limit);
    expect(say({ mode: 'off' })).toEqual({ reasoning: { effort: 'none' } });
    expect(say({ effort: 'high', budgetTokens: 5, visible: false })).toEqual({
      reasoning: { effort: 'high', exclude: true },
    });
    expect(say({ budgetTokens: 2_000 }, 4_000)).toEqual({ reasoning: { max_tokens: 2_000 } });
    expect(say({ budgetTokens: 4_000 }, 4_000)).toEqual([{ reasoning: { max_tokens: 3_999 } }, 'thinking budget']);
    expect(say({ mode: 'adaptive', visible: true })).toEqual({ reasoning: { enabled: true } });
    expect(say({ visible: true })).toEqual({});
  });
});

describe('what is not supported is reported', () => {
  test('media of tool results; the text stays, and tells a failure', () => {
    const result: Part = {
      type: 'tool-result',
      callId: 'a',
      parts: [
        { type: 'text', text: 'see' },
        { type: 'media', media: 'image', source: { kind: 'url', url: 'https://a/' } },
      ],
      failed: true,
    };
    expect(turns([{ role: 'tool', parts: [result, { type: 'text', text: 'and' }] }])).toEqual({
      messages: [
        { role: 'tool', tool_call_id: 'a', content: 'Error: see' },
        { role: 'user', content: 'and' },
      ],
      lost: ['messages[0] tool result image'],
    });
  });

  test('documents by URL, images by file id, audio by URL', () => {
    const url = { kind: 'url', url: 'https://a/' } as const;
    expect(
      userParts(
        { type: 'media', media: 'document', source: url },
        { type: 'media', media: 'audio', source: url },
        { type: 'media', media: 'image', source: { kind: 'file-id', id: 'f' } },
        { type: 'media', media: 'document', source: { kind: 'text', text: 'plain' }, context: 'c', filename: 'n' },
        { type: 'native', format: 'other', value: {} },
      ),
    ).toEqual({
      messages: [{ role: 'user', content: 'plain' }],
      lost: [
        'messages[0] document',
        'messages[0] audio',
        'messages[0] image',
        'messages[0] document title',
        'messages[0] document context',
        'messages[0] other part',
      ],
    });
  });

  test('text after a call, sampling, stops and fields of other formats', () => {
    const parts: Part[] = [
      { type: 'tool-call', id: 'a', name: 'f', arguments: '{}' },
      { type: 'text', text: 'later' },
    ];
    const { body, lost } = write({
      messages: [{ role: 'assistant', parts }],
      topK: 3,
      stop: ['1', '2', '3', '4', '5'],
      toolChoice: { kind: 'required' },
      hostedTools: [{ kind: 'native', format: 'other', value: { type: 'computer' } }],
      extras: { format: 'other', fields: { odd: 1 } },
    });
    expect(body.stop).toEqual(['1', '2', '3', '4']);
    expect(lost).toEqual(['messages[0] order of parts', 'tool computer', 'tool choice', 'stop', 'top_k', 'odd']);
  });

  test('an empty turn stays a turn, and odd bytes get a likely type', () => {
    expect(userParts()).toEqual({ messages: [{ role: 'user', content: '' }], lost: [] });
    const { messages } = userParts({ type: 'media', media: 'image', source: { kind: 'base64', data: '/9j/AA' } });
    expect(JSON.stringify(messages)).toContain('data:image/jpeg;base64,/9j/AA');
  });
});

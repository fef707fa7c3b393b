/** Written replies and events have the original service's shape, checked against its published schema. */

import { describe, expect, test } from 'bun:test';
import { expectValid } from '../../../../test/harness/schema.ts';
import type { Tree } from '../../../conversation/json-tree.ts';
import type { Part } from '../../../conversation/parts.ts';
import { writeSeal } from '../../../conversation/seals/seal.ts';
import type { FinishReason, StreamEvent, TextReply } from '../../../conversation/text-reply.ts';
import { type Usage, unknownUsage } from '../../../conversation/usage.ts';
import type { ReplyContext } from '../../codec.ts';
import { streamWriter } from '../stream/writer.ts';
import { writeReply } from './reply.ts';

const usage = { input: { total: 10, cacheRead: 4, audio: 0 }, output: { total: 3, thinking: 1 } };

function reply(parts: readonly Part[], reason: FinishReason = 'stop'): TextReply {
  return {
    id: 'chatcmpl-1',
    model: 'm',
    createdAtMs: 1_700_000_000_999,
    candidates: [{ parts, finish: { reason } }],
    usage,
  };
}

interface Written {
  readonly choices: readonly { readonly message: Record<string, unknown>; readonly finish_reason: string }[];
  readonly usage: unknown;
}

const legacyRequest = { functions: [{ name: 'f' }] };

function context(request: Tree): ReplyContext {
  let made = 0;
  return { request, nowMs: 7_000, newId: (prefix) => `${prefix}made${++made}` };
}

function lost(whole: TextReply): string[] {
  return writeReply(whole, context({})).losses.map(({ what }) => what);
}

function written(whole: TextReply, request: Tree = {}): Written {
  const value = JSON.parse(JSON.stringify(writeReply(whole, context(request)).value));
  expectValid('CreateChatCompletionResponse', value);
  return value;
}

describe('whole replies', () => {
  test('text', () => {
    expect(written(reply([{ type: 'text', text: 'hello' }]))).toEqual({
      id: 'chatcmpl-1',
      object: 'chat.completion',
      created: 1_700_000_000,
      model: 'm',
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: 'hello', refusal: null, annotations: [] },
          logprobs: null,
          finish_reason: 'stop',
        },
      ],
      usage: {
        prompt_tokens: 10,
        completion_tokens: 3,
        total_tokens: 13,
        prompt_tokens_details: { cached_tokens: 4, audio_tokens: 0 },
        completion_tokens_details: { reasoning_tokens: 1 },
      },
    } as never);
  });

  test('details of usage are left out where nothing is known of them, and hold what strict clients read where something is', () => {
    const counted = (input: Usage['input'], output: Usage['output']) =>
      written({ ...reply([]), usage: { input, output } }).usage;
    expect(counted({ total: 10 }, { total: 3 })).toEqual({ prompt_tokens: 10, completion_tokens: 3, total_tokens: 13 });
    expect(counted({ total: 10, image: 2 }, { total: 3, text: 3 })).toEqual({
      prompt_tokens: 10,
      completion_tokens: 3,
      total_tokens: 13,
      prompt_tokens_details: { cached_tokens: 0, image_tokens: 2 },
      completion_tokens_details: { reasoning_tokens: 0, text_tokens: 3 },
    });
  });

  test('thinking and several tool calls', () => {
    const parts: Part[] = [
      { type: 'thinking', text: 'hm' },
      { type: 'tool-call', id: 'a', name: 'f', arguments: '{}' },
      { type: 'tool-call', id: 'b', name: 'g', arguments: '{"x":1}' },
    ];
    const [choice] = written(reply(parts, 'tool-calls')).choices;
    expect(choice?.finish_reason).toBe('tool_calls');
    expect(choice?.message).toMatchObject({
      content: null,
      reasoning_content: 'hm',
      tool_calls: [{ id: 'a' }, { id: 'b', type: 'function', function: { name: 'g', arguments: '{"x":1}' } }],
    });
    const [legacy] = written(reply(parts, 'tool-calls'), legacyRequest).choices;
    expect(legacy?.finish_reason).toBe('function_call');
    expect(legacy?.message).toMatchObject({ function_call: { name: 'f', arguments: '{}' } });
  });

  test('a refusal, an empty reply and a citation', () => {
    const [refused] = written(reply([{ type: 'refusal', text: 'no' }], 'refusal')).choices;
    expect(refused).toMatchObject({ finish_reason: 'content_filter', message: { content: null, refusal: 'no' } });
    expect(written(reply([])).choices[0]?.message.content).toBe('');
    const cited = written(
      reply([
        { type: 'text', text: 'abc' },
        { type: 'text', text: 'def', citations: [{ url: 'https://a/', title: 't', start: 1, end: 2 }] },
      ]),
    );
    expect(cited.choices[0]?.message.annotations).toEqual([
      { type: 'url_citation', url_citation: { url: 'https://a/', title: 't', start_index: 4, end_index: 5 } },
    ]);
  });

  test('unknown usage is left out, and every finish reason has a word', () => {
    expect(written({ ...reply([]), usage: unknownUsage }).usage).toBeUndefined();
    const reasons: readonly FinishReason[] = [
      'stop',
      'stop-sequence',
      'length',
      'tool-calls',
      'content-filter',
      'refusal',
      'pause',
      'malformed-call',
      'other',
    ];
    expect(reasons.map((reason) => written(reply([], reason)).choices[0]?.finish_reason)).toEqual([
      'stop',
      'stop',
      'length',
      'tool_calls',
      'content_filter',
      'content_filter',
      'stop',
      'stop',
      'stop',
    ]);
  });
});

describe('what a reply carries beside its text', () => {
  const seal = { value: 's', origin: { format: 'f', provider: 'p', model: 'm' } };

  test('ids get the prefix, and one is made where there is none', () => {
    const idOf = (id: string) => writeReply({ ...reply([]), id }, context({})).value.id;
    expect([idOf('chatcmpl-1'), idOf('msg_1'), idOf('')]).toEqual(['chatcmpl-1', 'chatcmpl-msg_1', 'chatcmpl-made1']);
  });

  test('audio, images, logprobs, tiers and own extras', () => {
    const logprobs = [{ token: 'hi', logprob: -0.5, bytes: [104, 105], top: [{ token: 'ho', logprob: -1 }] }];
    const whole: TextReply = {
      ...reply([
        { type: 'text', text: 'hi', logprobs },
        { type: 'media', media: 'audio', source: { kind: 'base64', data: 'QQ==' } },
        { type: 'media', media: 'image', mediaType: 'image/png', source: { kind: 'base64', data: 'Qg==' } },
      ]),
      serviceTier: 'flex',
      extras: { format: 'openai-chat', fields: { system_fingerprint: 'fp', provider: 'own' } },
    };
    const value = written(whole) as unknown as Tree;
    expect(value).toMatchObject({ service_tier: 'flex', system_fingerprint: 'fp', provider: 'own' });
    expect(value.choices).toMatchObject([
      {
        logprobs: { content: [{ token: 'hi', top_logprobs: [{ token: 'ho', bytes: null }] }], refusal: null },
        message: {
          content: null,
          audio: { id: 'audio_made1', expires_at: 7, data: 'QQ==', transcript: 'hi' },
          images: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,Qg==' } }],
        },
      },
    ]);
    expect(lost(whole)).toEqual([]);
  });

  test("a call's seal travels with its origin", () => {
    const call: Part = { type: 'tool-call', id: 'a', name: 'f', arguments: '{}', seal };
    const [choice] = written(reply([call], 'tool-calls')).choices;
    expect(choice?.message.tool_calls).toEqual([
      {
        id: 'a',
        type: 'function',
        function: { name: 'f', arguments: '{}' },
        extra_content: { google: { thought_signature: writeSeal(seal) } },
      },
    ]);
  });

  test('what is not supported is reported', () => {
    const parts: Part[] = [
      { type: 'tool-call', id: 'a', name: 'f', arguments: '{}' },
      { type: 'text', text: 'x', citations: [{ quote: 'q' }] },
      { type: 'media', media: 'video', source: { kind: 'url', url: 'https://a/' } },
      { type: 'native', format: 'other', value: {} },
    ];
    const whole: TextReply = {
      ...reply(parts),
      candidates: [{ parts, finish: { reason: 'pause', raw: 'pause_turn', stopSequence: 's' } }],
      serviceTier: 'on_demand',
      extras: { format: 'other', fields: { odd: 1 } },
    };
    written(whole);
    expect(lost(whole).sort()).toEqual([
      'citation',
      'finish reason pause_turn',
      'odd',
      'order of parts',
      'other part',
      'service tier on_demand',
      'stop sequence',
      'video',
    ]);
  });
});

const start: StreamEvent = { type: 'reply-start', id: 'c', model: 'm', createdAtMs: 5_000 };
const at = (candidate: number, part: number) => ({ candidate, part });
const end = (candidate: number, reason: FinishReason): StreamEvent => ({
  type: 'candidate-end',
  candidate,
  finish: { reason },
});

interface Chunk {
  readonly choices: readonly {
    readonly index: number;
    readonly delta: Record<string, unknown>;
    readonly finish_reason: string | null;
  }[];
  readonly usage?: unknown;
}

function stream(events: readonly StreamEvent[], request: Tree = {}) {
  const writer = streamWriter(context(request));
  const text = events.map((event) => writer.write(event)).join('');
  const data = text
    .split('\n\n')
    .slice(0, -1)
    .map((frame) => frame.replace(/^data: /, ''));
  const chunks = data.filter((one) => one !== '[DONE]').map((one): Chunk => JSON.parse(one));
  for (const chunk of chunks) if ('choices' in chunk) expectValid('CreateChatCompletionStreamResponse', chunk);
  return { text, chunks, done: data.at(-1) === '[DONE]', lost: writer.losses.map(({ what }) => what) };
}

describe('streams', () => {
  const text: readonly StreamEvent[] = [
    start,
    { type: 'part-start', ...at(0, 0), opening: { type: 'text' } },
    { type: 'text-delta', ...at(0, 0), text: 'a"\n' },
    { type: 'part-end', ...at(0, 0) },
    end(0, 'stop'),
    { type: 'usage', usage },
    { type: 'reply-end' },
  ];

  test('text: role first, finish last, then the terminal marker', () => {
    const { chunks, done } = stream(text);
    expect(chunks.map((chunk) => chunk.choices[0]?.delta)).toEqual([
      { role: 'assistant', content: '', refusal: null },
      { content: 'a"\n' },
      {},
    ]);
    expect(chunks.map((chunk) => chunk.choices[0]?.finish_reason)).toEqual([null, null, 'stop']);
    expect(chunks.some((chunk) => 'usage' in chunk)).toBe(false);
    expect(done).toBe(true);
  });

  test('usage only where it was asked for, and null on the others', () => {
    const { chunks } = stream(text, { stream_options: { include_usage: true } });
    expect(chunks.slice(0, -1).every((chunk) => chunk.usage === null)).toBe(true);
    expect(chunks.at(-1)).toMatchObject({
      choices: [],
      usage: { prompt_tokens: 10, completion_tokens: 3, total_tokens: 13 },
    });
  });

  const calls: readonly StreamEvent[] = [
    start,
    { type: 'part-start', ...at(0, 0), opening: { type: 'tool-call', id: 'x', name: 'f' } },
    { type: 'part-start', ...at(0, 1), opening: { type: 'tool-call', id: 'y', name: 'g' } },
    { type: 'tool-input-delta', ...at(0, 1), text: '{"b"' },
    { type: 'tool-input-delta', ...at(0, 0), text: '{}' },
    { type: 'tool-input-delta', ...at(0, 1), text: ':1}' },
    end(0, 'tool-calls'),
    { type: 'reply-end' },
  ];

  test('interleaved tool calls keep their indexes', () => {
    const { chunks } = stream(calls);
    expect(chunks[0]?.choices[0]?.delta).toEqual({
      role: 'assistant',
      content: null,
      tool_calls: [{ index: 0, id: 'x', type: 'function', function: { name: 'f', arguments: '' } }],
    });
    const deltas = chunks.flatMap((chunk) => chunk.choices[0]?.delta.tool_calls ?? []) as {
      index: number;
      function: { arguments: string };
    }[];
    const joined = ['', ''];
    for (const delta of deltas) joined[delta.index] += delta.function.arguments;
    expect(joined).toEqual(['{}', '{"b":1}']);
    expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe('tool_calls');
  });

  test('the dialect of before tools', () => {
    const { chunks } = stream(calls, legacyRequest);
    expect(chunks[0]?.choices[0]?.delta.function_call).toEqual({ name: 'f', arguments: '' });
    expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe('function_call');
  });

  test('each choice begins with its role; refusals and thinking have their own fields', () => {
    const { chunks } = stream([
      start,
      { type: 'part-start', ...at(1, 0), opening: { type: 'refusal' } },
      { type: 'part-start', ...at(0, 0), opening: { type: 'thinking' } },
      { type: 'thinking-delta', ...at(0, 0), text: 'hm' },
      { type: 'text-delta', ...at(1, 0), text: 'no' },
      end(1, 'refusal'),
      end(0, 'stop'),
      end(2, 'length'),
      { type: 'reply-end' },
    ]);
    for (const index of [0, 1, 2]) {
      const own = chunks.filter((chunk) => chunk.choices[0]?.index === index);
      expect(own[0]?.choices[0]?.delta.role).toBe('assistant');
      expect(own.slice(1).every((chunk) => !('role' in (chunk.choices[0]?.delta ?? {})))).toBe(true);
    }
    expect(chunks.some((chunk) => chunk.choices[0]?.delta.refusal === 'no')).toBe(true);
    expect(chunks.some((chunk) => chunk.choices[0]?.delta.reasoning_content === 'hm')).toBe(true);
  });

  test('a failure is an error without the terminal marker', () => {
    const {
      text: sent,
      chunks,
      done,
    } = stream([start, { type: 'failure', code: 'upstream_failed', message: 'broke' }]);
    expect(sent).toBe(
      'data: {"error":{"message":"broke","type":"upstream_error","param":"","code":"upstream_failed"}}\n\n',
    );
    expectValid('ErrorResponse', chunks[0]);
    expect(done).toBe(false);
  });

  test('what only this format supports is written as it is', () => {
    const native = (format: string): StreamEvent => ({ type: 'native', format, value: { a: 1 } });
    const writer = streamWriter(context({}));
    expect([writer.write(native('openai-chat')), writer.write(native('other'))]).toEqual(['data: {"a":1}\n\n', '']);
  });

  test('audio, images, seals, logprobs and citations', () => {
    const seal = { value: 's', origin: { format: 'f', provider: 'p', model: 'm' } };
    const { chunks, lost: missing } = stream([
      { ...start, serviceTier: 'default' },
      { type: 'part-start', ...at(0, 0), opening: { type: 'text' } },
      { type: 'text-delta', ...at(0, 0), text: 'ab', logprobs: [{ token: 'ab', logprob: -1 }] },
      { type: 'citation', ...at(0, 0), citation: { url: 'https://a/', start: 0, end: 1 } },
      { type: 'citation', ...at(0, 0), citation: { quote: 'q' } },
      { type: 'part-end', ...at(0, 0) },
      { type: 'part-start', ...at(0, 1), opening: { type: 'media', media: 'audio', mediaType: 'audio/pcm' } },
      { type: 'media-delta', ...at(0, 1), data: 'QQ==' },
      { type: 'part-end', ...at(0, 1) },
      { type: 'part-start', ...at(0, 2), opening: { type: 'media', media: 'image', mediaType: 'image/gif' } },
      { type: 'media-delta', ...at(0, 2), data: 'AA' },
      { type: 'media-delta', ...at(0, 2), data: 'BB' },
      { type: 'part-end', ...at(0, 2) },
      { type: 'part-start', ...at(0, 3), opening: { type: 'tool-call', id: 'x', name: 'f' } },
      { type: 'seal', ...at(0, 3), seal },
      { type: 'part-end', ...at(0, 3) },
      end(0, 'tool-calls'),
      { type: 'reply-end' },
    ]);
    const deltas = chunks.map((chunk) => chunk.choices[0]?.delta ?? {});
    expect(chunks[1]?.choices[0]).toMatchObject({ logprobs: { content: [{ token: 'ab', bytes: null }] } });
    expect(deltas.find((delta) => 'annotations' in delta)).toMatchObject({
      annotations: [{ url_citation: { url: 'https://a/', start_index: 0, end_index: 1 } }],
    });
    expect(deltas.find((delta) => 'audio' in delta)).toEqual({ audio: { data: 'QQ==' } });
    expect(deltas.find((delta) => 'images' in delta)).toMatchObject({
      images: [{ image_url: { url: 'data:image/gif;base64,AABB' } }],
    });
    expect(JSON.stringify(deltas)).toContain(writeSeal(seal));
    expect(missing).toEqual(['citation']);
    expect(chunks.every((chunk) => (chunk as unknown as Tree).service_tier === 'default')).toBe(true);
  });

  test('a citation that comes before its words covers them, and order is kept', () => {
    const cite = (citation: object): StreamEvent => ({ type: 'citation', ...at(0, 1), citation });
    const { chunks } = stream([
      start,
      { type: 'part-start', ...at(0, 0), opening: { type: 'text' } },
      { type: 'text-delta', ...at(0, 0), text: 'ab' },
      { type: 'part-end', ...at(0, 0) },
      { type: 'part-start', ...at(0, 1), opening: { type: 'text' } },
      cite({ url: 'https://a/' }),
      { type: 'text-delta', ...at(0, 1), text: 'cd' },
      cite({ url: 'https://b/', start: 1, end: 2 }),
      { type: 'text-delta', ...at(0, 1), text: 'ef' },
      { type: 'part-end', ...at(0, 1) },
      end(0, 'stop'),
      { type: 'reply-end' },
    ]);
    const annotations = chunks.flatMap(({ choices }) => (choices[0]?.delta as Tree | undefined)?.['annotations'] ?? []);
    expect(annotations).toMatchObject([
      { url_citation: { url: 'https://a/', start_index: 2, end_index: 6 } },
      { url_citation: { url: 'https://b/', start_index: 3, end_index: 4 } },
    ]);
  });

  test("a failure carries the provider's words", () => {
    const { chunks } = stream([
      start,
      { type: 'failure', code: 'upstream_failed', message: 'm', providerType: 't', providerCode: 'c' },
    ]);
    expect(chunks[0] as unknown).toEqual({ error: { message: 'm', type: 't', param: '', code: 'c' } });
  });
});

/** Written replies and events have the original service's shape, checked against its published schema. */

import { describe, expect, test } from 'bun:test';
import { expectValid } from '../../../test/harness/schema.ts';
import type { Part } from '../../conversation/parts.ts';
import type { FinishReason, StreamEvent, TextReply } from '../../conversation/text-reply.ts';
import { unknownUsage } from '../../conversation/usage.ts';
import { streamWriter } from './stream-writer.ts';
import { writeReply } from './write-reply.ts';

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

function written(whole: TextReply, legacyFunctions = false): Written {
  const value = JSON.parse(JSON.stringify(writeReply(whole, { legacyFunctions })));
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
      system_fingerprint: null,
    } as never);
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
    const [legacy] = written(reply(parts, 'tool-calls'), true).choices;
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

function stream(events: readonly StreamEvent[], dialect = { includeUsage: false, legacyFunctions: false }) {
  const writer = streamWriter(dialect);
  const text = events.map((event) => writer.write(event)).join('');
  const data = text
    .split('\n\n')
    .slice(0, -1)
    .map((frame) => frame.replace(/^data: /, ''));
  const chunks = data.filter((one) => one !== '[DONE]').map((one): Chunk => JSON.parse(one));
  for (const chunk of chunks) if ('choices' in chunk) expectValid('CreateChatCompletionStreamResponse', chunk);
  return { text, chunks, done: data.at(-1) === '[DONE]' };
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
    const { chunks } = stream(text, { includeUsage: true, legacyFunctions: false });
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
    const { chunks } = stream(calls, { includeUsage: false, legacyFunctions: true });
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

  test('what only this format can say is written as it is', () => {
    const native = (format: string): StreamEvent => ({ type: 'native', format, value: { a: 1 } });
    const writer = streamWriter({ includeUsage: false });
    expect([writer.write(native('openai-chat')), writer.write(native('other'))]).toEqual(['data: {"a":1}\n\n', '']);
  });
});

/** Whole replies, read and written: blocks, finish reasons, usage and signatures. */

import { describe, expect, test } from 'bun:test';
import type { Part } from '../../conversation/parts.ts';
import { readSeal } from '../../conversation/seals/seal.ts';
import type { Finish, TextReply } from '../../conversation/text-reply.ts';
import type { Usage } from '../../conversation/usage.ts';
import { readReply } from './read/reply.ts';
import { writeReply } from './write/reply.ts';

const origin = { format: 'anthropic-messages', provider: 'p', model: 'm' };
const newId = (prefix: string) => `${prefix}new`;
const reading = { origin, nowMs: 5, newId };
const writing = { request: {}, nowMs: 5, newId };
const counts = { input_tokens: 3, output_tokens: 4 };
const known: Usage = { input: { total: 3 }, output: { total: 4 } };

const wire = (fields: Record<string, unknown>) => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'm',
  content: [],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: counts,
  ...fields,
});

function written(parts: readonly Part[], finish: Finish = { reason: 'stop' }, fields: Partial<TextReply> = {}) {
  const reply = { id: 'x', model: 'm', createdAtMs: 0, candidates: [{ parts, finish }], usage: known, ...fields };
  const { value, losses } = writeReply(reply, writing);
  return { value, lost: losses.map(({ what }) => what) };
}

describe('finish reasons', () => {
  const cases: readonly [string, string | null, Finish][] = [
    ['end_turn', null, { reason: 'stop', raw: 'end_turn' }],
    ['stop_sequence', 'END', { reason: 'stop-sequence', raw: 'stop_sequence', stopSequence: 'END' }],
    ['max_tokens', null, { reason: 'length', raw: 'max_tokens' }],
    ['model_context_window_exceeded', null, { reason: 'length', raw: 'model_context_window_exceeded' }],
    ['tool_use', null, { reason: 'tool-calls', raw: 'tool_use' }],
    ['pause_turn', null, { reason: 'pause', raw: 'pause_turn' }],
    ['refusal', null, { reason: 'refusal', raw: 'refusal' }],
    ['of_tomorrow', null, { reason: 'other', raw: 'of_tomorrow' }],
  ];
  for (const [word, sequence, finish] of cases) {
    test(`${word}, read and written`, () => {
      const read = readReply(wire({ stop_reason: word, stop_sequence: sequence }), reading);
      expect(read.value.candidates[0]?.finish).toEqual(finish);
      expect(writeReply(read.value, writing).value).toMatchObject({ stop_reason: word, stop_sequence: sequence });
    });
  }

  test('of other formats', () => {
    const word = (finish: Finish, parts: readonly Part[] = []) => {
      const { value, lost } = written(parts, finish);
      return [value.stop_reason, lost.length];
    };
    expect(word({ reason: 'content-filter', raw: 'SAFETY' })).toEqual(['refusal', 0]);
    expect(word({ reason: 'malformed-call', raw: 'MALFORMED_FUNCTION_CALL' })).toEqual(['end_turn', 1]);
    expect(word({ reason: 'other', raw: 'LANGUAGE' })).toEqual(['end_turn', 1]);
    expect(word({ reason: 'stop', raw: 'stop' })).toEqual(['end_turn', 0]);
    // A named choice ends plainly in the chat format, and so does a refusal.
    expect(word({ reason: 'stop' }, [{ type: 'tool-call', id: 't', name: 'f', arguments: '{}' }])).toEqual([
      'tool_use',
      0,
    ]);
    expect(word({ reason: 'stop' }, [{ type: 'refusal', text: 'no' }])).toEqual(['refusal', 0]);
  });
});

test('usage excludes cached tokens on the wire and includes them inside', () => {
  const usage = {
    input_tokens: 5,
    cache_creation_input_tokens: 20,
    cache_read_input_tokens: 100,
    output_tokens: 9,
    output_tokens_details: { thinking_tokens: 2 },
    service_tier: 'priority',
    cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 20 },
    server_tool_use: { web_search_requests: 0 },
  };
  const { value } = readReply(wire({ usage }), reading);
  expect(value.usage).toEqual({
    input: { total: 125, fresh: 5, cacheRead: 100, cacheWrite: 20, cacheWrite1h: 20 },
    output: { total: 9, thinking: 2 },
    serviceTier: 'priority',
    model: 'm',
  });
  expect(value.serviceTier).toBe('priority');
  expect(value.extras?.fields).toEqual({ usage: { cache_creation: usage.cache_creation } });
  const { server_tool_use: _, ...kept } = usage;
  expect(writeReply(value, writing).value.usage).toEqual(kept);
  const foreign = written([], undefined, { usage: { input: { total: 10, cacheRead: 4 }, output: { total: 1 } } });
  expect(foreign.value.usage).toEqual({
    input_tokens: 6,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 4,
    output_tokens: 1,
  });
  expect(written([], undefined, { usage: { input: {}, output: {} } }).lost).toEqual(['usage']);
});

test('a compaction is counted like the reply, and leaves the counts as they were for clients of the format', () => {
  const compaction = {
    input_tokens: 48,
    cache_read_input_tokens: 10,
    cache_creation_input_tokens: 500,
    output_tokens: 4,
  };
  const sampling = { input_tokens: 2, cache_read_input_tokens: 10, cache_creation_input_tokens: 5, output_tokens: 9 };
  const advice = { type: 'advisor_message', model: 'other', input_tokens: 1_000, output_tokens: 1_000 };
  const iterations = [{ type: 'compaction', ...compaction }, { type: 'message', ...sampling }, advice];
  const { value } = readReply(wire({ usage: { ...sampling, iterations } }), reading);
  expect(value.usage).toEqual({
    input: { total: 575, fresh: 50, cacheRead: 20, cacheWrite: 505 },
    output: { total: 13 },
    model: 'm',
    beside: [{ input: { total: 1_000, fresh: 1_000 }, output: { total: 1_000 }, model: 'other' }],
  });
  expect(writeReply(value, writing).value.usage).toEqual({ ...sampling, iterations });
});

test('a tier is one of the format’s or none', () => {
  const tier = (serviceTier: string) => {
    const { value, lost } = written([], undefined, { serviceTier });
    return [(value.usage as Record<string, unknown>).service_tier, ...lost];
  };
  expect(tier('default')).toEqual(['standard']);
  expect(tier('priority')).toEqual(['priority']);
  expect(tier('auto')).toEqual([undefined]);
  expect(tier('on_demand')).toEqual([undefined, 'service tier on_demand']);
});

test('blocks of a foreign reply: signatures wrapped, calls parsed, images and other formats’ parts reported', () => {
  const seal = { value: 'sig', origin: { format: 'gemini-generate', provider: 'g', model: 'x' } };
  const { value, lost } = written([
    { type: 'thinking', text: 'hm', seal },
    { type: 'thinking', text: 'bare' },
    { type: 'thinking', text: '', redacted: true, seal },
    { type: 'text', text: 'x', citations: [{ url: 'https://u', title: 't', quote: 'q' }, { title: 'no address' }] },
    { type: 'tool-call', id: 'call_1', name: 'f', arguments: '{"a": 1}', seal },
    { type: 'media', media: 'image', source: { kind: 'base64', data: 'A' } },
    { type: 'native', format: 'openai-responses', value: { type: 'web_search_call' } },
  ]);
  const content = value.content as Record<string, string>[];
  expect(content).toMatchObject([
    { type: 'thinking', thinking: 'hm' },
    { type: 'thinking', thinking: 'bare', signature: '' },
    { type: 'redacted_thinking' },
    {
      type: 'text',
      text: 'x',
      citations: [{ type: 'web_search_result_location', url: 'https://u', title: 't', cited_text: 'q' }],
    } as never,
    { type: 'tool_use', id: 'call_1', name: 'f', input: { a: 1 } as never },
  ]);
  expect(content).toHaveLength(5);
  expect(readSeal(content[0]?.signature ?? '', 'anthropic-messages')).toEqual(seal);
  expect(readSeal(content[2]?.data ?? '', 'anthropic-messages')).toEqual(seal);
  expect(lost).toEqual(['citation no address', 'content[5] image', 'content[6] web_search_call']);
  expect(content[3]).not.toHaveProperty('cache_control');
});

test('ids get the format’s prefix once; an empty one is made', () => {
  expect(written([]).value.id).toBe('msg_x');
  expect(written([], undefined, { id: 'msg_1' }).value.id).toBe('msg_1');
  expect(written([], undefined, { id: '' }).value.id).toBe('msg_new');
});

test('more than one candidate is reported', () => {
  const candidate = { parts: [], finish: { reason: 'stop' } } as const;
  expect(written([], undefined, { candidates: [candidate, candidate] }).lost).toEqual(['n']);
});

test('what is no reply throws', () => {
  for (const tree of [null, 'x', {}, { type: 'error' }]) expect(() => readReply(tree, reading)).toThrow(SyntaxError);
});

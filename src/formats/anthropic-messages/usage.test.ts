import { expect, test } from 'bun:test';
import { readReply } from './read/reply.ts';
import { MessagesStreamReader } from './stream/reader.ts';
import { MessagesTap, measureReply } from './tap.ts';
import { readUsage, writeUsage } from './usage.ts';

const context = {
  origin: { provider: 'p', model: 'm', format: 'anthropic-messages' },
  nowMs: 0,
  newId: (prefix: string) => `${prefix}1`,
} as unknown as Parameters<typeof readReply>[1];

const start = {
  input_tokens: 5,
  cache_creation_input_tokens: 30,
  cache_read_input_tokens: 100,
  cache_creation: { ephemeral_5m_input_tokens: 10, ephemeral_1h_input_tokens: 20 },
  output_tokens: 1,
  service_tier: 'priority',
};
const usage = { ...start, output_tokens: 9, server_tool_use: { web_search_requests: 5, web_fetch_requests: 2 } };
const expected = {
  input: { total: 135, fresh: 5, cacheRead: 100, cacheWrite: 30, cacheWrite1h: 20 },
  output: { total: 9 },
  webSearches: 5,
  serviceTier: 'priority',
  model: 'm',
} as const;

test('usage has every class, whole and streamed, where a stream says some of them first and some last', () => {
  const message = {
    id: 'm',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [],
    stop_reason: 'end_turn',
    usage,
  };
  expect(measureReply(message).usage).toEqual(expected);
  expect(readReply(message, context).value.usage).toEqual(expected);
  const frames = [
    { type: 'message_start', message: { ...message, usage: start } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'hi' } },
    { type: 'content_block_stop', index: 0 },
    {
      type: 'message_delta',
      delta: { stop_reason: 'end_turn' },
      usage: { output_tokens: 9, server_tool_use: usage.server_tool_use },
    },
    { type: 'message_stop' },
  ].map((frame) => JSON.stringify(frame));
  const tap = new MessagesTap();
  for (const frame of frames) tap.read(frame);
  expect(tap.usage).toEqual(expected);
  const reader = new MessagesStreamReader(context);
  const events = frames.flatMap((frame) => reader.read(frame));
  expect(events.findLast((event) => event.type === 'usage')?.usage).toEqual(expected);
});

test('a faster mode is a tier of its own, and the standard one is none', () => {
  expect(readUsage({ ...usage, speed: 'fast' })?.serviceTier).toBe('fast');
  expect(readUsage({ ...usage, service_tier: 'standard', speed: 'standard' })?.serviceTier).toBeUndefined();
  expect(readUsage({ ...usage, service_tier: 'batch' })?.serviceTier).toBe('batch');
});

test('a compaction writes to the cache for an hour too', () => {
  const compaction = {
    type: 'compaction',
    ...{ input_tokens: 1, output_tokens: 2, cache_creation_input_tokens: 40 },
    cache_creation: { ephemeral_1h_input_tokens: 40, ephemeral_5m_input_tokens: 0 },
  };
  const read = readUsage({ ...usage, iterations: [compaction] });
  expect(read?.input).toEqual({ total: 176, fresh: 6, cacheRead: 100, cacheWrite: 70, cacheWrite1h: 60 });
  const written = writeUsage(read ?? { input: {}, output: {} }, { iterations: [compaction] });
  expect(written.cache_creation).toEqual(start.cache_creation);
});

test('lifetimes and searches of other formats are written where they are known', () => {
  expect(writeUsage({ ...expected, input: { ...expected.input } })).toEqual({
    ...{ input_tokens: 5, cache_creation_input_tokens: 30, cache_read_input_tokens: 100, output_tokens: 9 },
    cache_creation: { ephemeral_5m_input_tokens: 10, ephemeral_1h_input_tokens: 20 },
    server_tool_use: { web_search_requests: 5, web_fetch_requests: 0 },
  });
  expect(writeUsage({ input: { total: 1 }, output: { total: 1 } })).not.toHaveProperty('server_tool_use');
  // What a provider of the format fetched stays with its searches.
  expect(writeUsage(expected, usage).server_tool_use).toEqual(usage.server_tool_use);
});

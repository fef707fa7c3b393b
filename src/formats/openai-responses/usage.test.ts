import { expect, test } from 'bun:test';
import { readReply } from './read/reply.ts';
import { measureReply, ResponsesTap } from './tap.ts';
import { usageOf } from './usage.ts';

const usage = {
  input_tokens: 100,
  input_tokens_details: {
    ...{ cached_tokens: 40, cache_write_tokens: 5, audio_tokens: 20, image_tokens: 10, video_tokens: 3 },
    cached_tokens_details: { audio_tokens: 8, image_tokens: 2 },
  },
  output_tokens: 50,
  output_tokens_details: { reasoning_tokens: 9, audio_tokens: 8, image_tokens: 7, video_tokens: 4, text_tokens: 6 },
  total_tokens: 150,
};
const search = { type: 'web_search_call', id: 'w', status: 'completed', action: { type: 'search', query: 'q' } };
const opening = { ...search, id: 'o', action: { type: 'open_page', url: 'https://h/' } };
const bare = { type: 'web_search_call', id: 'b', status: 'completed' };
const response = {
  id: 'r',
  object: 'response',
  status: 'completed',
  model: 'm',
  output: [search, opening, bare],
  usage,
};

const context = {
  origin: { provider: 'p', model: 'm', format: 'openai-responses' },
  nowMs: 0,
  newId: (prefix: string) => `${prefix}1`,
} as unknown as Parameters<typeof readReply>[1];

test('usage has every class, the tier and the searches, whole and streamed', () => {
  const expected = {
    input: {
      ...{ total: 100, cacheRead: 40, cacheWrite: 5, audio: 20, image: 10, video: 3, cachedAudio: 8, cachedImage: 2 },
    },
    output: { total: 50, thinking: 9, audio: 8, image: 7, video: 4, text: 6 },
    webSearches: 2,
    serviceTier: 'flex',
    model: 'm',
  } as const;
  const served = { ...response, service_tier: 'flex' };
  expect(measureReply(served).usage).toEqual(expected);
  expect(readReply(served, context).value.usage).toEqual(expected);
  const tap = new ResponsesTap();
  tap.read(JSON.stringify({ type: 'response.completed', response: served }));
  expect(tap.usage).toEqual(expected);
});

test('searches are counted by the provider where it counts them, by the items of a stream where its end lists none', () => {
  const searches = (given: object) => usageOf({ ...response, ...given })?.webSearches;
  expect(searches({ tool_usage: { web_search: { num_requests: 7 } } })).toBe(7);
  expect(searches({ tool_usage: { web_search: { num_requests: 0 } } })).toBeUndefined();
  expect(searches({ usage: { ...usage, server_side_tool_usage_details: { web_search_calls: 3 } } })).toBe(3);
  expect(searches({ output: [] })).toBeUndefined();
  const tap = new ResponsesTap();
  for (const item of [search, opening, search]) {
    tap.read(JSON.stringify({ type: 'response.output_item.done', output_index: 0, item }));
  }
  tap.read(JSON.stringify({ type: 'response.completed', response: { ...response, output: [] } }));
  expect(tap.usage.webSearches).toBe(2);
});

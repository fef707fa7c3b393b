import { describe, expect, test } from 'bun:test';
import { readReply } from './read/reply.ts';
import { streamReader } from './stream/reader.ts';
import { ChatTap, measureReply } from './tap.ts';

const origin = { provider: 'p', model: 'm', format: 'openai-chat' } as const;
const context = { origin, nowMs: 0, newId: (prefix: string) => `${prefix}1` } as unknown as Parameters<
  typeof readReply
>[1];
const counts = { prompt_tokens: 100, completion_tokens: 50, total_tokens: 150 };
const citation = {
  type: 'url_citation',
  url_citation: { url: 'https://h/', title: 't', start_index: 0, end_index: 1 },
};

/** The same usage by every way that a reply can be read. */
function readings(usage: object, given: { tier?: string; annotations?: readonly object[] } = {}) {
  const { tier, annotations = [] } = given;
  const head = {
    id: 'c',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    ...(tier !== undefined && { service_tier: tier }),
  };
  const message = { role: 'assistant', content: 'hi', ...(annotations.length > 0 && { annotations }) };
  const whole = { ...head, choices: [{ index: 0, message, finish_reason: 'stop' }], usage };
  const frames = [
    { ...head, choices: [{ index: 0, delta: message, finish_reason: null }] },
    { ...head, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
    { ...head, choices: [], usage },
  ].map((frame) => JSON.stringify(frame));
  const tap = new ChatTap({ hidesUsage: false, usageInside: undefined });
  for (const frame of frames) tap.read(frame);
  const reader = streamReader(context);
  const events = [...frames, '[DONE]'].flatMap((frame) => reader.read(frame, undefined));
  const streamed = events.findLast((event) => event.type === 'usage');
  return [measureReply(whole).usage, readReply(whole, context).value.usage, tap.usage, streamed?.usage];
}

describe('usage', () => {
  test('has the cost that a router states, and what the caller’s own key is charged beside it', () => {
    const cost = (stated: object) => readings({ ...counts, ...stated }).map((read) => read?.costUsd);
    const four = (usd: number | undefined) => [usd, usd, usd, usd];
    expect(cost({ cost: 0.5 })).toEqual(four(0.5));
    expect(cost({ cost: 0, cost_details: { upstream_inference_cost: 2 } })).toEqual(four(0));
    expect(cost({ cost: 0.25, is_byok: true, cost_details: { upstream_inference_cost: 2 } })).toEqual(four(2.25));
    for (const nonsense of [-1, '1', null, undefined]) expect(cost({ cost: nonsense })).toEqual(four(undefined));
  });

  test('has every class that hosts of the format report, on every lane', () => {
    const usage = {
      ...counts,
      prompt_tokens_details: {
        ...{ cached_tokens: 40, cache_write_tokens: 20, audio_tokens: 10, image_tokens: 8, video_tokens: 6 },
        cached_tokens_details: { audio_tokens: 5, image_tokens: 4, video_tokens: 3 },
        cache_creation: { ephemeral_1h_input_tokens: 15, ephemeral_5m_input_tokens: 5 },
      },
      completion_tokens_details: {
        reasoning_tokens: 9,
        audio_tokens: 8,
        image_tokens: 7,
        video_tokens: 6,
        text_tokens: 5,
      },
    };
    for (const read of readings(usage, { tier: 'priority' })) {
      expect(read).toEqual({
        input: {
          ...{ total: 100, cacheRead: 40, cacheWrite: 20, cacheWrite1h: 15, audio: 10, image: 8, video: 6 },
          ...{ cachedAudio: 5, cachedImage: 4, cachedVideo: 3 },
        },
        output: { total: 50, thinking: 9, audio: 8, image: 7, video: 6, text: 5 },
        serviceTier: 'priority',
        model: 'm',
      });
    }
  });

  test('counts searches as each host does, and reports cited pages without a count', () => {
    const searches = (usage: object, annotations?: readonly object[]) =>
      readings({ ...counts, ...usage }, annotations && { annotations }).map((read) => read?.webSearches);
    expect(searches({ num_search_queries: 3 })).toEqual([3, 3, 3, 3]);
    expect(searches({ server_tool_use: { web_search_requests: 2 } })).toEqual([2, 2, 2, 2]);
    const calls = { web_search_calls: 4, x_search_calls: 2, mcp_calls: 9 };
    expect(searches({ server_side_tool_usage_details: calls })).toEqual([6, 6, 6, 6]);
    expect(searches({ plugins: { search: { count: 1, strategy: 'turbo' } } })).toEqual([1, 1, 1, 1]);
    expect(searches({}, [citation])).toEqual([undefined, undefined, undefined, undefined]);
    for (const read of readings(counts, { annotations: [citation] })) expect(read?.citesPages).toBe(true);
    for (const read of readings({ ...counts, num_search_queries: 3 }, { annotations: [citation] })) {
      expect(read?.citesPages).toBeUndefined();
    }
    expect(searches({ num_search_queries: 0 }, [citation])).toEqual([undefined, undefined, undefined, undefined]);
    expect(searches({})).toEqual([undefined, undefined, undefined, undefined]);
  });

  test('names a tier only where it has prices of its own', () => {
    for (const tier of ['default', 'auto', 'scale', 'standard', 7 as unknown as string]) {
      for (const read of readings(counts, { tier })) expect(read?.serviceTier).toBeUndefined();
    }
    for (const read of readings(counts, { tier: 'flex' })) expect(read?.serviceTier).toBe('flex');
  });
});

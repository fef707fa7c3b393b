/** Settings of a web search go from each format to every other that can say them; the others are reported by name. */

import { describe, expect, test } from 'bun:test';
import { isObject, type Tree } from '../conversation/json-tree.ts';
import type { ModelProfile } from '../conversation/model-profile.ts';
import { formats } from './all.ts';
import type { FormatName } from './format.ts';

const location = { city: 'Oslo', region: 'Oslo', country: 'NO', timezone: 'Europe/Oslo' };
const place = { type: 'approximate', ...location };

const searches: Partial<Readonly<Record<FormatName, Tree>>> = {
  'anthropic-messages': {
    max_tokens: 5,
    messages: [{ role: 'user', content: 'hi' }],
    tools: [
      {
        type: 'web_search_20260209',
        name: 'web_search',
        allowed_domains: ['a.example'],
        user_location: place,
        max_uses: 3,
        allowed_callers: ['direct'],
      },
    ],
  },
  'openai-responses': {
    input: 'hi',
    tools: [
      {
        type: 'web_search',
        filters: { allowed_domains: ['a.example'] },
        user_location: place,
        search_context_size: 'low',
      },
    ],
  },
  'openai-chat': {
    messages: [{ role: 'user', content: 'hi' }],
    web_search_options: {
      search_context_size: 'low',
      user_location: { type: 'approximate', approximate: location },
    },
  },
};

function carried(
  from: FormatName,
  to: FormatName,
  profile: ModelProfile = { searchOption: 'taken' },
): { readonly search: unknown; readonly lost: readonly string[] } {
  const read = formats[from].codec.readRequest({ model: 'm', ...searches[from] });
  const origin = { format: to, provider: 'p', model: 'm' };
  const { value, losses } = formats[to].codec.writeRequest(read.value, {
    origin,
    profile: { outputTokensMax: 5, ...profile },
    quirks: {},
  });
  const [tool] = Array.isArray(value.tools) ? value.tools : [value.web_search_options];
  const search = isObject(tool) && isObject(tool.googleSearch) ? tool.googleSearch : tool;
  return { search, lost: [...read.losses, ...losses].map(({ what }) => what) };
}

describe('a web search', () => {
  test.each(Object.keys(searches) as FormatName[])('of %s comes back as it was', (name) => {
    const sent = searches[name];
    const [tool] = (sent?.tools as unknown[] | undefined) ?? [];
    const expected = sent?.web_search_options ?? tool;
    expect(carried(name, name)).toEqual({ search: expected, lost: [] });
  });

  test('goes from messages to responses and back', () => {
    expect(carried('anthropic-messages', 'openai-responses')).toEqual({
      search: { type: 'web_search', filters: { allowed_domains: ['a.example'] }, user_location: place },
      lost: ['web search number of uses', 'web search allowed_callers'],
    });
    expect(carried('openai-responses', 'anthropic-messages')).toEqual({
      search: {
        type: 'web_search_20250305',
        name: 'web_search',
        allowed_domains: ['a.example'],
        user_location: place,
      },
      lost: ['web search context size'],
    });
  });

  test('goes to chat and to content generation as far as they can say it', () => {
    expect(carried('openai-responses', 'openai-chat')).toEqual({
      search: searches['openai-chat']?.web_search_options,
      lost: ['web search allowed domains'],
    });
    expect(carried('openai-chat', 'openai-responses').search).toEqual({
      type: 'web_search',
      user_location: place,
      search_context_size: 'low',
    });
    expect(carried('openai-chat', 'gemini-generate')).toEqual({
      search: {},
      lost: ['web search user location', 'web search context size'],
    });
  });

  test('is named where a chat server may ignore it, and not sent where it is refused', () => {
    const foreign = ['web search', 'web search allowed domains'];
    for (const from of ['openai-responses', 'anthropic-messages'] as const) {
      const unknown = carried(from, 'openai-chat', {});
      expect([unknown.search !== undefined, unknown.lost.slice(0, 2)]).toEqual([true, foreign]);
      expect(carried(from, 'openai-chat', { searchOption: 'refused' })).toEqual({
        search: undefined,
        lost: ['web search'],
      });
    }
  });

  test('what a format cannot read of its own settings stays with it', () => {
    const tool = {
      type: 'web_search',
      user_location: { type: 'exact', at: [1, 2] },
      filters: { allowed_domains: [7] },
    };
    const read = formats['openai-responses'].codec.readRequest({ model: 'm', input: 'hi', tools: [tool] });
    expect(read.value.hostedTools).toEqual([
      {
        kind: 'web-search',
        extras: {
          format: 'openai-responses',
          fields: { user_location: tool.user_location, filters: tool.filters },
        },
      },
    ]);
  });
});

/** Lists of models page by page, as clients of two formats walk through them. */

import { describe, expect, test } from 'bun:test';
import { GatewayError } from '../conversation/gateway-error.ts';
import { modelList as messagesList } from './anthropic-messages/model-list.ts';
import { modelList as generateList } from './gemini-generate/model-list.ts';
import type { ModelFacts } from './model-facts.ts';

const models = ['a', 'b/x', 'c', 'd', 'e'].map(
  (id): ModelFacts => ({
    id,
    createdAtMs: 0,
    providers: [],
    contextTokens: undefined,
    inputModalities: undefined,
    description: undefined,
    pricing: undefined,
  }),
);

function refusal(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof GatewayError) return `${error.code} ${error.param}`;
  }
  return 'none';
}

describe('messages', () => {
  const page = (query: string) => {
    const list = messagesList(models, new URLSearchParams(query)) as {
      data: { id: string }[];
      has_more: boolean;
      first_id: string | null;
      last_id: string | null;
    };
    expect([list.first_id, list.last_id]).toEqual([list.data[0]?.id ?? null, list.data.at(-1)?.id ?? null]);
    return `${list.data.map(({ id }) => id).join(' ')}${list.has_more ? ' …' : ''}`;
  };

  test.each([
    ['', 'a b/x c d e'],
    ['limit=1000', 'a b/x c d e'],
    ['limit=5', 'a b/x c d e'],
    ['limit=2', 'a b/x …'],
    ['limit=2&after_id=b/x', 'c d …'],
    ['limit=2&after_id=d', 'e'],
    ['limit=2&after_id=e', ''],
    ['after_id=c', 'd e'],
    ['limit=2&before_id=e', 'c d …'],
    ['limit=2&before_id=c', 'a b/x'],
    ['limit=2&before_id=b/x', 'a'],
    ['before_id=a', ''],
  ])('%p gives %p', (query, expected) => {
    expect(page(query)).toBe(expected);
  });

  test.each([
    ['limit=0', 'limit'],
    ['limit=1001', 'limit'],
    ['limit=', 'limit'],
    ['limit=two', 'limit'],
    ['after_id=z', 'after_id'],
    ['before_id=z', 'before_id'],
  ])('%p is refused', (query, param) => {
    expect(refusal(() => messagesList(models, new URLSearchParams(query)))).toBe(`field_invalid ${param}`);
  });
});

describe('content generation', () => {
  const page = (query: string) =>
    generateList(models, new URLSearchParams(query)) as { models: { name: string }[]; nextPageToken?: string };

  test.each([
    [undefined, ['a b/x c d e']],
    [0, ['a b/x c d e']],
    [2, ['a b/x', 'c d', 'e']],
    [5, ['a b/x c d e']],
    [4, ['a b/x c d', 'e']],
    [5_000, ['a b/x c d e']],
  ])('pages of %p', (size, expected) => {
    const pages: string[] = [];
    let token: string | undefined;
    do {
      const query = new URLSearchParams({ ...(size !== undefined && { pageSize: `${size}` }) });
      if (token !== undefined) query.set('pageToken', token);
      const { models: shown, nextPageToken } = page(query.toString());
      pages.push(shown.map(({ name }) => name.replace('models/', '')).join(' '));
      token = nextPageToken;
    } while (token !== undefined && pages.length < 10);
    expect(pages).toEqual(expected);
  });

  test.each([
    ['pageSize=-1', 'pageSize'],
    ['pageSize=1.5', 'pageSize'],
    ['pageSize=x', 'pageSize'],
    ['pageToken=zz', 'pageToken'],
  ])('%p is refused', (query, param) => {
    expect(refusal(() => page(query))).toBe(`field_invalid ${param}`);
  });
});

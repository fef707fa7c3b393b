/** Proves that a sorted list is sorted as a whole, page after page, and that there is an end to what is sorted. */

import { expect, test } from 'bun:test';
import type { TokenRecord } from '../../access/caller.ts';
import type { TokenPage } from '../../access/token-table.ts';
import { type SortValue, sortedTokens, sortedTokensMax, type TokenOrder } from './sorted-tokens.ts';

function tokensOf(values: readonly SortValue[]) {
  const records = values.map(
    (_, index): TokenRecord => ({ id: `tok_${index}`, hint: '', createdAtMs: index, terms: { name: '' } }),
  );
  const list = async ({ afterId, limit }: TokenPage) => {
    const from = afterId === undefined ? 0 : records.findIndex(({ id }) => id === afterId) + 1;
    return records.slice(from, from + limit);
  };
  const valuesOf = async () => new Map(records.map(({ id }, index) => [id, values[index]]));
  return async (order: Partial<TokenOrder>, page: { readonly afterId?: string; readonly limit: number }) => {
    const found = await sortedTokens({ list, valuesOf }, {}, { by: 'name', descending: false, ...order }, page);
    return found.map(({ id }) => Number(id.slice(4)));
  };
}

test('pages follow each other in the order of the whole list', async () => {
  const many = Array.from({ length: 1_203 }, (_, index) => (index * 7_919) % 1_203);
  const sorted = tokensOf(many);
  const all = await sorted({}, { limit: 5_000 });
  expect(all.map((index) => many[index])).toEqual(many.toSorted((one, other) => one - other));
  const seen: number[] = [];
  for (let page = await sorted({}, { limit: 100 }); page.length > 0; ) {
    seen.push(...page);
    page = await sorted({}, { limit: 100, afterId: `tok_${seen.at(-1)}` });
  }
  expect(seen).toEqual(all);
});

test('what has no value comes last in both directions, and equals keep their order', async () => {
  const sorted = tokensOf([undefined, 3n, 1n, undefined, 3n]);
  expect(await sorted({}, { limit: 9 })).toEqual([2, 1, 4, 0, 3]);
  expect(await sorted({ descending: true }, { limit: 9 })).toEqual([1, 4, 2, 0, 3]);
});

test('names are compared as people do', async () => {
  expect(await tokensOf(['app 10', 'App 2', 'zoo', 'Anton'])({}, { limit: 9 })).toEqual([3, 1, 0, 2]);
});

test('too many are refused with what to do', async () => {
  const sorted = tokensOf(Array.from({ length: sortedTokensMax + 1 }, () => 1));
  expect(sorted({}, { limit: 1 })).rejects.toMatchObject({ code: 'field_invalid', param: 'sort' });
});

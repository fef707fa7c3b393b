import { expect, test } from 'bun:test';
import type { BudgetScope } from '../../ledger/ledger.ts';
import { scopeRows, scopesJson, scopesOf, scopesText } from './scope-rows.ts';

const scopes: readonly BudgetScope[] = [
  { scope: 'team:t#b', unit: 'requests', limit: 10n, windowStartMs: 86_400_000 },
  { scope: 'org:org#a', unit: 'tokens', limit: 2n ** 60n, windowStartMs: 0 },
  { scope: 'token:x', unit: 'usd', limit: 5n, windowStartMs: 0 },
];

test('they are sorted, and each knows its place in the order of the caller', () => {
  const rows = scopeRows({ scopes });
  expect(rows.map(({ scope, place }) => [scope, place])).toEqual([
    ['org:org#a', 1],
    ['team:t#b', 0],
    ['token:x', 2],
  ]);
  expect(rows.map(({ limit }) => BigInt(limit))).toEqual([2n ** 60n, 10n, 5n]);
});

test('requests that share an array share what is made of it', () => {
  expect(scopeRows({ scopes })).toBe(scopeRows({ scopes }));
  expect(scopeRows({ scopes: [...scopes] })).not.toBe(scopeRows({ scopes }));
  expect(scopeRows({ scopes: [] })).toBe(scopeRows({ scopes: [] }));
});

test('a budget of money is written without its unit, as earlier versions wrote all', () => {
  const text = '[["org:org#a",0,"tokens"],["team:t#b",86400000,"requests"],["token:x",0]]';
  expect(scopesText(scopeRows({ scopes }))).toBe(text);
  expect(scopesJson(scopeRows({ scopes }))).toBe(JSON.stringify(text));
  expect(scopesOf(text)).toEqual([
    ['org:org#a', 0, 'tokens'],
    ['team:t#b', 86_400_000, 'requests'],
    ['token:x', 0],
  ]);
  expect(scopesOf('')).toEqual([]);
});

/** Proves what a click on a row's box marks, alone and together with a row that was marked before. */

import { expect, test } from 'bun:test';
import { withToggled } from './selection.ts';

const keys = ['a', 'b', 'c', 'd', 'e'];
const after = (selected: readonly string[], index: number, from?: number) =>
  [...withToggled(new Set(selected), keys, index, from)].sort();

test('one row is marked and unmarked', () => {
  expect(after([], 2)).toEqual(['c']);
  expect(after(['c', 'e'], 2)).toEqual(['e']);
});

test('a range becomes what its last row becomes, in either direction, and nothing else changes', () => {
  expect(after(['b'], 3, 1)).toEqual(['b', 'c', 'd']);
  expect(after(['d'], 1, 3)).toEqual(['b', 'c', 'd']);
  expect(after(['a', 'b', 'c', 'd', 'e'], 3, 1)).toEqual(['a', 'e']);
});

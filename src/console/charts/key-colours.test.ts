/** Proves that a key has one color in every chart, and no two groups of a chart the same while there are enough. */

import { expect, test } from 'bun:test';
import { assignColours } from './key-colours.ts';

const keys = Array.from({ length: 8 }, (_, index) => `model-${index}`);

test('eight groups have eight colors', () => {
  const colours = assignColours(keys, new Map());
  expect([...new Set(colours.values())].toSorted()).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
});

test('a key keeps its color in another chart, in another order, among others', () => {
  const known = new Map<string, number>();
  const first = assignColours(keys.slice(0, 4), known);
  const second = assignColours([...keys.slice(4), ...keys.slice(0, 4).toReversed()], known);
  for (const key of keys.slice(0, 4)) expect([key, known.get(key)]).toEqual([key, first.get(key)]);
  expect(new Set(second.values()).size).toBe(8);
});

test('more groups than colors still have one each', () => {
  const many = Array.from({ length: 20 }, (_, index) => `model-${index}`);
  const colours = assignColours(many, new Map());
  expect(many.every((key) => (colours.get(key) ?? 0) >= 1)).toBe(true);
});

/** Proves that sums, ranges and colours of charts are honest: gaps stay gaps, zero is the ground, a name keeps its colour. */

import { describe, expect, test } from 'bun:test';
import { colourCount, colourOf, lonely, plain, rangeOf, stacked } from './chart-data.ts';

describe('stacking', () => {
  test('each series stands on those before it', () => {
    const sums = stacked([
      { name: 'a', values: [1, 2, 3] },
      { name: 'b', values: [10, 20, 30] },
    ]);
    expect(sums).toEqual([
      [1, 2, 3],
      [11, 22, 33],
    ]);
  });

  test('a moment that nobody knows is a gap; one that someone knows is not', () => {
    const sums = stacked([
      { name: 'a', values: [1, undefined, undefined] },
      { name: 'b', values: [2, 5, undefined] },
    ]);
    expect(sums).toEqual([
      [1, null, null],
      [3, 5, null],
    ]);
  });

  test('lines keep their gaps', () => expect(plain([{ name: 'a', values: [0, undefined] }])).toEqual([[0, null]]));
});

test('what was measured between two gaps is found, so that it can be seen', () => {
  expect(lonely([1, null, 2, null, 3, 4, undefined, 5])).toEqual([0, 2, 7]);
  expect(lonely([null, 1, 2])).toEqual([]);
});

describe('the range', () => {
  for (const [values, range] of [
    [[], [0, 1]],
    [
      [0, null],
      [0, 1],
    ],
    [[7], [0, 8]],
    [[100], [0, 100]],
    [[101], [0, 120]],
    [[0.0042], [0, 0.005]],
  ] as const) {
    test(`of ${JSON.stringify(values)} is ${JSON.stringify(range)}`, () => {
      const [low, high] = rangeOf([values]);
      expect(low).toBe(range[0]);
      expect(high).toBeCloseTo(range[1], 10);
    });
  }
});

describe('colours', () => {
  test('a name keeps its colour, and one that is given wins', () => {
    expect(colourOf({ name: 'sandbox-chat' })).toBe(colourOf({ name: 'sandbox-chat' }));
    expect(colourOf({ name: 'sandbox-chat', colour: 3 })).toBe(3);
  });

  test('many names use all colours about equally', () => {
    const counts = new Map<number, number>();
    for (let index = 0; index < 800; index++) {
      const colour = colourOf({ name: `model-${index}` });
      counts.set(colour, (counts.get(colour) ?? 0) + 1);
    }
    expect([...counts.keys()].sort()).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(counts.size).toBe(colourCount);
    for (const count of counts.values()) expect(count).toBeGreaterThan(50);
  });
});

/** Proves that likeness is worked out as the books have it, at every edge, and the closest pair is found. */

import { describe, expect, test } from 'bun:test';
import { closestPair, cosine, shade, similarities } from './similarity.ts';

describe('likeness', () => {
  for (const [left, right, value] of [
    [[1, 0], [1, 0], 1],
    [[1, 0], [0, 1], 0],
    [[1, 0], [-2, 0], -1],
    [[3, 4], [4, 3], 0.96],
    [[0, 0], [1, 1], 0],
    [[], [], undefined],
    [[1], [1, 2], undefined],
  ] as const) {
    test(`of ${left} and ${right} is ${value}`, () => {
      if (value === undefined) expect(cosine(left, right)).toBeUndefined();
      else expect(cosine(left, right)).toBeCloseTo(value, 12);
    });
  }

  test('never leaves its range, however long the vectors are', () => {
    const vector = Array.from({ length: 3_072 }, (_, index) => Math.sin(index) * 1e-3);
    expect(cosine(vector, vector)).toBeLessThanOrEqual(1);
    expect(cosine(vector, vector)).toBeCloseTo(1, 12);
  });
});

test('the matrix is symmetrical with ones across', () => {
  const matrix = similarities([
    [1, 0],
    [1, 1],
    [0, 2],
  ]);
  for (const [row, line] of matrix.entries()) {
    expect(line.length).toBe(3);
    expect(line[row]).toBeCloseTo(1, 12);
    for (const [column, value] of line.entries()) expect(value).toBe(matrix[column]?.[row]);
  }
  expect(closestPair(matrix)).toMatchObject({ first: 0, second: 1 });
});

test('one text has no pair, and vectors of different lengths have none either', () => {
  expect(closestPair(similarities([[1, 2]]))).toBeUndefined();
  expect(closestPair(similarities([[1, 2], [1]]))).toBeUndefined();
});

test('what is unlike is not shaded', () => {
  expect([shade(-0.4), shade(0), shade(0.5), shade(1.2), shade(undefined)]).toEqual([0, 0, 0.5, 1, 0]);
});

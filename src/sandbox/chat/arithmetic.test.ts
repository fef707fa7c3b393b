/** Sums are found in sentences, and only sums. */

import { describe, expect, test } from 'bun:test';
import { findSums } from './arithmetic.ts';

describe('sums', () => {
  const found: readonly [string, string, number | undefined][] = [
    ['what is 12*7+3?', '12*7+3', 87],
    ['calculate 3*4 - 1/2 please', '3*4 - 1/2', 11.5],
    ['what is -2 + 5', '-2 + 5', 3],
    ['0.1 + 0.2', '0.1 + 0.2', 0.3],
    ['8 ÷ 2 × 3', '8 ÷ 2 × 3', 12],
    ['what is 1/0?', '1/0', undefined],
    ['what is 5+5=?', '5+5', 10],
  ];
  for (const [sentence, expression, value] of found) {
    test(sentence, () => expect(findSums(sentence)).toEqual([{ expression, value }]));
  }

  for (const sentence of [
    'from 2024-01-15 to 2024-02-01',
    'pages 10-20',
    'call 555-1234',
    'open 24/7',
    'no sum',
    '2 +',
    '(((1',
    '',
    '1.2.3',
    'the 7th of 9',
  ]) {
    test(`none in ${JSON.stringify(sentence)}`, () => expect(findSums(sentence)).toEqual([]));
  }

  test('several', () => {
    expect(findSums('what is 1+1 and what is 2*3?').map((sum) => sum.value)).toEqual([2, 6]);
  });

  test('long and deep input ends', () => {
    for (const unit of ['(', '1+', '-', '1,', '9', '1+(', ')']) expect(findSums(unit.repeat(500_000))).toBeArray();
  });
});

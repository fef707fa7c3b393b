import { expect, test } from 'bun:test';
import { scaledUp } from './decimal.ts';

test('is exact where floats are not', () => {
  expect(scaledUp(0.0028, 9)).toBe(2_800_000n);
  expect(scaledUp(1.25e-6, 15)).toBe(1_250_000_000n);
  expect(scaledUp(3e-6 + 4e-22, 15)).toBe(3_000_000_000n);
  expect(scaledUp(0.1 + 0.2, 9)).toBe(300_000_000n);
  expect(scaledUp(0, 15)).toBe(0n);
  expect(scaledUp('0.123456789012345678', 18)).toBe(123_456_789_012_345_678n);
});

test('rounds up what is smaller than one', () => {
  expect(scaledUp('0.0000000001', 9)).toBe(1n);
  expect(scaledUp('1.0000000001', 9)).toBe(1_000_000_001n);
  expect(scaledUp(1e-200, 9)).toBe(1n);
});

test('takes nothing that is no number from 0 on, or too large to be one', () => {
  for (const bad of [
    -1,
    -1e-9,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    1e308,
    '1e99999',
    '',
    '-1',
    '0x10',
    '1,5',
    ' 1',
    '9'.repeat(99),
  ])
    expect(scaledUp(bad, 9)).toBeUndefined();
});

/** Dollars to integers and back without losing a digit. */

import { describe, expect, test } from 'bun:test';
import { nanoFromUsd, usdText } from './money.ts';

describe('nanoFromUsd', () => {
  test.each<[string | number, bigint]>([
    ['5', 5_000_000_000n],
    ['0.1', 100_000_000n],
    [0.1, 100_000_000n],
    [0.3, 300_000_000n],
    [1.1, 1_100_000_000n],
    ['0.000000001', 1n],
    [1e-9, 1n],
    [1e-7, 100n],
    [4.35, 4_350_000_000n],
    ['1000000000', 1_000_000_000_000_000_000n],
    [1_000_000_000, 1_000_000_000_000_000_000n],
    ['123456789.123456789', 123_456_789_123_456_789n],
    ['0', 0n],
    ['007.50', 7_500_000_000n],
  ])('%p is %p', (usd, nano) => {
    expect(nanoFromUsd(usd)).toBe(nano);
  });

  test.each<string | number>([
    ...[
      '',
      ' ',
      '-1',
      '+1',
      '1.',
      '.5',
      '1,5',
      '1e3',
      '0x10',
      '$5',
      '0.0000000001',
      '1000000000.000000001',
      '9'.repeat(400),
      '５',
    ],
    ...[-1, -0.1, Number.NaN, Number.POSITIVE_INFINITY, 1e-10, 0.1 + 0.2, 1e21, 1_000_000_001],
  ])('%p is no amount', (usd) => {
    expect(nanoFromUsd(usd)).toBeUndefined();
  });
});

describe('usdText', () => {
  test.each<[bigint, string]>([
    [0n, '0.00'],
    [1n, '0.000000001'],
    [42_000n, '0.000042'],
    [5_000_000_000n, '5.00'],
    [1_500_000_000n, '1.50'],
    [1_234_567_891n, '1.234567891'],
    [-1_500_000_000n, '-1.50'],
    [-1n, '-0.000000001'],
  ])('%p is %p', (nano, text) => {
    expect(usdText(nano)).toBe(text);
  });

  test('and back again', () => {
    for (let nano = 1n; nano < 10n ** 18n; nano = nano * 7n + 3n) expect(nanoFromUsd(usdText(nano))).toBe(nano);
  });
});

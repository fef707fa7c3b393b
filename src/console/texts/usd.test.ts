/** Proves that dollars become billionths without passing through a number that rounds. */

import { expect, test } from 'bun:test';
import { nanoOfUsd } from './usd.ts';

for (const [usd, nano] of [
  ['0', '0'],
  ['5', '5000000000'],
  ['0.25', '250000000'],
  ['0.000000042', '42'],
  ['-1.5', '-1500000000'],
  ['-0', '0'],
  ['12345678901.123456789', '12345678901123456789'],
  ['0.0000000009', '0'],
  ['nonsense', '0'],
] as const) {
  test(`${usd} dollars are ${nano} billionths`, () => expect(nanoOfUsd(usd)).toBe(nano));
}

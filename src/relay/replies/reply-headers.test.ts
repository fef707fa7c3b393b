/** What the head of a settled reply says of its cost. */

import { expect, test } from 'bun:test';
import type { UsageRow } from '../../ledger/ledger.ts';
import { setCostHeaders } from './reply-headers.ts';

const told = (priceVersion: string, estimated = false): Record<string, string> => {
  const headers: Record<string, string> = {};
  setCostHeaders(headers, { row: { priceVersion, estimated } as UsageRow }, 42_000n);
  return headers;
};

test('an ordinary price is told alone, a guess and an estimate by their names, an unknown one not at all', () => {
  expect(told('operator')).toEqual({ 'x-weir-cost-usd': '0.000042' });
  expect(told('guess: genai-prices@0.1.8 openai')).toEqual({
    'x-weir-cost-usd': '0.000042',
    'x-weir-cost-source': 'guess',
  });
  expect(told('operator', true)).toEqual({ 'x-weir-cost-usd': '0.000042', 'x-weir-cost-source': 'estimate' });
  expect(told('guess: a b', true)['x-weir-cost-source']).toBe('guess, estimate');
  expect(told('')).toEqual({});
  expect(told('', true)).toEqual({});
});

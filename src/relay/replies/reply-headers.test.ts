/** What the head of a settled reply says of its cost. */

import { expect, test } from 'bun:test';
import type { UsageRow } from '../../ledger/ledger.ts';
import { setCostHeaders } from './reply-headers.ts';

const headersOf = (priceVersion: string, estimated = false): Record<string, string> => {
  const headers: Record<string, string> = {};
  setCostHeaders(headers, { row: { priceVersion, estimated } as UsageRow }, 42_000n);
  return headers;
};

test('an ordinary price has one header, a guess and an estimate a second, an unknown price none', () => {
  expect(headersOf('operator')).toEqual({ 'x-weir-cost-usd': '0.000042' });
  expect(headersOf('guess: genai-prices@0.1.8 openai')).toEqual({
    'x-weir-cost-usd': '0.000042',
    'x-weir-cost-source': 'guess',
  });
  expect(headersOf('operator', true)).toEqual({ 'x-weir-cost-usd': '0.000042', 'x-weir-cost-source': 'estimate' });
  expect(headersOf('guess: a b', true)['x-weir-cost-source']).toBe('guess, estimate');
  expect(headersOf('')).toEqual({});
  expect(headersOf('', true)).toEqual({});
});

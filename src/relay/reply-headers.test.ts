/** What the head of a settled reply says of its cost. */

import { expect, test } from 'bun:test';
import type { Attempt } from './attempt.ts';
import { tellCost } from './reply-headers.ts';

const told = (priceVersion: string): Record<string, string> => {
  const headers: Record<string, string> = {};
  tellCost(headers, { priceVersion } as Attempt, 42_000n);
  return headers;
};

test('an ordinary price is told alone, a guess by its name, an unknown one not at all', () => {
  expect(told('operator')).toEqual({ 'x-weir-cost-usd': '0.000042' });
  expect(told('guess: genai-prices@0.1.8 openai')).toEqual({
    'x-weir-cost-usd': '0.000042',
    'x-weir-cost-source': 'guess',
  });
  expect(told('')).toEqual({});
});

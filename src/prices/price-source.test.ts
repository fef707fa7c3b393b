/** What a price's version says of its source. */

import { expect, test } from 'bun:test';
import { guessedFrom, jointVersion, priceSourceOf } from './price-source.ts';

test('a version tells whose price it is', () => {
  const sourceOf = (version: string) => priceSourceOf({ version });
  expect(priceSourceOf(undefined)).toBe('unknown');
  expect(
    [
      'free',
      'sandbox',
      'operator',
      'operator@2026-11-16',
      'provider list + genai-prices@0.1.8',
      'genai-prices@0.1.8',
    ].map(sourceOf),
  ).toEqual(['free', 'free', 'operator', 'operator', 'provider', 'table']);
  expect(sourceOf('guess: genai-prices@0.1.8 openai')).toBe('guess');
  expect(guessedFrom('guess: genai-prices@0.1.8 openai')).toBe('genai-prices@0.1.8 openai');
  expect(guessedFrom('genai-prices@0.1.8')).toBeUndefined();
});

test('of several calls for one request one without a price makes the whole unknown, and one guess a guess', () => {
  expect(jointVersion(undefined, '')).toBe('');
  expect(jointVersion(undefined, 'operator')).toBe('operator');
  expect(jointVersion('operator', '')).toBe('');
  expect(jointVersion('', 'operator')).toBe('');
  expect(jointVersion('guess: a', 'operator')).toBe('guess: a');
  expect(jointVersion('operator', 'guess: a')).toBe('guess: a');
});

/** Proves that a comparison says something: what is new, how many times more, percent, or percentage points. */

import { describe, expect, test } from 'bun:test';
import { en } from '../words/en.ts';
import { changeOf, changeText, errorShare, pointsBetween } from './change.ts';

const textOf = (change: Parameters<typeof changeText>[0]) => changeText(change, en.usage.change, 'en');

describe('a figure', () => {
  for (const [before, now, text] of [
    [100, 130, '+30% vs previous period'],
    [100, 104.4, '+4.4% vs previous period'],
    [100, 50, '−50% vs previous period'],
    [100, 0, '−100% vs previous period'],
    [100, 100, 'No change'],
    [100_000, 100_001, 'No change'],
    [100, 1_000, '+900% vs previous period'],
    [100, 1_001, '×10 vs previous period'],
    [100, 1_240, '×12 vs previous period'],
    [2, 2_308, '×1,154 vs previous period'],
    [0, 5, 'New'],
    [0, 0, 'No earlier data'],
  ] as const) {
    test(`from ${before} to ${now}: ${text}`, () => expect(textOf(changeOf(now, before, before > 0))).toBe(text));
  }
});

test('nothing now and nothing before is no change where there were requests before', () => {
  expect(textOf(changeOf(0, 0, true))).toBe('No change');
});

describe('a rate', () => {
  for (const [before, now, text] of [
    [0.024, 0.01, '−1.4 pp vs previous period'],
    [0.01, 0.02, '+1 pp vs previous period'],
    [0.01, 0.01, 'No change'],
    [undefined, 0.5, 'No earlier data'],
  ] as const) {
    test(`from ${before} to ${now}: ${text}`, () => expect(textOf(pointsBetween(now, before))).toBe(text));
  }
  test('of nothing is zero', () => expect(errorShare({ requests: 0, failures: 0 })).toBe(0));
});

import { expect, test } from 'bun:test';
import { estimatedUsage, isExact } from './usage-estimate.ts';

const both = { input: { total: 10 }, output: { total: 1 } };

test('usage is exact only where both sides were reported for the whole reply', () => {
  expect(isExact({ usage: both, code: '' })).toBe(true);
  expect(isExact({ usage: both, code: 'client_left' })).toBe(false);
  expect(isExact({ usage: both, usageIsFinal: true, code: 'client_left' })).toBe(true);
  expect(isExact({ usage: both, usageIsFinal: false, code: 'upstream_failed' })).toBe(false);
  expect(isExact({ usage: { input: { total: 10 }, output: {} }, usageIsFinal: true, code: '' })).toBe(false);
});

test('a reported input keeps its classes, and the larger of the reported and the written output counts', () => {
  const input = { total: 900, fresh: 100, cacheRead: 800 };
  expect(estimatedUsage({ input, output: {} }, 25, 40)).toEqual({ input, output: { total: 40 } });
  expect(estimatedUsage({ input, output: { total: 60, thinking: 5 } }, 25, 40)).toEqual({
    input,
    output: { total: 60, thinking: 5 },
  });
  expect(estimatedUsage({ input: {}, output: {} }, 25, 0)).toEqual({ input: { total: 25 }, output: { total: 0 } });
});

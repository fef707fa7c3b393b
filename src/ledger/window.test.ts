import { expect, test } from 'bun:test';
import { windowEndMs, windowStartMs } from './window.ts';

const at = (text: string): number => Date.parse(text);

test.each([
  ['day', '2026-11-15T23:59:59.999Z', '2026-11-15T00:00:00Z'],
  ['day', '2026-11-16T00:00:00.000Z', '2026-11-16T00:00:00Z'],
  // 2026-11-15 is a Sunday: the last day of the week that began on Monday the 9th.
  ['week', '2026-11-15T23:59:59.999Z', '2026-11-09T00:00:00Z'],
  ['week', '2026-11-16T00:00:00.000Z', '2026-11-16T00:00:00Z'],
  ['week', '2026-01-01T12:00:00Z', '2025-12-29T00:00:00Z'],
  ['month', '2026-12-31T23:59:59.999Z', '2026-12-01T00:00:00Z'],
  ['month', '2028-02-29T12:00:00Z', '2028-02-01T00:00:00Z'],
] as const)('%s of %s begins at %s', (period, now, start) => {
  expect(windowStartMs(period, at(now))).toBe(at(start));
});

test('a total budget has one window forever', () => {
  expect(windowStartMs('total', at('2026-11-15T12:00:00Z'))).toBe(0);
});

test.each([
  ['day', '2026-11-15T23:59:59.999Z', '2026-11-16T00:00:00Z'],
  ['week', '2026-11-15T23:59:59.999Z', '2026-11-16T00:00:00Z'],
  ['week', '2026-11-16T00:00:00.000Z', '2026-11-23T00:00:00Z'],
  ['month', '2026-12-31T23:59:59.999Z', '2027-01-01T00:00:00Z'],
  ['month', '2028-02-01T00:00:00.000Z', '2028-03-01T00:00:00Z'],
] as const)('%s of %s ends at %s', (period, now, end) => {
  expect(windowEndMs(period, at(now))).toBe(at(end));
});

test('a total budget never resets', () => {
  expect(windowEndMs('total', at('2026-11-15T12:00:00Z'))).toBeUndefined();
});

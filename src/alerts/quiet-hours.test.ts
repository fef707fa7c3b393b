/** Quiet hours by an injected clock: over midnight, in other time zones, and when the clock is changed. */

import { describe, expect, test } from 'bun:test';
import { isTimeZone, quietUntilMs } from './quiet-hours.ts';

const quiet = (timeZone: string, from = '22:00', to = '07:00') => ({ timeZone, from, to, criticalPasses: true });
const until = (timeZone: string, at: string, from?: string, to?: string): string | undefined => {
  const untilMs = quietUntilMs(quiet(timeZone, from, to), Date.parse(at));
  return untilMs === undefined ? undefined : new Date(untilMs).toISOString();
};

describe('quiet hours', () => {
  test.each([
    ['UTC', '2026-11-17T21:59:59Z', undefined],
    ['UTC', '2026-11-17T22:00:00Z', '2026-11-18T07:00:00.000Z'],
    ['UTC', '2026-11-18T06:59:59Z', '2026-11-18T07:00:00.000Z'],
    ['UTC', '2026-11-18T07:00:00Z', undefined],
    ['Asia/Shanghai', '2026-11-17T14:00:00Z', '2026-11-17T23:00:00.000Z'],
    ['Asia/Shanghai', '2026-11-17T23:00:00Z', undefined],
    ['America/New_York', '2026-11-18T04:30:00Z', '2026-11-18T12:00:00.000Z'],
    // The night in which summer time ends has 25 hours, and the one in which it begins 23.
    ['Europe/Berlin', '2026-10-24T22:00:00Z', '2026-10-25T06:00:00.000Z'],
    ['Europe/Berlin', '2026-03-28T22:00:00Z', '2026-03-29T05:00:00.000Z'],
  ])('in %s at %s end at %s', (timeZone, at, expected) => {
    expect(until(timeZone, at)).toBe(expected as string);
  });

  test('within one day, and an end that the clock skips', () => {
    expect(until('UTC', '2026-11-17T12:30:00Z', '12:00', '13:00')).toBe('2026-11-17T13:00:00.000Z');
    expect(until('UTC', '2026-11-17T13:30:00Z', '12:00', '13:00')).toBeUndefined();
    expect(until('UTC', '2026-11-17T13:30:00Z', '12:00', '12:00')).toBeUndefined();
    const skipped = until('Europe/Berlin', '2026-03-29T00:30:00Z', '22:00', '02:30') ?? '';
    expect(Date.parse(skipped)).toBeGreaterThan(Date.parse('2026-03-29T00:30:00Z'));
    expect(Date.parse(skipped)).toBeLessThanOrEqual(Date.parse('2026-03-29T01:30:00Z'));
  });

  test('need a time zone that there is', () => {
    expect(['UTC', 'Europe/Berlin', 'Mars/Olympus', '', '+02:00'].map(isTimeZone)).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]);
  });
});

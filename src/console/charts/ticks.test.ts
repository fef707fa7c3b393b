/** Proves that axes have round labels: whole shares of the top, and times that a clock and a calendar show. */

import { afterEach, describe, expect, test } from 'bun:test';
import { tickText, timeTicks, valueTicks } from './ticks.ts';

const zoneBefore = process.env['TZ'];
afterEach(() => {
  process.env['TZ'] = zoneBefore ?? 'UTC';
});

describe('values', () => {
  for (const [top, ticks] of [
    [10, [0, 2, 4, 6, 8, 10]],
    [12, [0, 3, 6, 9, 12]],
    [150, [0, 50, 100, 150]],
    [8_000, [0, 2_000, 4_000, 6_000, 8_000]],
  ] as const) {
    test(`up to ${top}`, () => expect(valueTicks(top)).toEqual([...ticks]));
  }
  test('below one', () =>
    expect(valueTicks(0.05).map((value) => value.toFixed(2))).toEqual([
      '0.00',
      '0.01',
      '0.02',
      '0.03',
      '0.04',
      '0.05',
    ]));
});

describe('times', () => {
  const textsIn = (zone: string, from: string, to: string, countMax: number) => {
    process.env['TZ'] = zone;
    return timeTicks(Date.parse(from) / 1_000, Date.parse(to) / 1_000, countMax).map((atS) => tickText(atS, 'en'));
  };
  for (const [zone, from, to, countMax, texts] of [
    ['UTC', '2030-01-31T10:07Z', '2030-01-31T11:07Z', 6, ['10:10', '10:20', '10:30', '10:40', '10:50', '11:00']],
    ['UTC', '2030-01-30T10:00Z', '2030-01-31T10:00Z', 4, ['12:00', '18:00', 'Jan 31', '06:00']],
    ['UTC', '2030-01-30T00:00Z', '2030-02-02T00:00Z', 4, ['Jan 30', 'Jan 31', 'Feb 1', 'Feb 2']],
    ['Asia/Shanghai', '2030-01-30T16:00Z', '2030-02-01T16:00Z', 2, ['Jan 31', 'Feb 1', 'Feb 2']],
    // Clocks are set forward at 02:00 on March 31 and back at 03:00 on October 27.
    ['Europe/Berlin', '2030-03-30T23:00Z', '2030-03-31T22:00Z', 4, ['Mar 31', '06:00', '12:00', '18:00', 'Apr 1']],
    ['Europe/Berlin', '2030-10-26T22:00Z', '2030-10-27T23:00Z', 5, ['Oct 27', '06:00', '12:00', '18:00', 'Oct 28']],
    ['UTC', '2030-01-10T00:00Z', '2030-12-20T00:00Z', 6, ['Mar 1', 'May 1', 'Jul 1', 'Sep 1', 'Nov 1']],
  ] as const) {
    test(`${from} to ${to} in ${zone}`, () => expect(textsIn(zone, from, to, countMax)).toEqual([...texts]));
  }
});

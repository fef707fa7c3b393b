/** Proves that a range survives the address, and that a broken address still means something. */

import { afterEach, describe, expect, test } from 'bun:test';
import {
  boundsOf,
  type CalendarName,
  calendarNames,
  fieldText,
  isShownByDay,
  isUpToNow,
  rangeBetween,
  rangeDefault,
  rangeKey,
  rangeNames,
  rangeOfText,
  rangeQuery,
  rangeText,
  rangeWords,
  readRange,
} from './range.ts';

const nowMs = Date.UTC(2030, 0, 31, 12, 0);

function addressed(words: Readonly<Record<string, string | undefined>>): URLSearchParams {
  return new URLSearchParams(
    Object.entries(words).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

describe('a range', () => {
  for (const name of rangeNames) {
    test(`of the last ${name} comes back from the address`, () => {
      const range = { kind: 'last', name } as const;
      expect(readRange(addressed(rangeWords(range)))).toEqual(range);
      expect(rangeKey(range, nowMs)).toBe(name);
    });
  }

  test('between two moments comes back from the address', () => {
    const range = { kind: 'between', fromMs: nowMs - 5_000, toMs: nowMs } as const;
    expect(readRange(addressed(rangeWords(range)))).toEqual(range);
    expect(rangeQuery(range, 0)).toEqual([
      ['from', `${nowMs - 5_000}`],
      ['to', `${nowMs}`],
    ]);
  });

  test('up to now leaves its end to the server', () => {
    expect(rangeQuery({ kind: 'last', name: '1h' }, nowMs)).toEqual([['from', `${nowMs - 3_600_000}`]]);
  });

  for (const query of ['', 'range=5y', 'from=2030-01-02&to=2030-01-01', 'from=x&to=y', 'from=2030-01-01']) {
    test(`is the usual one for “${query}”`, () => expect(readRange(new URLSearchParams(query))).toEqual(rangeDefault));
  }
});

describe('a range by hand', () => {
  test('is read as it is shown', () => {
    const { fromMs, toMs } = boundsOf({ kind: 'last', name: '24h' }, nowMs);
    expect(rangeBetween(fieldText(fromMs), fieldText(toMs))).toEqual({ kind: 'between', fromMs, toMs });
  });

  test('must end after it began', () => {
    expect(rangeBetween('2030-01-02T00:00', '2030-01-01T00:00')).toBeUndefined();
    expect(rangeBetween('', '2030-01-01T00:00')).toBeUndefined();
  });
});

describe('a calendar range', () => {
  const zoneBefore = process.env['TZ'];
  afterEach(() => {
    process.env['TZ'] = zoneBefore ?? 'UTC';
  });

  const boundsIn = (zone: string, name: CalendarName, now: string) => {
    process.env['TZ'] = zone;
    const { fromMs, toMs } = boundsOf({ kind: 'calendar', name }, Date.parse(now));
    return [new Date(fromMs).toISOString(), new Date(toMs).toISOString()];
  };

  for (const name of calendarNames) {
    test(`${name} comes back from the URL`, () => {
      expect(readRange(addressed(rangeWords({ kind: 'calendar', name })))).toEqual({ kind: 'calendar', name });
    });
  }

  for (const [zone, name, now, from, to] of [
    ['UTC', 'today', '2030-03-15T09:30:00Z', '2030-03-15T00:00:00.000Z', '2030-03-15T09:30:00.000Z'],
    ['Asia/Shanghai', 'today', '2030-03-15T20:00:00Z', '2030-03-15T16:00:00.000Z', '2030-03-15T20:00:00.000Z'],
    ['Asia/Shanghai', 'last-month', '2030-03-01T00:00:00Z', '2030-01-31T16:00:00.000Z', '2030-02-28T16:00:00.000Z'],
    ['America/New_York', 'this-month', '2030-03-01T04:00:00Z', '2030-02-01T05:00:00.000Z', '2030-03-01T04:00:00.000Z'],
    ['UTC', 'last-month', '2030-01-31T12:00:00Z', '2029-12-01T00:00:00.000Z', '2030-01-01T00:00:00.000Z'],
    // Clocks are set forward on March 31 and back on October 27.
    ['Europe/Berlin', 'yesterday', '2030-04-01T10:00:00Z', '2030-03-30T23:00:00.000Z', '2030-03-31T22:00:00.000Z'],
    ['Europe/Berlin', 'yesterday', '2030-10-28T10:00:00Z', '2030-10-26T22:00:00.000Z', '2030-10-27T23:00:00.000Z'],
    ['Europe/Berlin', 'last-month', '2030-04-10T10:00:00Z', '2030-02-28T23:00:00.000Z', '2030-03-31T22:00:00.000Z'],
  ] as const) {
    test(`${name} in ${zone} at ${now}`, () => expect(boundsIn(zone, name, now)).toEqual([from, to]));
  }

  test('ends now or is over', () => {
    expect(calendarNames.filter((name) => isUpToNow({ kind: 'calendar', name }))).toEqual(['today', 'this-month']);
    expect(rangeQuery({ kind: 'calendar', name: 'today' }, nowMs).map(([word]) => word)).toEqual(['from']);
    expect(rangeQuery({ kind: 'calendar', name: 'yesterday' }, nowMs).map(([word]) => word)).toEqual(['from', 'to']);
  });

  test('is never empty, not even at midnight', () => {
    const midnightMs = new Date(2030, 0, 1).getTime();
    const [[, from] = [], [, to] = []] = rangeQuery({ kind: 'calendar', name: 'today' }, midnightMs);
    expect(Number(to) - Number(from)).toBe(60_000);
  });

  test('of another day is kept under another key', () => {
    const keys = [0, 1].map((days) => rangeKey({ kind: 'calendar', name: 'today' }, nowMs + days * 86_400_000));
    expect(new Set(keys).size).toBe(2);
  });
});

test('a range survives as one word', () => {
  for (const range of [
    { kind: 'last', name: '24h' },
    { kind: 'calendar', name: 'last-month' },
    { kind: 'between', fromMs: nowMs - 1_000, toMs: nowMs },
  ] as const) {
    expect(rangeOfText(rangeText(range))).toEqual(range);
  }
});

test('several days are shown by the day, others as their length wants', () => {
  const byDay = rangeNames.filter((name) => isShownByDay({ kind: 'last', name }, nowMs));
  expect(byDay).toEqual(['7d']);
});

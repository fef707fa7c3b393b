/** Proves that a range survives the address, and that a broken address still means something. */

import { describe, expect, test } from 'bun:test';
import {
  boundsOf,
  fieldText,
  rangeBetween,
  rangeDefault,
  rangeKey,
  rangeNames,
  rangeQuery,
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
      expect(rangeKey(range)).toBe(name);
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

/** Proves that a change is said as it is, and that nothing is compared with nothing. */

import { describe, expect, test } from 'bun:test';
import { changeOf, errorShare, pointsBetween } from './change.ts';

describe('a change', () => {
  for (const [now, before, change] of [
    [110, 100, { kind: 'more', share: 0.1 }],
    [50, 100, { kind: 'less', share: 0.5 }],
    [0, 100, { kind: 'less', share: 1 }],
    [100, 100, { kind: 'same' }],
    [100_001, 100_000, { kind: 'same' }],
    [0, 0, { kind: 'same' }],
    [5, 0, { kind: 'none' }],
  ] as const) {
    test(`from ${before} to ${now}`, () => {
      const found = changeOf(now, before);
      expect(found.kind).toBe(change.kind);
      if ('share' in change && 'share' in found) expect(found.share).toBeCloseTo(change.share);
    });
  }
});

describe('a change of shares', () => {
  test('is counted in points', () => {
    const change = pointsBetween(0.02, 0.01);
    expect(change.kind).toBe('more');
    expect('share' in change && change.share).toBeCloseTo(0.01);
  });
  test('is none where nothing was asked before', () => expect(pointsBetween(0.5, undefined)).toEqual({ kind: 'none' }));
  test('of nothing is nothing', () => expect(errorShare({ requests: 0, failures: 0 })).toBe(0));
});

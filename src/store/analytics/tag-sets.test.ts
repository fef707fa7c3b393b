/** Which sets of tags a period keeps: what is common stays itself beside tags that are not. */

import { expect, test } from 'bun:test';
import { keptSets, tagsIn } from './tag-sets.ts';

const sum = (tags: string, costNano: bigint, requests = 1) => ({ tags, costNano, requests });

test('few tags stay as they are', () => {
  const sets = keptSets([sum(',a,b,', 5n), sum(',a,', 1n), sum(',a,', 2n)]);
  expect([...sets]).toEqual([
    [',a,b,', ',a,b,'],
    [',a,', ',a,'],
  ]);
  expect([tagsIn(''), tagsIn(',a,b,')]).toEqual([[], ['a', 'b']]);
});

test('beyond the most, the smallest tags are the others, and the rest of their set stays', () => {
  const many = Array.from({ length: 50 }, (_, at) => sum(`,nightly,run-${at},`, BigInt(at)));
  const sets = keptSets(many, 2);
  expect(sets.get(',nightly,run-49,')).toBe(',nightly,run-49,');
  expect(sets.get(',nightly,run-0,')).toBe(',nightly,(others),');
  expect(new Set(sets.values()).size).toBe(2);
});

test('sets are bounded too', () => {
  const pairs = Array.from({ length: 60 }, (_, one) =>
    Array.from({ length: 60 }, (_, other) => sum(`,a${one},b${other},`, BigInt(one * 60 + other))),
  ).flat();
  const sets = keptSets(pairs);
  expect(sets.get(',a59,b59,')).toBe(',a59,b59,');
  expect(sets.get(',a0,b0,')).toBe(',(others),');
  expect(new Set(sets.values()).size).toBe(1_001);
});

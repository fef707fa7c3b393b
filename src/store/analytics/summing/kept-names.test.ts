/** Which sets of tags a period keeps: what is common stays itself beside tags that are not. */

import { expect, test } from 'bun:test';
import { tagsIn } from '../tag-sets.ts';
import { type NameShare, NameTally, setKeeper } from './kept-names.ts';

const share = (name: string, costNano: number, requests = 1): NameShare => [name, `${costNano}`, requests];

function tallied(shares: readonly NameShare[], max?: number): NameTally {
  const tally = new NameTally(max);
  tally.add(shares);
  return tally;
}

const keptOf = (shares: readonly NameShare[], tagsMax?: number): ReadonlyMap<string, string> => {
  const keep = setKeeper(tallied(shares), tagsMax);
  return new Map(shares.map(([set]) => [set, keep(set)]));
};

test('few tags stay as they are', () => {
  const sets = keptOf([share(',a,b,', 5), share(',a,', 1), share(',a,', 2)]);
  expect([...sets]).toEqual([
    [',a,b,', ',a,b,'],
    [',a,', ',a,'],
  ]);
  expect([tagsIn(''), tagsIn(',a,b,')]).toEqual([[], ['a', 'b']]);
});

test('beyond the most, the smallest tags are the others, and the rest of their set stays', () => {
  const many = Array.from({ length: 50 }, (_, at) => share(`,nightly,run-${at},`, at));
  const sets = keptOf(many, 2);
  expect(sets.get(',nightly,run-49,')).toBe(',nightly,run-49,');
  expect(sets.get(',nightly,run-0,')).toBe(',nightly,(others),');
  expect(new Set(sets.values()).size).toBe(2);
  // A set that no slice named is judged by the same tags.
  expect(setKeeper(tallied(many), 2)(',nightly,run-99,')).toBe(',nightly,(others),');
});

test('sets are bounded too', () => {
  const pairs = Array.from({ length: 60 }, (_, one) =>
    Array.from({ length: 60 }, (_, other) => share(`,a${one},b${other},`, one * 60 + other)),
  ).flat();
  const sets = keptOf(pairs);
  expect(sets.get(',a59,b59,')).toBe(',a59,b59,');
  expect(sets.get(',a0,b0,')).toBe(',(others),');
  expect(new Set(sets.values()).size).toBe(1_001);
});

test('what slices add up to decides, and of equal costs the requests, then the name', () => {
  const tally = tallied([share('a', 3), share('b', 5), share('c', 5, 2), share('d', 1)]);
  tally.add([share('d', 9)]);
  expect([...tally.largest(3)]).toEqual(['d', 'c', 'b']);
  expect(tally.largest(9).size).toBe(4);
});

test('a tally forgets what cost least where callers make up names without end', () => {
  const tally = new NameTally(100);
  for (let slice = 0; slice < 50; slice += 1) {
    tally.add([share('much', 1_000), ...Array.from({ length: 30 }, (_, at) => share(`${slice}-${at}`, 1))]);
    expect(tally.sums().length).toBeLessThanOrEqual(100);
  }
  expect([...tally.largest(1)]).toEqual(['much']);
  expect(tally.sums().find(({ name }) => name === 'much')?.costNano).toBe(50_000n);
});

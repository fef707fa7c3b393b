/** Proves that a roster behaves like a set: random additions and removals beside a real one. */

import { expect, test } from 'bun:test';
import { Roster } from './roster.ts';

test('holds what a set would hold', () => {
  const roster = new Roster<string>();
  const set = new Set<string>();
  let state = 7;
  const below = (limit: number): number => {
    state = (state * 48_271) % 2_147_483_647;
    return state % limit;
  };
  for (let step = 0; step < 20_000; step++) {
    const item = `item ${below(50)}`;
    if (below(2) === 0) expect(roster.delete(item)).toBe(set.delete(item));
    else if (!roster.has(item)) {
      roster.add(item);
      set.add(item);
    }
    expect([roster.size, roster.has(item)]).toEqual([set.size, set.has(item)]);
  }
  expect(roster.all().toSorted()).toEqual([...set].toSorted());
});

test('a returned list does not change when an item is removed', () => {
  const roster = new Roster<object>();
  const [first, second, third] = [{}, {}, {}];
  for (const each of [first, second, third]) roster.add(each);
  const listed = roster.all();
  roster.delete(first);
  expect(listed).toEqual([first, second, third]);
  expect(roster.all()).toHaveLength(2);
});

/** Proves what every press in the picture of a route does to the entry that is saved. */

import { describe, expect, test } from 'bun:test';
import type { RouteEntry } from '../../../../admin/contracts/configuration-contract.ts';
import {
  addTarget,
  changeTarget,
  draftOf,
  entryOf,
  moveTarget,
  removeTarget,
  shareOf,
  stepWeight,
  tierOf,
} from './route-draft.ts';

const entry: RouteEntry = {
  targets: [
    { provider: 'a', model: 'one', weight: 3 },
    { provider: 'b', model: 'two', tier: 10, only: { region: 'eu' } },
    { provider: 'c', model: 'three' },
  ],
  choose: 'fastest',
  moderation: 'both',
};
const names = (draft: ReturnType<typeof draftOf>) => draft.tiers.map((tier) => tier.map(({ provider }) => provider));

describe('a draft', () => {
  test('holds tiers in their order, whatever their numbers, and says only what does not hold anyway', () => {
    const draft = draftOf(entry);
    expect(names(draft)).toEqual([['a', 'c'], ['b']]);
    expect(entryOf(draft)).toEqual({
      targets: [
        { provider: 'a', model: 'one', weight: 3 },
        { provider: 'c', model: 'three' },
        { provider: 'b', model: 'two', tier: 1, only: { region: 'eu' } },
      ],
      choose: 'fastest',
      moderation: 'both',
    });
    expect(entryOf({ ...draft, choose: 'weighted', affinity: false, moderation: undefined })).toMatchObject({
      affinity: false,
    });
  });

  test('moves a target into another tier, or into one that is made for it, and an empty tier goes', () => {
    const draft = draftOf(entry);
    expect(names(moveTarget(draft, 't0', 1))).toEqual([['c'], ['b', 'a']]);
    expect(names(moveTarget(draft, 't0', 2))).toEqual([['c'], ['b'], ['a']]);
    expect(names(moveTarget(draft, 't2', -1))).toEqual([['c'], ['a'], ['b']]);
    expect(names(moveTarget(draft, 't1', 0))).toEqual([['a', 'c', 'b']]);
    // The only one of the last tier cannot go further: a tier behind it would be the same tier.
    expect(names(moveTarget(draft, 't1', 2))).toEqual([['a', 'c'], ['b']]);
    expect(moveTarget(draft, 't0', 0)).toBe(draft);
    expect(moveTarget(draft, 'gone', 1)).toBe(draft);
  });

  test('adds under a name of its own, changes, removes', () => {
    const { draft, id } = addTarget(removeTarget(draftOf(entry), 't0'), { provider: 'd', model: 'four' });
    // As a fallback of what is there.
    expect(names(draft)).toEqual([['c'], ['b'], ['d']]);
    expect(['t1', 't2']).not.toContain(id);
    expect(tierOf(draft, id)).toBe(2);
    expect(entryOf(changeTarget(draft, id, { provider: 'd', model: 'five', weight: 2 })).targets[2]).toEqual({
      provider: 'd',
      model: 'five',
      weight: 2,
      tier: 2,
    });
    const empty = addTarget({ ...draft, tiers: [] }, { provider: 'e', model: 'six' });
    expect(names(empty.draft)).toEqual([['e']]);
  });
});

describe('weights', () => {
  test('go by ones above one and by halves below, and never to nothing', () => {
    expect([1, 2, 0.5].map((weight) => stepWeight(weight, 1))).toEqual([2, 3, 1]);
    expect([1, 3, 0.5].map((weight) => stepWeight(weight, -1))).toEqual([0.5, 2, 0.25]);
    expect(stepWeight(0.01, -1)).toBe(0.01);
    expect(stepWeight(1_000_000, 1)).toBe(1_000_000);
  });

  test('are shares of their tier', () => {
    const [tier = []] = draftOf(entry).tiers;
    expect(tier.map((target) => shareOf(target, tier))).toEqual([0.75, 0.25]);
  });
});

import { describe, expect, test } from 'bun:test';
import type { Price } from '../prices/price.ts';
import { zeroPrice } from '../prices/prices.ts';
import { brokenUse, completeUse, fullUse, likelyUse, prices } from './use.ts';

const free = zeroPrice('test');
const byImage: Price = { ...free, units: { images: 1n } };
const byMinute: Price = { ...free, units: { seconds: 1n } };
const byCharacter: Price = { ...free, units: { characters: 1n } };
const byToken: Price = { ...free, input: { nanoPerMillion: 1n, tiers: [] } };
const tokens = { input: { total: 400 }, output: { total: 100 } };

describe('what is charged', () => {
  test('is what was reported, and then nothing is estimated', () => {
    expect(completeUse(byImage, { images: 2 }, { images: 5 })).toEqual({ used: { images: 2 }, estimated: false });
    expect(completeUse(byToken, { tokens, images: 0 }, { tokens, images: 5 })).toEqual({
      used: { tokens, images: 0 },
      estimated: false,
    });
  });

  test('is what was asked for where it has a price and no use was reported, and is marked as an estimate', () => {
    expect(completeUse(byImage, {}, { images: 5 })).toEqual({ used: { images: 5 }, estimated: true });
    expect(completeUse(byMinute, { tokens }, { seconds: 80 })).toEqual({
      used: { tokens, seconds: 10 },
      estimated: true,
    });
    expect(completeUse(byToken, { images: 1 }, { images: 1, tokens })).toEqual({
      used: { images: 1, tokens: { input: { total: 100 }, output: { total: 50 } } },
      estimated: true,
    });
  });

  test('is the most where that is asked for, apart from the length of uploaded audio', () => {
    expect(completeUse(byToken, {}, { tokens }, fullUse)).toEqual({ used: { tokens }, estimated: true });
    expect(completeUse(byMinute, {}, { seconds: 80 }, fullUse).used).toEqual({ seconds: 10 });
  });

  test('is exact where the request itself was counted', () => {
    expect(completeUse(byCharacter, {}, { characters: 7 })).toEqual({ used: { characters: 7 }, estimated: false });
  });

  test('is not guessed where it costs nothing', () => {
    expect(completeUse(free, {}, { images: 5, tokens })).toEqual({ used: {}, estimated: false });
    expect(completeUse(byImage, { images: 1 }, { images: 1, tokens })).toEqual({
      used: { images: 1 },
      estimated: false,
    });
  });
});

test('a reply that broke off is charged at least what was likely of what was asked for', () => {
  expect(brokenUse(byImage, { images: 1 }, { images: 3 })).toEqual({ used: { images: 3 }, estimated: true });
  expect(brokenUse(byImage, { images: 3 }, { images: 3 })).toEqual({ used: { images: 3 }, estimated: false });
  expect(brokenUse(byCharacter, {}, { characters: 7 })).toEqual({ used: { characters: 7 }, estimated: false });
  const few = { input: { total: 1 }, output: { total: 1 } };
  expect(brokenUse(byToken, { tokens: few }, { tokens })).toEqual({
    used: { tokens: { input: { total: 100 }, output: { total: 50 } } },
    estimated: true,
  });
});

test('what is likely is never more than the most there can be', () => {
  const most = { images: 3, characters: 9, searches: 2, seconds: 801, tokens };
  expect(likelyUse(most)).toEqual({
    images: 3,
    characters: 9,
    searches: 2,
    seconds: 101,
    tokens: { input: { total: 100 }, output: { total: 50 } },
  });
  expect(likelyUse({})).toEqual({});
});

test('a price in other units than a call has does not price it', () => {
  expect(prices(byMinute, { images: 1, tokens })).toBe(false);
  expect(prices(byImage, { images: 1, tokens })).toBe(true);
  expect(prices(byToken, { images: 1, tokens })).toBe(true);
  expect(prices(free, { images: 1 })).toBe(true);
});

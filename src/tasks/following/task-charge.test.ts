/** What a task costs, by data alone: as reported, as ordered where nothing was reported, and as estimated where usage is unknown. */

import { describe, expect, test } from 'bun:test';
import type { Price } from '../../prices/price.ts';
import { readPrice, writePrice } from '../../prices/price-text.ts';
import type { TaskTerms } from '../task.ts';
import { costOfFailure, costOfMade, estimateOf } from './task-charge.ts';

const none = { nanoPerMillion: 0n, tiers: [] };
const price: Price = {
  version: 'operator',
  input: none,
  output: { nanoPerMillion: 12_345_678_901_234_567_890n, tiers: [{ aboveInputTokens: 5, nanoPerMillion: 1n }] },
  cacheRead: undefined,
  cacheWrite: none,
  inputAudio: undefined,
  outputAudio: undefined,
  units: { videoSeconds: 100_000_000n * 1_000_000n, videos: 7n * 1_000_000n },
};
const perSecond: Price = { ...price, output: none, units: { videoSeconds: 100_000_000n * 1_000_000n } };
const perToken: Price = { ...price, output: { nanoPerMillion: 2_000_000_000n, tiers: [] }, units: {} };

function terms(given: Price | undefined, seconds?: number): { readonly terms: TaskTerms } {
  return {
    terms: {
      endpoint: 'videos',
      bytesIn: 1,
      attempts: 1,
      priceVersion: 'operator',
      ...(given !== undefined && { price: writePrice(given) }),
      most: { videos: 2, videoSeconds: 16, tokens: { input: { total: 0 }, output: { total: 1_000 } } },
      ...(seconds !== undefined && { seconds }),
    },
  };
}

describe('a price in a row', () => {
  test('keeps every digit', () => {
    const back = readPrice(writePrice(price));
    expect(back).toEqual(price);
    expect(back.output.nanoPerMillion).toBe(12_345_678_901_234_567_890n);
  });
});

describe('what was made', () => {
  test('costs what the provider reports', () => {
    const cost = costOfMade(terms(perSecond, 8), { videos: 1, videoSeconds: 6 }, { seconds: 9 }, 1);
    expect(cost).toMatchObject({ costNano: 600_000_000n, estimated: false });
  });

  test('costs what the file says, then what was ordered, each times the videos that there are', () => {
    expect(costOfMade(terms(perSecond, 8), { videos: 2 }, { seconds: 5 }, 2).costNano).toBe(1_000_000_000n);
    expect(costOfMade(terms(perSecond, 8), { videos: 2 }, {}, 2)).toMatchObject({
      costNano: 1_600_000_000n,
      estimated: false,
    });
  });

  test('is the bound and says so where no length was reported', () => {
    expect(costOfMade(terms(perSecond), {}, {}, 1)).toMatchObject({ costNano: 1_600_000_000n, estimated: true });
  });

  test('is billed in tokens where it is sold by them', () => {
    const tokens = { input: { total: 0 }, output: { total: 3_000 } };
    const cost = costOfMade(terms(perToken, 8), { videos: 1, tokens }, {}, 1);
    expect(cost).toMatchObject({ costNano: 6_000_000n, estimated: false, usage: tokens });
    // Half of the most that there can be.
    expect(costOfMade(terms(perToken, 8), { videos: 1 }, {}, 1)).toMatchObject({
      costNano: 1_000_000n,
      estimated: true,
    });
  });

  test('has its usage where no price is known, or only one in other units', () => {
    expect(costOfMade(terms(undefined, 8), { videos: 1 }, {}, 1)).toMatchObject({
      costNano: 0n,
      estimated: false,
      used: { videos: 1, videoSeconds: 8 },
    });
    const perImage: Price = { ...price, output: none, units: { images: 5n } };
    expect(costOfMade(terms(perImage, 8), { videos: 1 }, {}, 1)).toMatchObject({ costNano: 0n, unpriced: true });
    expect(costOfMade(terms(perSecond, 8), { videos: 1 }, {}, 1)).not.toHaveProperty('unpriced');
  });
});

test('a failure costs what the provider reports, and nothing where it reports nothing', () => {
  expect(costOfFailure(terms(perSecond, 8), undefined)).toMatchObject({ costNano: 0n, estimated: false });
  expect(costOfFailure(terms(perSecond, 8), { videoSeconds: 3 })).toMatchObject({ costNano: 300_000_000n });
  expect(costOfFailure(terms(undefined, 8), { videoSeconds: 3 }).costNano).toBe(0n);
});

test('an estimate is all that was ordered, and says that it is one', () => {
  expect(estimateOf(terms(perSecond, 8))).toMatchObject({ costNano: 1_600_000_000n, estimated: true });
  expect(estimateOf(terms(perToken))).toMatchObject({ costNano: 1_000_000n, estimated: true });
});

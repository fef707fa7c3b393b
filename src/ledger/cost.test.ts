import { describe, expect, test } from 'bun:test';
import type { Usage } from '../conversation/usage.ts';
import type { Price, Rate } from '../prices/price.ts';
import { boundOf, costOf, unitCostOf } from './cost.ts';

const flat = (usdPerMillion: number): Rate => ({ nanoPerMillion: BigInt(usdPerMillion * 1e9), tiers: [] });

const price: Price = {
  version: 'test',
  input: flat(2),
  output: flat(8),
  cacheRead: flat(0.5),
  cacheWrite: flat(2.5),
  inputAudio: flat(32),
  outputAudio: flat(64),
};

describe('costOf', () => {
  test('charges cached tokens as part of the total, not on top of it', () => {
    const usage = { input: { total: 1_000, cacheRead: 600, cacheWrite: 100 }, output: { total: 50 } };
    // 300 × 2,000 + 600 × 500 + 100 × 2,500 + 50 × 8,000 nano-USD
    expect(costOf(price, usage)).toBe(1_550_000n);
  });

  test('charges cached tokens as input where they have no price of their own', () => {
    const plain = { ...price, cacheRead: undefined, cacheWrite: undefined };
    expect(costOf(plain, { input: { total: 100, cacheRead: 60, cacheWrite: 10 }, output: {} })).toBe(200_000n);
  });

  test('charges audio apart where it is priced', () => {
    const usage = { input: { total: 100, audio: 40 }, output: { total: 30, audio: 20 } };
    expect(costOf(price, usage)).toBe(60n * 2_000n + 40n * 32_000n + 10n * 8_000n + 20n * 64_000n);
    const plain = { ...price, inputAudio: undefined, outputAudio: undefined };
    expect(costOf(plain, usage)).toBe(100n * 2_000n + 30n * 8_000n);
  });

  test('rounds up once, at the end', () => {
    const tiny: Rate = { nanoPerMillion: 1n, tiers: [] };
    const cheap = { ...price, input: tiny, output: tiny, cacheRead: tiny };
    expect(costOf(cheap, { input: { total: 3, cacheRead: 1 }, output: { total: 1 } })).toBe(1n);
    expect(costOf(cheap, { input: { total: 999_999 }, output: { total: 1 } })).toBe(1n);
    expect(costOf(cheap, { input: { total: 999_999 }, output: { total: 2 } })).toBe(2n);
  });

  test('takes the tier by the whole input, above its edge and not at it', () => {
    const tier = (above: number, usd: number) => ({ aboveInputTokens: above, nanoPerMillion: BigInt(usd * 1e9) });
    const tiered = {
      ...price,
      input: { ...price.input, tiers: [tier(200, 4), tier(400, 6)] },
      output: { ...price.output, tiers: [tier(200, 16)] },
    };
    expect(costOf(tiered, { input: { total: 200 }, output: { total: 1 } })).toBe(200n * 2_000n + 8_000n);
    expect(costOf(tiered, { input: { total: 201 }, output: { total: 1 } })).toBe(201n * 4_000n + 16_000n);
    expect(costOf(tiered, { input: { total: 401, cacheRead: 401 }, output: {} })).toBe(401n * 500n);
  });

  test('is never negative, whatever a provider reports', () => {
    expect(costOf(price, { input: { total: -5, cacheRead: 9 }, output: { total: Number.NaN } })).toBe(0n);
    expect(costOf(price, { input: { total: 10, cacheRead: 50, cacheWrite: 50 }, output: {} })).toBe(5_000n);
    expect(costOf(price, { input: { total: Number.POSITIVE_INFINITY }, output: {} })).toBe(0n);
    expect(costOf(price, { input: {}, output: {} })).toBe(0n);
  });

  test('adds up the parts where no total is given', () => {
    expect(costOf(price, { input: { fresh: 10, cacheRead: 4 }, output: { text: 3, thinking: 2 } })).toBe(
      10n * 2_000n + 4n * 500n + 5n * 8_000n,
    );
  });
});

describe('unitCostOf', () => {
  /** $0.04 an image, $0.01 a minute, $15 a million characters, $2 a thousand searches. */
  const units = {
    images: 40_000_000_000_000n,
    seconds: 10_000_000_000_000n,
    characters: 15_000_000_000n,
    searches: 2_000_000_000_000n,
  };
  const sold: Price = { ...price, units };

  test('charges each unit at its price, and all of them together', () => {
    expect(unitCostOf(sold, { images: 3 })).toBe(120_000_000n);
    expect(unitCostOf(sold, { seconds: 60 })).toBe(10_000_000n);
    expect(unitCostOf(sold, { characters: 1_000 })).toBe(15_000_000n);
    expect(unitCostOf(sold, { searches: 2 })).toBe(4_000_000n);
    expect(unitCostOf(sold, { images: 3, seconds: 60, characters: 1_000, searches: 2 })).toBe(149_000_000n);
  });

  test('rounds up once, at the end: sixty seconds are a minute however they were divided', () => {
    const third: Price = { ...price, units: { seconds: 10_000_000n } };
    expect(unitCostOf(third, { seconds: 1 })).toBe(1n);
    expect(unitCostOf(third, { seconds: 6 })).toBe(1n);
    expect(unitCostOf(third, { seconds: 60 })).toBe(10n);
    const two: Price = { ...price, units: { seconds: 30_000_000n, images: 500_000n } };
    expect(unitCostOf(two, { seconds: 1, images: 1 })).toBe(1n);
  });

  test('counts fractions of a second to the thousandth, and none that only a float has', () => {
    const whole: Price = { ...price, units: { seconds: 60_000_000_000n } };
    for (const seconds of [2.007, 2.011, 2.035, 1.1, 9.95, 1.001, 0.07])
      expect([seconds, unitCostOf(whole, { seconds })]).toEqual([seconds, BigInt(Math.round(seconds * 1_000))]);
    expect(unitCostOf(whole, { seconds: 1.000_4 })).toBe(1_001n);
  });

  test('is never negative, and nothing where nothing is priced or counted', () => {
    const { units: _, ...plain } = sold;
    for (const odd of [-1, 0, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, undefined])
      expect(unitCostOf(sold, { images: odd, seconds: odd, characters: odd, searches: odd })).toBe(0n);
    expect(unitCostOf(sold, {})).toBe(0n);
    expect(unitCostOf(sold, undefined)).toBe(0n);
    expect(unitCostOf(plain, { images: 5 })).toBe(0n);
    expect(unitCostOf({ ...plain, units: { images: 1_000_000n } }, { seconds: 5 })).toBe(0n);
  });

  test('of more is never less', () => {
    for (let seconds = 0; seconds < 20; seconds += 0.037)
      expect(unitCostOf(sold, { seconds }) <= unitCostOf(sold, { seconds: seconds + 0.037 })).toBe(true);
  });
});

test('the bound is never below the cost of any usage within its counts', () => {
  let state = 7;
  const below = (limit: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return Math.floor((state / 0x80000000) * limit);
  };
  const rate = (): Rate => ({
    nanoPerMillion: BigInt(below(50_000_000_000)),
    tiers: Array.from({ length: below(3) }, (_, index) => ({
      aboveInputTokens: 100 * (index + 1) + below(100),
      nanoPerMillion: BigInt(below(90_000_000_000)),
    })),
  });
  const perhaps = <Value>(value: Value): Value | undefined => (below(3) === 0 ? undefined : value);
  for (let round = 0; round < 20_000; round += 1) {
    const any: Price = {
      version: 'random',
      input: rate(),
      output: rate(),
      cacheRead: perhaps(rate()),
      cacheWrite: perhaps(rate()),
      inputAudio: perhaps(rate()),
      outputAudio: perhaps(rate()),
    };
    const inputTokensMax = below(500);
    const outputTokensMax = below(500);
    const total = below(inputTokensMax + 1);
    const output = below(outputTokensMax + 1);
    const usage: Usage = {
      input: { total, cacheRead: below(600), cacheWrite: below(600), audio: below(600) },
      output: { total: output, audio: below(600) },
    };
    const bound = boundOf(any, { inputTokensMax, outputTokensMax });
    if (costOf(any, usage) > bound) throw new Error(`bound ${bound} < ${costOf(any, usage)} in round ${round}`);
  }
  // The bound is reached: it is not merely large.
  expect(boundOf(price, { inputTokensMax: 10, outputTokensMax: 10 })).toBe(
    costOf(price, { input: { total: 10, audio: 10 }, output: { total: 10, audio: 10 } }),
  );
});

import { describe, expect, test } from 'bun:test';
import type { Usage } from '../conversation/usage.ts';
import { type Price, type Rate, type TokenRates, tokenRateNames } from '../prices/price.ts';
import { boundOf, conversationUnits, costOf, guessesCost, unitBoundOf, unitCostOf } from './cost.ts';
import { costLines } from './cost-lines.ts';

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

describe('every class of tokens', () => {
  const rates = {
    cacheWrite1h: flat(4),
    inputImage: flat(3),
    inputVideo: flat(5),
    cachedAudio: flat(1),
    cachedImage: flat(0.7),
    cachedVideo: flat(0.9),
    thinking: flat(9),
    outputImage: flat(40),
    outputVideo: flat(50),
  };
  const all: Price = { ...price, ...rates };
  const input = (counts: Usage['input']): bigint =>
    costOf(all, { input: { total: 1_000, ...counts }, output: { total: 0 } });
  const output = (counts: Usage['output']): bigint =>
    costOf(all, { input: { total: 0 }, output: { total: 1_000, ...counts } });

  test('costs its own rate, and the rest of the total the plain one', () => {
    expect(input({ image: 100 })).toBe(900n * 2_000n + 100n * 3_000n);
    expect(input({ video: 100 })).toBe(900n * 2_000n + 100n * 5_000n);
    expect(input({ cacheWrite: 100, cacheWrite1h: 60 })).toBe(900n * 2_000n + 40n * 2_500n + 60n * 4_000n);
    expect(input({ cacheRead: 100, audio: 80, cachedAudio: 60 })).toBe(
      880n * 2_000n + 40n * 500n + 60n * 1_000n + 20n * 32_000n,
    );
    expect(input({ cacheRead: 100, image: 50, cachedImage: 50 })).toBe(900n * 2_000n + 50n * 500n + 50n * 700n);
    expect(input({ cacheRead: 100, video: 50, cachedVideo: 50 })).toBe(900n * 2_000n + 50n * 500n + 50n * 900n);
    expect(output({ image: 100 })).toBe(900n * 8_000n + 100n * 40_000n);
    expect(output({ video: 100 })).toBe(900n * 8_000n + 100n * 50_000n);
    expect(output({ thinking: 100 })).toBe(900n * 8_000n + 100n * 9_000n);
  });

  test('without a rate costs what the class costs that it is part of', () => {
    const counts = { total: 100, cacheRead: 40, cacheWrite: 20, cacheWrite1h: 20, image: 10, cachedAudio: 5 };
    expect(costOf(price, { input: counts, output: { total: 0 } })).toBe(40n * 2_000n + 40n * 500n + 20n * 2_500n);
    expect(costOf(price, { input: { total: 0 }, output: { total: 10, image: 5, thinking: 3 } })).toBe(10n * 8_000n);
  });

  test('is served by the tier that the provider says, where that has rates', () => {
    const tiers = { flex: { input: flat(1), output: flat(4), cacheRead: undefined }, priority: { input: flat(4) } };
    const tiered: Price = { ...all, serviceTiers: tiers };
    const cost = (serviceTier?: Usage['serviceTier']) =>
      costOf(tiered, { input: { total: 100, cacheRead: 40 }, output: { total: 10 }, serviceTier });
    expect(cost()).toBe(60n * 2_000n + 40n * 500n + 10n * 8_000n);
    // A rate that a tier leaves out is that of the price, also where it is there without a value.
    expect(cost('flex')).toBe(60n * 1_000n + 40n * 500n + 10n * 4_000n);
    expect(cost('priority')).toBe(60n * 4_000n + 40n * 500n + 10n * 8_000n);
    expect(cost('fast')).toBe(cost('priority'));
    expect(cost('batch')).toBe(cost());
    // A tier without rates is charged as the standard one, and that is called an estimate.
    const isGuess = (serviceTier?: Usage['serviceTier']) => guessesCost(tiered, { input: {}, output: {}, serviceTier });
    expect([isGuess(), isGuess('flex'), isGuess('fast'), isGuess('batch')]).toEqual([false, false, false, true]);
    expect(guessesCost(all, { input: {}, output: {}, serviceTier: 'priority' })).toBe(true);
    const free: Price = { version: 'free', input: flat(0), output: flat(0) };
    expect(guessesCost(free, { input: {}, output: {}, serviceTier: 'priority' })).toBe(false);
    const shared: Price = { ...tiered, cacheRead: flat(0.25) };
    expect(costOf(shared, { input: { total: 4, cacheRead: 4 }, output: { total: 0 }, serviceTier: 'flex' })).toBe(
      1_000n,
    );
  });

  test('images bound the output apart from its text, and a request may rule the expensive tier out', () => {
    const images: Price = {
      ...price,
      outputAudio: undefined,
      outputImage: flat(40),
      serviceTiers: { priority: { output: flat(80) } },
    };
    const bound = (counts: object) => boundOf(images, { inputTokensMax: 0, outputTokensMax: 1_000, ...counts });
    expect(bound({})).toBe(1_000n * 80_000n);
    expect(bound({ neverPriority: true })).toBe(1_000n * 40_000n);
    expect(bound({ neverPriority: true, imageTokensMax: 100 })).toBe(100n * 40_000n + 900n * 8_000n);
    expect(bound({ neverPriority: true, imageTokensMax: 9_000 })).toBe(1_000n * 40_000n);
  });
});

describe('units of several kinds', () => {
  const sold = (units: Price['units'] & object): Price => ({ ...price, units });
  const million = 1_000_000n;
  const images = { 'low/1024x1024': 1n, 'high/1024x1024': 4n, 'high/1536x1024': 6n, 'standard/512x512': 2n };
  const byKind = sold({ imagesOf: mapped(images) });
  const cost = (given: Price, imageKind?: string) => unitCostOf(given, { images: 1, imageKind });
  const most = (given: Price, imageKind?: string) => unitBoundOf(given, { images: 1, imageKind });

  function mapped(rates: Readonly<Record<string, bigint>>): Record<string, bigint> {
    return Object.fromEntries(Object.entries(rates).map(([name, rate]) => [name, rate * million]));
  }

  test('cost what their kind costs; of a kind that is not fully known the most expensive match is held', () => {
    expect([cost(byKind, 'low/1024x1024'), most(byKind, 'low/1024x1024')]).toEqual([1n, 1n]);
    expect([cost(byKind, 'high'), most(byKind, 'high')]).toEqual([6n, 6n]);
    expect([cost(byKind, '1024x1024'), most(byKind, '1024x1024')]).toEqual([4n, 4n]);
    expect([cost(byKind, '512x512'), most(byKind, '512x512')]).toEqual([2n, 2n]);
    expect([cost(byKind), most(byKind)]).toEqual([6n, 6n]);
    expect([cost(byKind, 'toString'), most(byKind, '__proto__')]).toEqual([6n, 6n]);
  });

  test('or what all others cost', () => {
    const others = sold({ images: 3n * million, imagesOf: mapped(images) });
    expect([cost(others, 'medium/256x256'), most(others, 'medium/256x256')]).toEqual([3n, 6n]);
    expect([cost(others, 'low/1024x1024'), most(others, '1024x1024')]).toEqual([1n, 4n]);
  });

  test('of video by its resolution, a part of a second included', () => {
    const video = sold({ videoSecondsOf: mapped({ '720p': 10n, '1080p': 15n, '4k': 40n }) });
    expect(unitCostOf(video, { videoSeconds: 2.5, videoKind: '1080p' })).toBe(38n);
    expect(unitBoundOf(video, { videoSeconds: 2, videoKind: '720p' })).toBe(20n);
    expect(unitBoundOf(video, { videoSeconds: 2 })).toBe(80n);
  });

  test('pages, searches of the web and fees for requests', () => {
    const units = { pages: 4_000_000n, webSearches: 10_000_000n, requests: 5_000_000n };
    expect(unitCostOf(sold(units), { pages: 3, webSearches: 5, requests: 1 })).toBe(3n * 4n + 5n * 10n + 5n);
    expect(conversationUnits(sold(units), { input: {}, output: {}, webSearches: 5 })).toEqual({
      webSearches: 5,
      requests: 1,
    });
    expect(conversationUnits(price, { input: {}, output: {}, webSearches: 5 })).toEqual({ webSearches: 5 });
    expect(conversationUnits(price, { input: {}, output: {} })).toBeUndefined();
    const cited: Usage = { input: {}, output: {}, citesPages: true };
    expect([conversationUnits(sold(units), cited), guessesCost(sold(units), cited)]).toEqual([
      { webSearches: 1, requests: 1 },
      true,
    ]);
    expect([conversationUnits(price, cited), guessesCost(price, cited)]).toEqual([undefined, false]);
    expect(guessesCost(sold(units), { ...cited, webSearches: 2 })).toBe(false);
  });
});

test('whatever is used, no more is charged than was held, and the lines add up to it', () => {
  let state = 11;
  const below = (limit: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return Math.floor((state / 0x80000000) * limit);
  };
  const perhaps = <Value>(value: Value): Value | undefined => (below(2) === 0 ? undefined : value);
  const rate = (): Rate => ({
    nanoPerMillion: BigInt(below(50_000_000)),
    tiers: below(3) > 0 ? [] : [{ aboveInputTokens: below(400), nanoPerMillion: BigInt(below(90_000_000)) }],
  });
  const rates = (): TokenRates => Object.fromEntries(tokenRateNames.map((name) => [name, perhaps(rate())]));
  const unit = (): bigint => BigInt(below(9_000_000_000));
  const kinds = ['low/1x1', 'high/1x1', 'high/2x2', 'standard/2x2', 'high', '1x1', 'odd/3x3', undefined];
  const resolutions = ['720p', '1080p', '4k', undefined];
  for (let round = 0; round < 10_000; round += 1) {
    const units = {
      ...(below(2) === 0 && { images: unit() }),
      ...(below(2) === 0 && { imagesOf: { 'low/1x1': unit(), 'high/1x1': unit(), 'high/2x2': unit(), '1x1': unit() } }),
      ...(below(2) === 0 && { videoSecondsOf: { '720p': unit(), '4k': unit() } }),
      ...(below(2) === 0 && { webSearches: unit(), requests: unit(), pages: unit(), seconds: unit() }),
    };
    const any: Price = {
      ...rates(),
      version: 'random',
      input: rate(),
      output: rate(),
      units,
      ...(below(2) === 0 && { serviceTiers: { flex: rates(), priority: rates(), fast: rates() } }),
    };
    const [inputTokensMax, outputTokensMax] = [below(500), below(500)];
    const images = below(outputTokensMax + 1);
    const imageTokensMax = perhaps(images + below(20));
    const neverPriority = below(2) === 0;
    const total = below(outputTokensMax + 1);
    const counts = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, perhaps(below(600))]));
    const usage: Usage = {
      input: {
        ...counts(['cacheRead', 'cacheWrite', 'cacheWrite1h', 'audio', 'image', 'video', 'cachedAudio', 'cachedImage']),
        total: below(inputTokensMax + 1),
      },
      output: { ...counts(['thinking', 'audio', 'video']), total, image: Math.min(total, images) },
      serviceTier: ([undefined, 'flex', ...(neverPriority ? [] : ['priority', 'fast'])] as const)[
        below(neverPriority ? 2 : 4)
      ] as Usage['serviceTier'],
    };
    const asked = kinds[below(kinds.length)];
    const made = asked?.includes('/') ? asked : kinds.filter((kind) => asked === undefined || kind?.includes(asked))[0];
    const resolution = resolutions[below(4)];
    const used = { images: 2, videoSeconds: 1.5, webSearches: 3, requests: 1, seconds: 7.5 };
    const held =
      boundOf(any, { inputTokensMax, outputTokensMax, imageTokensMax, neverPriority }) +
      unitBoundOf(any, { ...used, imageKind: asked, videoKind: resolution });
    const spent = { ...used, imageKind: made, videoKind: resolution };
    const charged = costOf(any, usage) + unitCostOf(any, spent);
    if (charged > held) throw new Error(`held ${held} < ${charged} in round ${round}`);
    const lines = costLines({ usage, units: spent, costNano: charged }, any) ?? [];
    const sum = lines.reduce((before, line) => before + line.costNano, 0n);
    if (sum !== charged || lines.some((line) => line.class === 'difference'))
      throw new Error(`lines in round ${round}`);
  }
  expect(state).not.toBe(11);
});

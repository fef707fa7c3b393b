import { describe, expect, test } from 'bun:test';
import { differencesOf, isSuspicious, ratesOf, rateText, rateWords, unitOf } from './rates.ts';
import { flatRate } from './tables/table.ts';

const dollars = 1_000_000_000n;

describe('the rates of a price', () => {
  test('each has a name of its own: steps, tiers of service, units and their kinds', () => {
    const price = {
      input: { nanoPerMillion: 3n * dollars, tiers: [{ aboveInputTokens: 200_000, nanoPerMillion: 6n * dollars }] },
      output: flatRate(15n * dollars),
      serviceTiers: { batch: { input: flatRate(dollars) } },
      units: { images: 40_000n * dollars, imagesOf: { 'high/1024x1024': 167_000n * dollars } },
    };
    expect(Object.fromEntries(ratesOf(price))).toEqual({
      input: 3n * dollars,
      'input above 200000': 6n * dollars,
      output: 15n * dollars,
      'batch input': dollars,
      images: 40_000n * dollars,
      'images high/1024x1024': 167_000n * dollars,
    });
  });

  test('what differs is reported with both sides, and what is equal is not', () => {
    const before = { input: flatRate(3n), output: flatRate(15n), cacheRead: flatRate(1n) };
    const after = { input: flatRate(3n), output: flatRate(16n), cacheWrite: flatRate(4n) };
    expect(differencesOf(before, after)).toEqual([
      { rate: 'cacheRead', before: 1n, after: undefined },
      { rate: 'output', before: 15n, after: 16n },
      { rate: 'cacheWrite', before: undefined, after: 4n },
    ]);
    expect(differencesOf(before, before)).toEqual([]);
    expect(differencesOf(undefined, { input: flatRate(2n) })).toEqual([
      { rate: 'input', before: undefined, after: 2n },
    ]);
  });

  test('ten times is believed, more is not, up or down, to 0 or from 0', () => {
    const suspicious = (before: bigint | undefined, after: bigint | undefined) =>
      isSuspicious({ rate: 'input', before, after });
    expect([suspicious(10n, 100n), suspicious(100n, 10n), suspicious(0n, 0n)]).toEqual([false, false, false]);
    expect([suspicious(10n, 101n), suspicious(101n, 10n)]).toEqual([true, true]);
    expect([suspicious(0n, 1n), suspicious(1n, 0n)]).toEqual([true, true]);
    expect([suspicious(undefined, 5n), suspicious(5n, undefined)]).toEqual([false, false]);
  });

  test('amounts are written digit by digit, in the unit that people price by', () => {
    expect(rateText('input', 2_500_000_000n)).toBe('2.5');
    expect(rateText('batch input above 200000', 1n)).toBe('0.000000001');
    expect(rateText('images high/1024x1024', 167_000_000_000_000n)).toBe('0.167');
    expect(rateText('seconds', 6_000_000_000_000n)).toBe('0.006');
    expect(rateText('webSearches', 10_000_000_000_000n)).toBe('10');
    expect(['cacheWrite1h above 200000', 'batch cacheRead', 'webSearches', 'images HD/4K'].map(rateWords)).toEqual([
      'cache write 1 h above 200000',
      'batch cache read',
      'web searches',
      'images HD/4K',
    ]);
    expect(rateText('output', undefined)).toBe('–');
    expect([unitOf('input'), unitOf('images'), unitOf('seconds')]).toEqual([
      'USD / 1M tokens',
      'USD / image',
      'USD / minute',
    ]);
  });
});

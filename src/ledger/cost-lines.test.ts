import { describe, expect, test } from 'bun:test';
import type { Usage } from '../conversation/usage.ts';
import type { Consumption } from '../operations/consumption.ts';
import type { Price, Rate } from '../prices/price.ts';
import { costOf, unitCostOf } from './cost.ts';
import { costLines } from './cost-lines.ts';

const flat = (nanoPerMillion: bigint): Rate => ({ nanoPerMillion, tiers: [] });
const price: Price = {
  version: 'operator',
  input: { nanoPerMillion: 2_000_000_000n, tiers: [{ aboveInputTokens: 1_000, nanoPerMillion: 4_000_000_000n }] },
  output: flat(8_000_000_000n),
  cacheRead: flat(500_000_000n),
  cacheWrite: undefined,
  inputAudio: flat(30_000_000_001n),
  outputAudio: flat(7n),
  units: {
    images: 40_000_000n * 1_000_000n,
    seconds: 6_000_000n * 1_000_000n,
    characters: 15_000_000_000n,
    searches: 7n,
  },
};
const sumOf = (lines: ReturnType<typeof costLines>): bigint =>
  (lines ?? []).reduce((sum, line) => sum + line.costNano, 0n);

describe('cost lines', () => {
  test('say class, quantity, price and cost, in the order in which people read them', () => {
    const usage: Usage = { input: { total: 100, cacheRead: 40 }, output: { total: 10, thinking: 4 } };
    const lines = costLines({ usage, costNano: costOf(price, usage) }, price);
    expect(lines).toEqual([
      { class: 'input', quantity: 60, rateNano: 2_000_000_000n, perUnits: 1_000_000, costNano: 120_000n },
      { class: 'cache read', quantity: 40, rateNano: 500_000_000n, perUnits: 1_000_000, costNano: 20_000n },
      { class: 'output', quantity: 10, rateNano: 8_000_000_000n, perUnits: 1_000_000, costNano: 80_000n },
    ]);
  });

  test('add up to the cost for any counts, tiers and fractions', () => {
    let seed = 5;
    const below = (most: number): number => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      return seed % most;
    };
    const maybe = (most: number): number | undefined => (below(3) === 0 ? undefined : below(most));
    for (let round = 0; round < 2_000; round += 1) {
      const usage: Usage = {
        input: {
          total: maybe(3_000),
          fresh: maybe(900),
          cacheRead: maybe(900),
          cacheWrite: maybe(90),
          audio: maybe(70),
        },
        output: { total: maybe(900), text: maybe(90), audio: maybe(500) },
      };
      const units: Consumption = {
        images: maybe(4),
        seconds: below(9_000) / 1_000,
        characters: maybe(70),
        searches: maybe(9),
      };
      const costNano = costOf(price, usage) + unitCostOf(price, units);
      const lines = costLines({ usage, units, costNano }, price);
      expect(sumOf(lines)).toBe(costNano);
      expect(lines?.some((line) => line.class === 'difference')).toBe(false);
    }
  });

  test('price units as people do, and where that has no end in nano-dollars, for more of them', () => {
    const units: Consumption = { images: 2, seconds: 90, characters: 1_000, searches: 3 };
    const lines = costLines({ usage: { input: {}, output: {} }, units, costNano: unitCostOf(price, units) }, price);
    expect(lines?.map(({ class: name, quantity, rateNano, perUnits }) => [name, quantity, rateNano, perUnits])).toEqual(
      [
        ['images', 2, 40_000_000n, 1],
        ['seconds', 90, 6_000_000n, 60],
        ['characters', 1_000, 15_000_000_000n, 1_000_000],
        ['searches', 3, 7n, 1_000_000],
      ],
    );
  });

  test('say what could not be taken apart', () => {
    const unknown: Usage = { input: {}, output: {} };
    expect(costLines({ usage: unknown, costNano: 0n }, price)).toEqual([]);
    expect(costLines({ usage: unknown, costNano: 5n }, undefined)).toMatchObject([{ class: 'estimate', costNano: 5n }]);
    const usage: Usage = { input: { total: 1_500 }, output: { total: 0 } };
    // Two calls of 750 tokens stayed below the tier that their sum is above.
    const charged = 2n * costOf(price, { input: { total: 750 }, output: { total: 0 } });
    const lines = costLines({ usage, costNano: charged }, price);
    expect(lines?.map((line) => line.class)).toEqual(['input', 'difference']);
    expect(sumOf(lines)).toBe(charged);
    expect(costLines({ usage, costNano: 5n }, undefined)).toBeUndefined();
  });

  test('are there at a price of nothing, too', () => {
    const free: Price = { ...price, input: flat(0n), output: flat(0n), version: 'free' };
    const usage: Usage = { input: { total: 3 }, output: { total: 4 } };
    const lines = costLines({ usage, costNano: 0n }, free);
    expect(lines?.map((line) => [line.class, line.quantity, line.costNano])).toEqual([
      ['input', 3, 0n],
      ['output', 4, 0n],
    ]);
  });
});

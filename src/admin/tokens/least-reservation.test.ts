/** Proves that the least reservation is that of the cheapest model that a token may use and that a budget is charged for. */

import { expect, test } from 'bun:test';
import type { Price } from '../../prices/price.ts';
import { zeroPrice } from '../../prices/prices.ts';
import type { ServedModel, Target } from '../../routing/catalogue.ts';
import { createLeastReservations } from './least-reservation.ts';

/** `nano` for each token that is written. */
const priceOf = (nano: number, guess = false): Price => ({
  ...zeroPrice('test'),
  output: { nanoPerMillion: BigInt(nano) * 1_000_000n, tiers: [] },
  ...(guess && { guess }),
});

const prices = new Map<string, Price | undefined>([
  ['dear', priceOf(10)],
  ['cheap', priceOf(2)],
  ['free', zeroPrice('free')],
  ['unknown', undefined],
  ['guessed', priceOf(1, true)],
  ['text-embedding-3-small', priceOf(1)],
]);

const target = (model: string): Target =>
  ({
    model,
    provider: { name: 'up', notes: new Map(), formats: ['openai-chat'], operations: { embed: {} }, quirks: {} },
  }) as unknown as Target;
const served = (id: string, ...models: readonly string[]): ServedModel =>
  ({ id, alias: false, targets: models.map(target) }) as unknown as ServedModel;

function leastOf(models: readonly ServedModel[], guesses: 'display' | 'budgets' = 'display') {
  return createLeastReservations({
    catalogue: { served: () => models },
    pricesReady: () => undefined,
    priceOf: ({ model }) => prices.get(model),
    priceTables: { guesses },
    contextTokensOf: () => undefined,
    outputBoundOf: () => 1_000,
    nowMs: () => 0,
  });
}

const all = ['dear', 'cheap', 'free', 'unknown', 'guessed', 'text-embedding-3-small'].map((name) => served(name, name));

test('it is what the whole output of the cheapest priced model costs', () => {
  expect(leastOf(all)(undefined)).toEqual({ model: 'cheap', nano: 2_000n });
  expect(leastOf(all, 'budgets')(undefined)).toEqual({ model: 'guessed', nano: 1_000n });
});

test('only models that the token may use count, by their name or by their provider’s', () => {
  expect(leastOf(all)(['de*'])).toEqual({ model: 'dear', nano: 10_000n });
  expect(leastOf(all)(['up/dear'])).toEqual({ model: 'dear', nano: 10_000n });
  expect(leastOf(all)(['free', 'unknown', 'text-embedding-3-small'])).toBeUndefined();
  expect(leastOf([])(undefined)).toBeUndefined();
});

test('of several targets of one name the cheapest counts', () => {
  expect(leastOf([served('alias', 'dear', 'cheap', 'unknown')])(['alias'])).toEqual({ model: 'alias', nano: 2_000n });
});

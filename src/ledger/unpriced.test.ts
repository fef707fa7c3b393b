/** Which calls have an unknown cost, by data alone. */

import { expect, test } from 'bun:test';
import type { Price } from '../prices/price.ts';
import { chargingPrice, isUnpriced } from './unpriced.ts';

const none = { nanoPerMillion: 0n, tiers: [] };
const some = { nanoPerMillion: 5n, tiers: [] };
const perToken: Price = { version: 'operator', input: some, output: none };
const perSearch: Price = { version: 'operator', input: none, output: none, units: { searches: 5n } };
const gratis: Price = { version: 'free', input: none, output: none };

test('a price in other units than the call has says nothing, unless something was charged by it', () => {
  const image = { images: 1 };
  expect(chargingPrice(undefined, 0n, undefined)).toBeUndefined();
  expect(chargingPrice(perToken, 0n, undefined)).toBe(perToken);
  expect(chargingPrice(perToken, 0n, image)).toBeUndefined();
  expect(chargingPrice(perToken, 3n, image)).toBe(perToken);
  expect(chargingPrice(perSearch, 0n, undefined)).toBeUndefined();
  expect(chargingPrice(perSearch, 0n, { searches: 2 })).toBe(perSearch);
  for (const most of [undefined, image]) expect(chargingPrice(gratis, 0n, most)).toBe(gratis);
});

test('a row is without a price where it used something and names none', () => {
  const nothing = { input: {}, output: {} };
  const unpriced = (priceVersion: string, usage: Parameters<typeof isUnpriced>[0]['usage'], units?: object) =>
    isUnpriced({ priceVersion, usage, ...(units !== undefined && { units }) });
  expect(unpriced('', { input: { total: 1 }, output: {} })).toBe(true);
  expect(unpriced('', { input: {}, output: { total: 1 } })).toBe(true);
  expect(unpriced('', nothing, { requests: 1 })).toBe(true);
  expect(unpriced('', nothing, {})).toBe(false);
  expect(unpriced('', { input: { total: 0 }, output: { total: 0 } })).toBe(false);
  expect(unpriced('free', { input: { total: 1 }, output: {} })).toBe(false);
});

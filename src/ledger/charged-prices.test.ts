import { expect, test } from 'bun:test';
import type { Price } from '../prices/price.ts';
import { readPrice } from '../prices/price-text.ts';
import { zeroPrice } from '../prices/prices.ts';
import { createChargedPrices } from './charged-prices.ts';

const fail = (_what: string, error: unknown): never => {
  throw error;
};

test('a price is written once, however often it is named and looked up again', async () => {
  const put: [string, string][] = [];
  const prices = createChargedPrices({ put: async (name, text) => void put.push([name, text]) }, () => 7, fail);
  const price: Price = { ...zeroPrice('operator'), units: { images: 12_345_678_901_234_567_890n } };
  const name = prices.nameOf(price);
  expect(prices.nameOf(price)).toBe(name);
  expect(prices.nameOf({ ...price })).toBe(name);
  expect(prices.nameOf(zeroPrice('operator'))).not.toBe(name);
  await prices.flush();
  expect(put.map(([written]) => written)).toEqual([name, prices.nameOf(zeroPrice('operator'))]);
  expect(readPrice(put[0]?.[1] ?? '')).toEqual(price);
  prices.nameOf({ ...price });
  await prices.flush();
  expect(put).toHaveLength(2);
});

test('what could not be written waits for the next round', async () => {
  const put: string[] = [];
  let isAway = true;
  const table = {
    put: async (name: string) => {
      if (isAway) throw new Error('away');
      put.push(name);
    },
  };
  const faults = Promise.withResolvers<unknown>();
  const prices = createChargedPrices(
    table,
    () => 7,
    (_what, error) => faults.resolve(error),
  );
  const name = prices.nameOf(zeroPrice('free'));
  expect(await faults.promise).toEqual(new Error('away'));
  expect(put).toEqual([]);
  isAway = false;
  await prices.flush();
  expect(put).toEqual([name]);
});

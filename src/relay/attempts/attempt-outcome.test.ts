/** Several exchanges of one request add up to what its row tells. */

import { expect, test } from 'bun:test';
import { type EarlierUse, withExchange } from './attempt-outcome.ts';

const one: EarlierUse = {
  usage: { input: { total: 3 }, output: { total: 1 } },
  units: { images: 1, tokens: undefined },
  costNano: 5n,
  estimated: false,
  priceVersion: 'operator',
};

test('use, money and doubt of all of them are kept', () => {
  const first = withExchange(undefined, one);
  expect(first).toEqual({ ...one, units: { images: 1 } });
  expect(withExchange(first, { ...one, estimated: true })).toEqual({
    usage: { input: { total: 6 }, output: { total: 2 } },
    units: { images: 2 },
    costNano: 10n,
    estimated: true,
    priceVersion: 'operator',
  });
});

test('one without a price makes the sum unknown, whichever came first', () => {
  const unpriced = { ...one, costNano: 0n, priceVersion: '' };
  expect(withExchange(unpriced, one)).toMatchObject({ priceVersion: '', costNano: 5n });
  expect(withExchange(one, unpriced)).toMatchObject({ priceVersion: '', costNano: 5n });
});

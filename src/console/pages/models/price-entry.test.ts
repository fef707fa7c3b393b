/** Proves that typed prices become the entry that was meant, and that mistakes are found before they are sent. */

import { expect, test } from 'bun:test';
import type { PriceView } from '../../../admin/contracts/configuration-contract.ts';
import { decidingPrice, entryOfLines, readPrice, textsOfPrice } from './price-entry.ts';

test('what is typed comes back as it was', () => {
  const entry = { input: 2.5, output: 10, cache_read: 0.25, image: 0.04 };
  expect(readPrice(textsOfPrice(entry))).toEqual({ entry, wrong: [], whole: true });
});

test('the form begins with the prices in effect, as far as it has fields for them', () => {
  const line = (name: string, usd: string) => ({ class: name, usd, per: '' });
  const lines = [
    line('input', '2.50'),
    line('output', '10.00'),
    line('cache write 1 h', '6.00'),
    line('seconds', '0.006'),
  ];
  expect(entryOfLines(lines)).toEqual({ input: 2.5, output: 10, minute: 0.006 });
  expect(textsOfPrice(entryOfLines(lines))).toMatchObject({ input: '2.5', output: '10', minute: '0.006', image: '' });
});

test('a comma is a point, nothing is nothing, and free is a price', () => {
  const { entry, whole } = readPrice({ ...textsOfPrice({}), input: ' 0 ', output: '0,5' });
  expect(entry).toEqual({ input: 0, output: 0.5 });
  expect(whole).toBe(true);
});

test('half a price, words and negative amounts are no price', () => {
  expect(readPrice({ ...textsOfPrice({}), input: '1' }).whole).toBe(false);
  expect(readPrice({ ...textsOfPrice({}), minute: '0.006' }).whole).toBe(true);
  const { wrong } = readPrice({ ...textsOfPrice({}), input: '-1', output: 'two', video: '1e99', image: '1000001' });
  expect(wrong).toEqual(['input', 'output', 'image', 'video']);
});

test('the first pattern that fits decides, by the name with or without its provider', () => {
  const price = (pattern: string): PriceView => ({
    pattern,
    origin: 'console',
    originText: '',
    locked: false,
    entry: {},
  });
  const prices = [price('far/*'), price('exact.model'), price('near/m*')];
  expect(decidingPrice(prices, { provider: 'near', model: 'exact.model' })?.pattern).toBe('exact.model');
  expect(decidingPrice(prices, { provider: 'near', model: 'exactXmodel' })).toBeUndefined();
  expect(decidingPrice(prices, { provider: 'far', model: 'exact.model' })?.pattern).toBe('far/*');
  expect(decidingPrice(prices, { provider: 'near', model: 'middle' })?.pattern).toBe('near/m*');
});

/** Proves that prices of lists are read exactly, and that what cannot be a price spoils nothing but the price of its own model. */

import { expect, test } from 'bun:test';
import { type ListPricing, priceIn, pricingOfTexts } from './list-prices.ts';
import { readListedModels } from './read-model-list.ts';

const texts = (pricing: object, declared?: ListPricing) => priceIn({ id: 'm', pricing }, declared);
const flat: ListPricing = { rates: { input: 'in', output: 'out', cacheRead: 'read' }, powerOfTen: 0 };

test('texts in USD for one token become nano-USD for a million, to the last digit', () => {
  expect(
    texts({
      prompt: '0.00000125',
      completion: '1e-5',
      request: '0',
      image: '0.003613',
      web_search: '0.01',
      internal_reasoning: '0.000012',
      input_cache_read: '0.000000125',
      input_cache_write: '0.0000015625',
      input_cache_write_1h: '0.0000025',
      audio: '0.000001',
    }),
  ).toEqual({
    rates: {
      input: { nano: '1250000000' },
      output: { nano: '10000000000' },
      cacheRead: { nano: '125000000' },
      cacheWrite: { nano: '1562500000' },
      cacheWrite1h: { nano: '2500000000' },
      thinking: { nano: '12000000000' },
      inputAudio: { nano: '1000000000' },
    },
    units: { webSearches: '10000000000000' },
  });
});

test('a price with more digits than can be held is rounded up, one of fewer is exact', () => {
  expect(texts({ prompt: '0.0000000000000011', completion: '0.000000000000001' })?.rates).toEqual({
    input: { nano: '2' },
    output: { nano: '1' },
  });
  const odd = priceIn({ in: 0.1 + 0.2, out: 3e-7 }, flat);
  expect(odd?.rates).toEqual({ input: { nano: '300000001' }, output: { nano: '300' } });
});

test('a kind that is listed with 0 is not priced apart, and a model of zeros is free only where the list means it', () => {
  const zeros = { prompt: '0', completion: '0', request: '0', internal_reasoning: '0' };
  expect(texts(zeros)).toBeUndefined();
  const free = { input: { nano: '0' }, output: { nano: '0' } };
  expect(texts(zeros, { ...pricingOfTexts, zeroIsFree: true })).toEqual({ rates: free });
  expect(texts({ prompt: '0.000001', completion: '0', internal_reasoning: '0' })?.rates).toEqual({
    input: { nano: '1000000000' },
    output: { nano: '0' },
  });
});

test('longer inputs have rates of their own, from the token on that the list names', () => {
  const overrides = [
    { min_prompt_tokens: 400_000, prompt: '0.000004' },
    { min_prompt_tokens: 200_000, prompt: '0.0000025', completion: '0.000015' },
  ];
  expect(texts({ prompt: '0.00000125', completion: '0.00001', overrides })?.rates).toEqual({
    input: {
      nano: '1250000000',
      steps: [
        { above: 199_999, nano: '2500000000' },
        { above: 399_999, nano: '4000000000' },
      ],
    },
    output: { nano: '10000000000', steps: [{ above: 199_999, nano: '15000000000' }] },
  });
});

test('numbers are read only where the preset declares what they mean', () => {
  expect(texts({ prompt: 0.000001, completion: 0.000002 })).toBeUndefined();
  expect(texts({ input: '0.000001', output: '0.000002' })).toBeUndefined();
  expect(priceIn({ in: 0.6, out: 2.5, read: 0.15 }, flat)?.rates).toEqual({
    input: { nano: '600000000' },
    output: { nano: '2500000000' },
    cacheRead: { nano: '150000000' },
  });
});

test('half a price is none; models that write no text need no price for it', () => {
  expect(priceIn({ in: 0.02 }, flat)).toBeUndefined();
  expect(priceIn({ out: 0.02 }, flat)).toBeUndefined();
  expect(priceIn({ in: 0.02, type: 'embedding' }, flat)?.rates.output).toEqual({ nano: '0' });
});

const bad: readonly unknown[] = [
  '-1',
  -1,
  'NaN',
  Number.NaN,
  Number.POSITIVE_INFINITY,
  'Infinity',
  '1e308',
  1e308,
  'free',
  '$1',
  '1,5',
  '0x10',
  ' 1',
  '1'.repeat(400),
  {},
  [],
  true,
];

test('what cannot be a price leaves its model without one, and the rest of the list as it is', () => {
  for (const value of bad) {
    expect(priceIn({ in: value, out: 1 }, flat)).toBeUndefined();
    expect(priceIn({ in: 1, out: 1, read: value }, flat)).toBeUndefined();
    const overrides = [{ min_prompt_tokens: 10, prompt: value }];
    expect(texts({ prompt: '0.1', completion: '0.1', overrides })).toBeUndefined();
  }
  for (const overrides of [[7], [{ min_prompt_tokens: -5, prompt: '1' }], Array.from({ length: 17 }, () => ({}))]) {
    expect(texts({ prompt: '0.000001', completion: '0.000001', overrides })).toBeUndefined();
  }
  const models = readListedModels({
    data: [
      { id: 'auto', context_length: 1_000, pricing: { prompt: '-1', completion: '-1' } },
      { id: 'plain', pricing: { prompt: '0.000001', completion: '0.000002' } },
    ],
  });
  expect(models?.map(({ name, price }) => [name, price?.rates.input.nano])).toEqual([
    ['auto', undefined],
    ['plain', '1000000000'],
  ]);
  expect(models?.[0]?.profile?.contextTokens).toBe(1_000);
});

test('names of what every object has are no paths', () => {
  const declared: ListPricing = { rates: { input: 'constructor.length', output: '__proto__.x' }, powerOfTen: 0 };
  expect(priceIn({}, declared)).toBeUndefined();
});

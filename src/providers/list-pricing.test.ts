/** Proves that the prices of each provider's list are read in its own unit: every row below is 0.30 USD in and 1.20 USD out for a million tokens. */

import { expect, test } from 'bun:test';
import { readListedModels } from '../formats/read-model-list.ts';
import { listPricingOf } from './list-pricing.ts';
import { presetByName } from './presets.ts';

const rows: Readonly<Record<string, object>> = {
  openrouter: { pricing: { prompt: '0.0000003', completion: '0.0000012', input_cache_read: '0.00000003' } },
  vercel: {
    context_window: 400_000,
    max_tokens: 128_000,
    pricing: {
      input: '0.0000003',
      output: '0.0000012',
      input_cache_read: '0.00000003',
      input_tiers: [
        { cost: '0.0000003', max: 200_000 },
        { cost: '0.0000006', min: 200_000 },
      ],
    },
  },
  novita: {
    context_size: 131_072,
    max_output_tokens: 65_536,
    input_token_price_per_m: 3000,
    output_token_price_per_m: 12_000,
    pricing: { input_cache_read: { price_per_m: 300 } },
    tiered_billing_configs: [
      { min_tokens: 0, max_tokens: 32_000, pricing: { prompt: { price_per_m: 3000 } } },
      { min_tokens: 32_001, max_tokens: 131_072, pricing: { prompt: { price_per_m: 6000 } } },
    ],
  },
  together: { context_length: 131_072, pricing: { hourly: 0, input: 0.3, output: 1.2, base: 0, finetune: 0 } },
  deepinfra: {
    metadata: { context_length: 163_840, pricing: { input_tokens: 0.3, output_tokens: 1.2, cache_read_tokens: 0.03 } },
  },
  chutes: { max_output_length: 65_536, pricing: { prompt: 0.3, completion: 1.2, input_cache_read: 0.03 } },
  venice: {
    model_spec: {
      availableContextTokens: 131_072,
      maxCompletionTokens: 32_768,
      pricing: {
        input: { usd: 0.3, diem: 0.3 },
        output: { usd: 1.2, diem: 1.2 },
        cache_input: { usd: 0.03 },
        extended: { context_token_threshold: 200_001, input: { usd: 0.6 }, output: { usd: 2.4 } },
      },
    },
  },
  requesty: {
    context_window: 200_000,
    max_output_tokens: 64_000,
    input_price: 3e-7,
    output_price: 0.0000012,
    cached_price: 3e-8,
    caching_price: 0,
    pricing: [
      { prompt_tokens_threshold: 0, input_price: 3e-7, output_price: 0.0000012 },
      { prompt_tokens_threshold: 200_001, input_price: 6e-7, output_price: 0.0000024 },
    ],
  },
};

const read = (preset: string) => readListedModels({ data: [{ id: 'm', ...rows[preset] }] }, listPricingOf(preset))?.[0];

test.each(Object.keys(rows))('%s', (preset) => {
  const rates = read(preset)?.price?.rates;
  expect([rates?.input.nano, rates?.output.nano]).toEqual(['300000000', '1200000000']);
  if (preset !== 'together') expect(rates?.cacheRead?.nano).toBe('30000000');
  expect(rates?.cacheWrite).toBeUndefined();
});

test('steps of longer inputs', () => {
  expect(read('vercel')?.price?.rates.input.steps).toEqual([{ above: 199_999, nano: '600000000' }]);
  expect(read('novita')?.price?.rates.input.steps).toEqual([{ above: 32_000, nano: '600000000' }]);
  for (const preset of ['venice', 'requesty']) {
    expect(read(preset)?.price?.rates.output.steps).toEqual([{ above: 200_000, nano: '2400000000' }]);
  }
});

test('sizes of the same lists', () => {
  const sizes = Object.keys(rows).map((preset) => [
    preset,
    read(preset)?.profile?.contextTokens,
    read(preset)?.profile?.outputTokensMax,
  ]);
  expect(sizes).toEqual([
    ['openrouter', undefined, undefined],
    ['vercel', 400_000, 128_000],
    ['novita', 131_072, 65_536],
    ['together', 131_072, undefined],
    ['deepinfra', 163_840, undefined],
    ['chutes', undefined, 65_536],
    ['venice', 131_072, 32_768],
    ['requesty', 200_000, 64_000],
  ]);
});

test('a router that lists -1, and a host that lists 0 for what it does not sell by the token, say nothing', () => {
  const priceOf = (preset: string, pricing: object) =>
    readListedModels({ data: [{ id: 'm', pricing }] }, listPricingOf(preset))?.[0]?.price;
  expect(priceOf('openrouter', { prompt: '-1', completion: '-1' })).toBeUndefined();
  expect(priceOf('together', { input: 0, output: 0 })).toBeUndefined();
  expect(priceOf('openrouter', { prompt: '0', completion: '0' })?.rates.input.nano).toBe('0');
});

test('presets that exist are known by their own names', () => {
  for (const preset of ['openrouter', 'vercel', 'novita', 'together', 'deepinfra']) {
    expect([presetByName(preset)?.name, listPricingOf(preset) !== undefined]).toEqual([preset, true]);
  }
  expect(listPricingOf('constructor')).toBeUndefined();
});

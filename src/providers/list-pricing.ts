/** Where providers' own lists of models write what each costs, by preset. What is not declared here is read as texts in USD for one token, or not at all. */

import { type ListPricing, pricingOfTexts } from '../formats/list-prices.ts';

/** https://openrouter.ai/docs/api/api-reference/models (read 2026-11-16). Routers that choose a model themselves are listed with -1. */
const openrouter: ListPricing = { ...pricingOfTexts, zeroIsFree: true };

/** https://vercel.com/docs/ai-gateway/sdks-and-apis/rest-api (read 2026-11-16): texts, USD for one token. */
const vercel: ListPricing = {
  rates: {
    input: 'pricing.input',
    output: 'pricing.output',
    cacheRead: 'pricing.input_cache_read',
    cacheWrite: 'pricing.input_cache_write',
    inputAudio: 'pricing.audio_input_token_cost',
    outputAudio: 'pricing.audio_output_token_cost',
  },
  powerOfTen: 6,
  ownSteps: { ending: '_tiers', from: 'min', price: 'cost' },
};

/** https://novita.ai/docs/api-reference/model-apis-llm-list-models (read 2026-11-16): whole numbers, each 0.0001 USD for a million tokens. */
const novita: ListPricing = {
  rates: {
    input: 'input_token_price_per_m',
    output: 'output_token_price_per_m',
    cacheRead: 'pricing.input_cache_read.price_per_m',
    cacheWrite: 'pricing.input_cache_write.price_per_m',
  },
  powerOfTen: -4,
  steps: {
    at: 'tiered_billing_configs',
    from: 'min_tokens',
    rates: {
      input: 'pricing.prompt.price_per_m',
      output: 'pricing.completion.price_per_m',
      cacheRead: 'pricing.input_cache_read.price_per_m',
      cacheWrite: 'pricing.input_cache_write.price_per_m',
    },
  },
};

/** https://docs.together.ai/reference/models-1 (read 2026-11-16): USD for a million tokens; what is not served by the token has 0. */
const together: ListPricing = { rates: { input: 'pricing.input', output: 'pricing.output' }, powerOfTen: 0 };

/** https://docs.deepinfra.com (read 2026-11-16): USD for a million tokens, within `metadata`. */
const deepinfra: ListPricing = {
  rates: {
    input: 'metadata.pricing.input_tokens',
    output: 'metadata.pricing.output_tokens',
    cacheRead: 'metadata.pricing.cache_read_tokens',
  },
  powerOfTen: 0,
};

/** https://llm.chutes.ai/v1/models (read 2026-11-16): numbers, USD for a million tokens. */
const chutes: ListPricing = {
  rates: { input: 'pricing.prompt', output: 'pricing.completion', cacheRead: 'pricing.input_cache_read' },
  powerOfTen: 0,
};

/** https://docs.venice.ai/api-reference/endpoint/models/list (read 2026-11-16): USD for a million tokens. */
const venice: ListPricing = {
  rates: {
    input: 'model_spec.pricing.input.usd',
    output: 'model_spec.pricing.output.usd',
    cacheRead: 'model_spec.pricing.cache_input.usd',
    cacheWrite: 'model_spec.pricing.cache_write.usd',
  },
  powerOfTen: 0,
  steps: {
    at: 'model_spec.pricing.extended',
    from: 'context_token_threshold',
    rates: { input: 'input.usd', output: 'output.usd', cacheRead: 'cache_input.usd', cacheWrite: 'cache_write.usd' },
  },
};

/** https://docs.requesty.ai (read 2026-11-16): numbers, USD for one token; `cached` is read from a cache, `caching` written to it. */
const requesty: ListPricing = {
  rates: { input: 'input_price', output: 'output_price', cacheRead: 'cached_price', cacheWrite: 'caching_price' },
  powerOfTen: 6,
  steps: {
    at: 'pricing',
    from: 'prompt_tokens_threshold',
    rates: { input: 'input_price', output: 'output_price', cacheRead: 'cached_price', cacheWrite: 'caching_price' },
  },
};

const byPreset: ReadonlyMap<string, ListPricing> = new Map(
  Object.entries({ openrouter, vercel, novita, together, deepinfra, chutes, venice, requesty }),
);

export function listPricingOf(preset: string): ListPricing | undefined {
  return byPreset.get(preset);
}

/** Reads the bundled price library: 800 KB of data, so it is loaded after the server listens, never before. */

import type { ModelPrice, TieredPrices } from '@pydantic/genai-prices';
import type { Price, Rate } from './price.ts';

export const libraryVersion = 'genai-prices@0.1.8';

export interface LibraryEntry {
  readonly price: Price | undefined;
  readonly contextWindow: number | undefined;
}

export interface PriceLibrary {
  /** `provider` is the library's own id of a provider; absent asks every provider that knows the name. */
  find(provider: string | undefined, model: string, atMs: number): LibraryEntry | undefined;
}

export async function loadPriceLibrary(): Promise<PriceLibrary> {
  const { calcPrice } = await import('@pydantic/genai-prices');
  return {
    find(provider, model, atMs) {
      const options = { timestamp: new Date(atMs), ...(provider === undefined ? {} : { providerId: provider }) };
      const found = calcPrice({}, model, options);
      if (found === null) return undefined;
      return { price: priceFrom(found.model_price), contextWindow: found.model.context_window };
    },
  };
}

const nanoPerUsd = 1_000_000_000;

/** Decimal prices are short, so a rounded product is the exact integer and not a float's neighbour. */
export const nanoPerMillion = (usdPerMillion: number): bigint => BigInt(Math.round(usdPerMillion * nanoPerUsd));

function rateFrom(value: number | TieredPrices | undefined): Rate | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'number') return { nanoPerMillion: nanoPerMillion(value), tiers: [] };
  const tiers = [...value.tiers].sort((a, b) => a.start - b.start);
  return {
    nanoPerMillion: nanoPerMillion(value.base),
    tiers: tiers.map((tier) => ({ aboveInputTokens: tier.start, nanoPerMillion: nanoPerMillion(tier.price) })),
  };
}

const free: Rate = { nanoPerMillion: 0n, tiers: [] };

/** A model that is sold by the hour, page or call has no price per token, and none is invented. */
function priceFrom(prices: ModelPrice): Price | undefined {
  const input = rateFrom(prices['input_mtok']);
  const output = rateFrom(prices['output_mtok']);
  if (input === undefined && output === undefined) return undefined;
  return {
    version: libraryVersion,
    input: input ?? free,
    output: output ?? free,
    cacheRead: rateFrom(prices['cache_read_mtok']),
    cacheWrite: rateFrom(prices['cache_write_mtok']),
    inputAudio: rateFrom(prices['input_audio_mtok']),
    outputAudio: rateFrom(prices['output_audio_mtok']),
  };
}

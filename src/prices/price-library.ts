/** The table of prices that Weir comes with: 800 KB of data, so it is loaded after the server listens, never before. */

import { readGenaiPrices } from './tables/read-genai-prices.ts';
import type { PriceTable } from './tables/table.ts';

export const libraryVersion = 'genai-prices@0.1.8';
/** The day that this version's data is of. */
export const libraryAsOf = '2026-09-23';

export async function loadPriceLibrary(): Promise<PriceTable> {
  // Without a source of updates it answers with the data that it was published with.
  const { waitForUpdate } = await import('@pydantic/genai-prices');
  return readGenaiPrices(await waitForUpdate(), libraryVersion, libraryAsOf, true);
}

const nanoPerUsd = 1_000_000_000;

/** Decimal prices are short, so a rounded product is the exact integer and not one next to it. */
export const nanoPerMillion = (usdPerMillion: number): bigint => BigInt(Math.round(usdPerMillion * nanoPerUsd));

/** What a call of a provider's own tool costs beyond its tokens. */

import type { Usage } from '../../conversation/usage.ts';
import type { Price } from '../../prices/price.ts';
import type { Target } from '../../routing/catalogue.ts';

/** Nano-USD for one call; undefined where it is not known. The operator's price counts before that of the provider's preset. */
export function toolFee({ provider }: Target, price: Price | undefined, tool: string): bigint | undefined {
  if (provider.free) return 0n;
  const { units } = price ?? {};
  const perMillion = units?.tools?.[tool] ?? (isSearch(tool) ? units?.webSearches : undefined);
  if (perMillion !== undefined) return perMillion / million;
  const usd = provider.quirks.toolFees?.[tool];
  return usd === undefined ? undefined : BigInt(Math.round(usd * nanoPerUsd));
}

const million = 1_000_000n;
const nanoPerUsd = 1e9;
const search = 'web_search';

const isSearch = (tool: string): boolean => tool === search;

/** The fees of what a reply reports; searches that the model's price covers are charged with it. */
export function reportedFees(target: Target, price: Price | undefined, usage: Usage): bigint {
  const { toolCalls, webSearches } = usage;
  let fees = 0n;
  for (const name in toolCalls) fees += BigInt(toolCalls[name] ?? 0) * (toolFee(target, price, name) ?? 0n);
  if (webSearches === undefined || price?.units?.webSearches !== undefined) return fees;
  return fees + BigInt(webSearches) * (toolFee(target, price, search) ?? 0n);
}

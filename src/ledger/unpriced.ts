/** Which requests have an unknown cost: they used something that no price covers. What is free has a price of 0. */

import { unknownUsage } from '../conversation/usage.ts';
import type { Consumption } from '../operations/consumption.ts';
import type { Price } from '../prices/price.ts';
import type { UsageRow } from './ledger.ts';
import { prices } from './use.ts';

const tokensOnly: Consumption = { tokens: unknownUsage };

/**
 * The price that a call was charged by. One in other units than the call has says nothing about it, unless something was charged
 * by it after all. `most` says which units the call is counted in; a conversation has none.
 */
export function chargingPrice(
  price: Price | undefined,
  costNano: bigint,
  most: Consumption | undefined,
): Price | undefined {
  if (price === undefined || costNano > 0n) return price;
  if (most === undefined && price.units === undefined) return price;
  return prices(price, most ?? tokensOnly) ? price : undefined;
}

/** The SQL of `usage_rows` says the same in `store/usage/unpriced.ts`. */
export function isUnpriced({
  priceVersion,
  usage,
  units,
}: Pick<UsageRow, 'priceVersion' | 'usage' | 'units'>): boolean {
  if (priceVersion !== '') return false;
  if ((usage.input.total ?? 0) > 0 || (usage.output.total ?? 0) > 0) return true;
  return units !== undefined && Object.values(units).some((value) => value !== undefined);
}

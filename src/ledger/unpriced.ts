/** Which requests have an unknown cost: they used something that no price covers. What is free has a price of 0. */

import { unknownUsage } from '../conversation/usage.ts';
import type { Consumption } from '../operations/consumption.ts';
import type { Price } from '../prices/price.ts';
import type { UsageRow } from './ledger.ts';
import { prices } from './use.ts';

const tokensOnly: Consumption = { tokens: unknownUsage };

/**
 * The price that a call was charged by; undefined if it is in other units than the call and nothing was charged by it.
 * `most` has the units in which the call is counted; a conversation has none.
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

/** The same rule in SQL: `store/usage/unpriced.ts`. */
export function isUnpriced({
  priceVersion,
  usage,
  units,
}: Pick<UsageRow, 'priceVersion' | 'usage' | 'units'>): boolean {
  if (priceVersion !== '') return false;
  if ((usage.input.total ?? 0) > 0 || (usage.output.total ?? 0) > 0) return true;
  return units !== undefined && Object.values(units).some((value) => value !== undefined);
}

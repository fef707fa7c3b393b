/** Which budgets an attempt counts against. A token with a budget cannot use a model without a known price. */

import type { Caller } from '../../access/caller.ts';
import { GatewayError } from '../../conversation/gateway-error.ts';
import { unknownUsage } from '../../conversation/usage.ts';
import type { BudgetScope } from '../../ledger/ledger.ts';
import { prices } from '../../ledger/use.ts';
import { windowStartMs } from '../../ledger/window.ts';
import type { Consumption } from '../../operations/consumption.ts';
import { guessVersion } from '../../prices/look-up.ts';
import type { Price } from '../../prices/price.ts';
import type { Target } from '../../routing/catalogue.ts';
import type { RelayParts } from '../relay-parts.ts';

const tokensOnly: Consumption = { tokens: unknownUsage };
const noScopes: readonly BudgetScope[] = [];

/** `most` says which units the call is counted in. */
export function budgetScopesOf(
  { terms, tokenId }: Caller,
  { model }: Target,
  price: Price | undefined,
  priceTables: RelayParts['priceTables'],
  atMs: number,
  most: Consumption = tokensOnly,
): readonly BudgetScope[] {
  if (terms.budget === undefined) return noScopes;
  if (price === undefined || !prices(price, most)) {
    const message = `This token has a budget and ${model} has no known price; the operator can set one under \`prices\`, or read a newer table with \`weir prices update\`.`;
    throw new GatewayError('price_unknown', message, { param: 'model' });
  }
  requireKnownPrice(price, model, priceTables);
  const { limitNano, period } = terms.budget;
  return [{ scope: `token:${tokenId}`, limitNano, windowStartMs: windowStartMs(period, atMs) }];
}

/** A guess is another provider's price of the same model: it charges a budget only where the operator allows it. */
function requireKnownPrice(price: Price, model: string, { guesses }: RelayParts['priceTables']): void {
  if (price.guess !== true || guesses === 'budgets') return;
  const whose = price.version.slice(guessVersion.length);
  const message = `This token has a budget and ${model} has no known price at this provider, only that of another (${whose}); the operator can set one under \`prices\`, read a newer table with \`weir prices update\`, or allow guesses for budgets with \`price_tables.guesses: budgets\`.`;
  throw new GatewayError('price_unknown', message, { param: 'model' });
}

/** Guessed prices (another provider's price of the same model) do not charge a budget unless the operator allows it. */

import { GatewayError } from '../../conversation/gateway-error.ts';
import { guessVersion } from '../../prices/look-up.ts';
import type { Price } from '../../prices/price.ts';
import type { RelayParts } from '../relay-parts.ts';

/** Throws where a token with a budget may not be charged by this price. */
export function requireKnownPrice(price: Price, model: string, { guesses }: RelayParts['priceTables']): void {
  if (price.guess !== true || guesses === 'budgets') return;
  const whose = price.version.slice(guessVersion.length);
  const message = `This token has a budget and ${model} has no known price at this provider, only that of another (${whose}); the operator can set one under \`prices\`, read a newer table with \`weir prices update\`, or allow guesses for budgets with \`price_tables.guesses: budgets\`.`;
  throw new GatewayError('price_unknown', message, { param: 'model' });
}

/** Which budgets an attempt counts against. A budget in money refuses a model without a known price. */

import type { Caller } from '../../access/caller.ts';
import { levelName } from '../../access/levels/levels.ts';
import { GatewayError } from '../../conversation/gateway-error.ts';
import { unknownUsage } from '../../conversation/usage.ts';
import { prices } from '../../ledger/use.ts';
import type { Consumption } from '../../operations/consumption.ts';
import type { Price } from '../../prices/price.ts';
import { guessedFrom, incompleteIn } from '../../prices/price-source.ts';
import type { Target } from '../../routing/catalogue.ts';
import type { RelayParts } from '../relay-parts.ts';
import { type CountedBudgets, countedBudgets, type KnownBudget } from './level-budgets.ts';

const tokensOnly: Consumption = { tokens: unknownUsage };

/** What is to be counted. */
interface CountedCall {
  readonly caller: Pick<Caller, 'levels' | 'tokenId'>;
  /** As the caller named it. */
  readonly model: string;
  readonly target: Target;
  readonly price: Price | undefined;
  /** Which units the call is counted in; absent for a conversation. */
  readonly most?: Consumption | undefined;
}

/** Its scopes are the same array for the same caller, model and windows: the ledger remembers what it derived from it. */
export function budgetsOf(
  { caller, model, target, price, most = tokensOnly }: CountedCall,
  priceTables: RelayParts['priceTables'],
  atMs: number,
): CountedBudgets {
  const counted = countedBudgets(caller, { asked: model, provider: target.provider.name, model: target.model }, atMs);
  if (counted.money !== undefined) requirePrice(caller, counted.money, target, price, most, priceTables);
  return counted;
}

/** A guess (another provider's price, or one without an unknown unit) charges a budget only where the operator allows it. */
function requirePrice(
  { tokenId }: CountedCall['caller'],
  { level }: KnownBudget,
  { model }: Target,
  price: Price | undefined,
  most: Consumption,
  { guesses }: RelayParts['priceTables'],
): void {
  const whose = level.id === tokenId ? 'This token' : `The ${levelName(level, tokenId)}`;
  if (price === undefined || !prices(price, most)) {
    const message = `${whose} has a budget and ${model} has no known price; the operator can set one under \`prices\`, or read a newer table with \`weir prices update\`.`;
    throw new GatewayError('price_unknown', message, { param: 'model' });
  }
  if (price.guess !== true || guesses === 'budgets') return;
  const cure =
    'the operator can set one under `prices`, read a newer table with `weir prices update`, or allow guesses for budgets with `price_tables.guesses: budgets`';
  const message = `${whose} has a budget and ${model} has ${whyGuess(price.version)}; ${cure}.`;
  throw new GatewayError('price_unknown', message, { param: 'model' });
}

function whyGuess(version: string): string {
  const table = incompleteIn(version);
  if (table !== undefined) return `no complete price: ${table} also charges by a unit that is not known`;
  return `no known price at this provider, only that of another (${guessedFrom(version) ?? version})`;
}

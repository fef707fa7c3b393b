/**
 * Refuses what a budget has no room for before it is worth a large translation or the fetching of images. What is held by
 * others may become free and does not count here: the reservation decides.
 */

import type { Target } from '../../routing/catalogue.ts';
import type { Call } from '../admission/call.ts';
import type { RelayParts } from '../relay-parts.ts';
import { budgetRefusal, standingOf } from './budget-refusal.ts';
import { budgetsOf } from './budget-scopes.ts';
import type { KnownBudget } from './level-budgets.ts';
import { boundsAt, type PriceBounds } from './price-bounds.ts';
import { requireBounds } from './require-bounds.ts';

export type RoomParts = Pick<
  RelayParts,
  'budgetOf' | 'contextTokensOf' | 'outputBoundOf' | 'priceOf' | 'priceTables' | 'wallMs'
>;

export async function requireRoom(
  parts: RoomParts,
  { caller, facts }: Pick<Call, 'caller' | 'facts'>,
  target: Target,
): Promise<void> {
  const atMs = parts.wallMs();
  const price = parts.priceOf(target);
  const budgets = budgetsOf({ caller, model: facts.model, target, price, most: facts.most }, parts.priceTables, atMs);
  if (budgets.budgets.length === 0) return;
  const bounds = boundsAt(parts, target, price, facts);
  requireBounds(budgets, bounds, target, caller.tokenId);
  for (const known of budgets.budgets) {
    // Where the database does not answer, the reservation says so.
    const standing = await standingOf(parts, known, atMs).catch(() => undefined);
    if (standing === undefined || standing.spent + neededOf(known, bounds) <= standing.limit) continue;
    throw await budgetRefusal(parts, caller, known.scope, bounds);
  }
}

function neededOf({ budget: { unit } }: KnownBudget, bounds: PriceBounds): bigint {
  if (unit === 'usd') return bounds.mostNano();
  return unit === 'tokens' ? BigInt(bounds.mostTokens()) : 1n;
}

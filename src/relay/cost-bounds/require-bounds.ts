/** Refuses a call that a budget counts and whose most is not known: nothing could be reserved for it. */

import { levelName } from '../../access/levels/levels.ts';
import type { Target } from '../../routing/catalogue.ts';
import type { CountedBudgets } from './level-budgets.ts';
import type { PriceBounds } from './price-bounds.ts';

export function requireBounds(
  { money, tokens }: CountedBudgets,
  bounds: PriceBounds,
  target: Target,
  tokenId: string,
): void {
  const level = (money ?? tokens)?.level;
  if (level === undefined) return;
  const whose = level.id === tokenId ? 'This token' : `The ${levelName(level, tokenId)}`;
  bounds.requireBound(target, { money: money !== undefined, tokens: tokens !== undefined }, whose);
}

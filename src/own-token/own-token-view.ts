/** What a token is shown about itself: its rights, its limits, and what is left of every budget that it counts against. */

import type { Caller } from '../access/caller.ts';
import { levelName } from '../access/levels/levels.ts';
import type { LimitLeft, LimitsLeft } from '../access/limits.ts';
import { isoText } from '../admin/tokens/token-terms.ts';
import { usdText } from '../ledger/money.ts';
import { windowEndMs, windowStartMs } from '../ledger/window.ts';
import { type KnownBudget, limitAt } from '../relay/cost-bounds/level-budgets.ts';

/** Amounts of money are texts in USD, other amounts are numbers. */
type Amount = string | number;

interface OwnBudget {
  readonly level: string;
  readonly level_name: string;
  readonly unit: string;
  readonly period: string;
  readonly models: readonly string[] | null;
  readonly limit: Amount;
  readonly spent: Amount;
  /** By requests in flight. */
  readonly held: Amount;
  readonly left: Amount;
  readonly resets_at: string | null;
  /** Until when the limit is the raised one. */
  readonly raised_until: string | null;
}

interface BudgetAmounts {
  readonly spentNano: bigint;
  readonly heldNano: bigint;
}

export type ReadBudget = (scope: string, windowStartMs: number) => Promise<BudgetAmounts>;

export async function ownBudget(
  { level, budget, scope }: KnownBudget,
  tokenId: string,
  read: ReadBudget,
  nowMs: number,
): Promise<OwnBudget> {
  const { unit, period, models = null, raise } = budget;
  const { spentNano: spent, heldNano: held } = await read(scope, windowStartMs(period, nowMs));
  const limit = limitAt(budget, nowMs);
  const left = limit - spent - held;
  const amount = (value: bigint): Amount => (unit === 'usd' ? usdText(value) : Number(value));
  return {
    level: level.kind,
    level_name: levelName(level, tokenId),
    unit,
    period,
    models,
    limit: amount(limit),
    spent: amount(spent),
    held: amount(held),
    left: amount(left > 0n ? left : 0n),
    resets_at: isoText(windowEndMs(period, nowMs)) ?? null,
    raised_until: raise !== undefined && nowMs < raise.untilMs ? (isoText(raise.untilMs) ?? null) : null,
  };
}

const limitOf = (limit: LimitLeft | undefined) =>
  limit === undefined ? null : { limit: limit.limit, left: limit.left };

/** Of each limit the one of the level that has the least left. */
export function ownLimits({ requests, tokens, concurrency }: LimitsLeft) {
  return {
    requests_per_minute: limitOf(requests),
    tokens_per_minute: limitOf(tokens),
    concurrent_requests: limitOf(concurrency),
  };
}

/** The levels of the token from the organization down, without the token itself. */
export function ownLevels({ levels, tokenId }: Caller) {
  return levels.filter(({ id }) => id !== tokenId).map(({ kind, id, name }) => ({ level: kind, id, name }));
}

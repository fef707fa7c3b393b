/**
 * What limits a member: the budget of each of their tokens, and the number of tokens. Together they
 * limit what the person can spend.
 */

import type { BudgetPeriod, TokenTerms } from '../../access/caller.ts';
import type { TokenRoom } from '../../access/token-table.ts';
import { GatewayError } from '../../conversation/gateway-error.ts';
import { nanoFromUsd, usdText } from '../../ledger/money.ts';
import { windowStartMs } from '../../ledger/window.ts';
import type { TokenDefaults } from '../../settings/config.ts';
import type { TokenCeilingView } from '../contracts/account-contract.ts';

type Budget = NonNullable<TokenTerms['budget']>;

/** The operator's, where there is one. */
export function memberBudget({ budgetUsd, budgetPeriod: period }: TokenDefaults): Budget | undefined {
  const limitNano = budgetUsd === undefined ? undefined : nanoFromUsd(budgetUsd);
  return limitNano === undefined ? undefined : { limitNano, period };
}

export function ceilingView(defaults: TokenDefaults): TokenCeilingView {
  const { perPersonMax } = defaults;
  const budget = memberBudget(defaults);
  if (budget === undefined) return { perPersonMax };
  return { budgetUsd: usdText(budget.limitNano), budgetPeriod: budget.period, perPersonMax };
}

/**
 * A revoked token counts until its window is over: otherwise revoking and creating tokens would be an unlimited budget.
 */
export function roomOf(defaults: TokenDefaults, exceptId: string, nowMs: number): TokenRoom {
  const budget = memberBudget(defaults);
  const revokedSinceMs = budget === undefined ? Number.MAX_SAFE_INTEGER : windowStartMs(budget.period, nowMs);
  return { most: defaults.perPersonMax, revokedSinceMs, exceptId };
}

/** From the shortest to the longest: the same amount for a shorter time is more. */
const periods: readonly BudgetPeriod[] = ['day', 'week', 'month', 'total'];

export function requireWithinBudget({ budget }: TokenTerms, defaults: TokenDefaults): void {
  const most = memberBudget(defaults);
  if (most === undefined) return;
  if (budget === undefined || budget.limitNano > most.limitNano) {
    throw beyond('budgetUsd', `must be at most ${usdText(most.limitNano)}`);
  }
  if (periods.indexOf(budget.period) < periods.indexOf(most.period)) {
    throw beyond('budgetPeriod', `must not be shorter than ${most.period}`);
  }
}

export function beyond(param: string, why: string): GatewayError {
  return new GatewayError('role_not_allowed', `${param}: ${why}`, { param });
}

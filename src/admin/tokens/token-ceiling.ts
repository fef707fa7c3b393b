/**
 * What limits a member: the budget of each of their tokens, and the number of tokens. Together they
 * limit what the person can spend.
 */

import type { BudgetPeriod, TokenTerms } from '../../access/caller.ts';
import { compileGlobs } from '../../access/glob.ts';
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

function requireWithinBudget({ budget }: TokenTerms, defaults: TokenDefaults): void {
  const most = memberBudget(defaults);
  if (most === undefined) return;
  if (budget === undefined || budget.limitNano > most.limitNano) {
    throw beyond('budgetUsd', `must be at most ${usdText(most.limitNano)}`);
  }
  if (periods.indexOf(budget.period) < periods.indexOf(most.period)) {
    throw beyond('budgetPeriod', `must not be shorter than ${most.period}`);
  }
}

/** What the operator's defaults give is also the most that a member may take. */
export function requireWithinDefaults(terms: TokenTerms, defaults: TokenDefaults, nowMs: number): void {
  for (const right of ['maySteer', 'mayExplain'] as const) {
    if (terms[right] === true) throw beyond(right, 'only an administrator can grant this');
  }
  if (terms.labels !== undefined) throw beyond('labels', 'only an administrator can set labels');
  for (const limit of ['rpm', 'tpm', 'concurrency'] as const) {
    const most = defaults[limit];
    if (most !== undefined && (terms[limit] ?? Number.POSITIVE_INFINITY) > most) {
      throw beyond(limit, `must be at most ${most}`);
    }
  }
  requireWithinBudget(terms, defaults);
  const { expiresInDays, models } = defaults;
  const latestMs = expiresInDays === undefined ? undefined : nowMs + expiresInDays * 24 * 60 * 60 * 1_000;
  if (latestMs !== undefined && (terms.expiresAtMs ?? Number.POSITIVE_INFINITY) > latestMs) {
    throw beyond('expiresAt', `must be at most ${expiresInDays} days from now`);
  }
  if (models === undefined) return;
  const isServed = compileGlobs(models);
  const isWithin = (entry: string): boolean => models.includes(entry) || (!entry.includes('*') && isServed(entry));
  if (terms.models === undefined || !terms.models.every(isWithin)) {
    throw beyond('models', `can only include ${models.join(', ')}`);
  }
}

export function beyond(param: string, why: string): GatewayError {
  return new GatewayError('role_not_allowed', `${param}: ${why}`, { param });
}

/** What a person spent and what their program's token has left, for the status line of a coding agent. */

import type { TokenRecord } from '../../access/caller.ts';
import type { TokenTable } from '../../access/token-table.ts';
import { usdText } from '../../ledger/money.ts';
import { windowEndMs } from '../../ledger/window.ts';
import type { TokenSpends } from '../tokens/token-spend.ts';
import { type BudgetState, leftOf } from '../tokens/token-terms.ts';

interface SpendView {
  /** Of all tokens of the person, or of this token where it belongs to none. */
  readonly month_usd: string;
  readonly month_resets_at: string;
  /** Of this token, where it has one. */
  readonly budget?: {
    readonly limit_usd: string;
    readonly left_usd: string;
    readonly period: string;
    /** Absent for a budget that never resets. */
    readonly resets_at?: string;
  };
}

interface SpendOptions {
  readonly tokens: Pick<TokenTable, 'byId' | 'list'>;
  readonly spends: TokenSpends;
  readonly budgetState: (record: TokenRecord, atMs: number) => Promise<BudgetState | undefined>;
  readonly nowMs: () => number;
}

export type SpendOf = (tokenId: string) => Promise<SpendView | undefined>;

/** More tokens of one person are not added up: a status line asks often. */
const tokensMax = 500;

export function createSpendOf({ tokens, spends, budgetState, nowMs }: SpendOptions): SpendOf {
  const iso = (atMs: number): string => new Date(atMs).toISOString();
  return async (tokenId) => {
    const record = await tokens.byId(tokenId);
    if (record === undefined) return undefined;
    const { ownerId, terms } = record;
    const own = ownerId === undefined ? [record] : await tokens.list({ ownerId, limit: tokensMax });
    const spent = await spends(own.map(({ id }) => id));
    const monthNano = [...spent.values()].reduce((sum, each) => sum + each.monthNano, 0n);
    const month = { month_usd: usdText(monthNano), month_resets_at: iso(windowEndMs('month', nowMs()) ?? nowMs()) };
    const state = await budgetState(record, nowMs());
    if (terms.budget === undefined || state === undefined) return month;
    const { limitNano, period } = terms.budget;
    const endMs = windowEndMs(period, nowMs());
    return {
      ...month,
      budget: {
        limit_usd: usdText(limitNano),
        left_usd: usdText(leftOf(limitNano, state)),
        period,
        ...(endMs !== undefined && { resets_at: iso(endMs) }),
      },
    };
  };
}

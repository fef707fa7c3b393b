/** Tokens whose budget is nearly spent, so that an operator can act before they are refused. */

import type { TokenRecord } from '../../access/caller.ts';
import { usdText } from '../../ledger/money.ts';
import { windowStartMs } from '../../ledger/window.ts';
import type { BudgetStanding } from '../../store/store.ts';
import type { BudgetAlarmView } from '../contracts/analytics-contract.ts';
import { budgetPeriods } from '../contracts/contract.ts';

interface BudgetAlarmOptions {
  readonly standings: (windowStartsMs: readonly number[], ownerId?: string) => Promise<readonly BudgetStanding[]>;
  readonly nowMs: () => number;
}

/** Of all tokens, or of those of one account; the nearest to its end first. */
export type BudgetAlarms = (ownerId?: string) => Promise<readonly BudgetAlarmView[]>;

/** From this share on a budget is listed. */
const shareMin = 0.75;
const alarmsMax = 50;
/** Shares are given in these parts; a float holds them exactly. */
const shareParts = 1_000_000n;

export function createBudgetAlarms({ standings, nowMs }: BudgetAlarmOptions): BudgetAlarms {
  return async (ownerId) => {
    const atMs = nowMs();
    const starts = budgetPeriods.map((period) => windowStartMs(period, atMs));
    const found = await standings(starts, ownerId);
    return found
      .flatMap((standing) => alarmOf(standing, atMs) ?? [])
      .sort((a, b) => b.share - a.share || (a.tokenId < b.tokenId ? -1 : 1))
      .slice(0, alarmsMax);
  };
}

function alarmOf(
  { token, windowStartMs: startMs, spentNano }: BudgetStanding,
  atMs: number,
): BudgetAlarmView | undefined {
  const { budget } = token.terms;
  // Rows of other windows are of a budget that was changed since, or of another period that began at the same time.
  if (budget === undefined || startMs !== windowStartMs(budget.period, atMs) || isExpired(token, atMs))
    return undefined;
  const share = Number((spentNano * shareParts) / budget.limitNano) / Number(shareParts);
  if (share < shareMin) return undefined;
  return {
    tokenId: token.id,
    tokenName: token.terms.name,
    limitUsd: usdText(budget.limitNano),
    spentUsd: usdText(spentNano),
    period: budget.period,
    share,
  };
}

const isExpired = ({ terms }: TokenRecord, atMs: number): boolean =>
  terms.expiresAtMs !== undefined && terms.expiresAtMs <= atMs;

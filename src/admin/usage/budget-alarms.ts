/** Tokens whose budget is nearly spent or too small for a request, so that an operator can act before they are refused. */

import type { TokenRecord } from '../../access/caller.ts';
import { usdText } from '../../ledger/money.ts';
import { windowEndMs, windowStartMs } from '../../ledger/window.ts';
import type { BudgetStanding } from '../../store/store.ts';
import type { BudgetAlarmView } from '../contracts/analytics-contract.ts';
import { budgetPeriods } from '../contracts/contract.ts';
import type { LeastReservations } from '../tokens/least-reservation.ts';
import { isoText, leastView, leftOf, withoutAbsent } from '../tokens/token-terms.ts';

type Standings = (windowStartsMs: readonly number[], seenBy?: string) => Promise<readonly BudgetStanding[]>;

interface BudgetAlarmOptions {
  readonly standings: Standings;
  /** Absent: a remainder that is too small is not recognized. */
  readonly least?: LeastReservations | undefined;
  readonly nowMs: () => number;
}

/** Of all tokens, or of those that an account may see; the nearest to its end first. */
export type BudgetAlarms = (seenBy?: string) => Promise<readonly BudgetAlarmView[]>;

/** From this share on a budget is listed. */
const shareMin = 0.75;
const alarmsMax = 50;
/** Shares are given in these parts; a float holds them exactly. */
const shareParts = 1_000_000n;

export function createBudgetAlarms({ standings, least, nowMs }: BudgetAlarmOptions): BudgetAlarms {
  return async (seenBy) => {
    const atMs = nowMs();
    return (await currentStandings(standings, atMs, seenBy))
      .flatMap((standing) => alarmOf(standing, atMs, least) ?? [])
      .sort((a, b) => b.share - a.share || (a.tokenId < b.tokenId ? -1 : 1))
      .slice(0, alarmsMax);
  };
}

/** The spent part of each budget of which anything is spent. */
export async function budgetShares(
  standings: Standings,
  atMs: number,
  seenBy?: string,
): Promise<ReadonlyMap<string, number>> {
  const current = await currentStandings(standings, atMs, seenBy);
  return new Map(current.map(({ token, share }) => [token.id, share]));
}

interface CurrentStanding extends BudgetStanding {
  readonly budget: NonNullable<TokenRecord['terms']['budget']>;
  readonly share: number;
}

async function currentStandings(
  standings: Standings,
  atMs: number,
  seenBy: string | undefined,
): Promise<readonly CurrentStanding[]> {
  const starts = budgetPeriods.map((period) => windowStartMs(period, atMs));
  return (await standings(starts, seenBy)).flatMap((standing) => {
    const { budget } = standing.token.terms;
    // Rows of other windows are of a budget that was changed since, or of another period that began at the same time.
    if (budget === undefined || standing.windowStartMs !== windowStartMs(budget.period, atMs)) return [];
    const share = Number((standing.spentNano * shareParts) / budget.limitNano) / Number(shareParts);
    return [{ ...standing, budget, share }];
  });
}

function alarmOf(
  standing: CurrentStanding,
  atMs: number,
  least: LeastReservations | undefined,
): BudgetAlarmView | undefined {
  const { token, budget, share, spentNano, heldNano } = standing;
  if (isExpired(token, atMs)) return undefined;
  const leftNano = leftOf(budget.limitNano, standing);
  const tooLittle = leastView(leftNano, least?.(token.terms.models));
  if (share < shareMin && tooLittle === undefined) return undefined;
  return withoutAbsent<BudgetAlarmView>({
    tokenId: token.id,
    tokenName: token.terms.name,
    limitUsd: usdText(budget.limitNano),
    spentUsd: usdText(spentNano),
    heldUsd: usdText(heldNano),
    leftUsd: usdText(leftNano),
    period: budget.period,
    resetsAt: isoText(windowEndMs(budget.period, atMs)),
    least: tooLittle,
    share,
  });
}

const isExpired = ({ terms }: TokenRecord, atMs: number): boolean =>
  terms.expiresAtMs !== undefined && terms.expiresAtMs <= atMs;

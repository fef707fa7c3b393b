/** What tokens have spent, with a budget or without one: from the sums of usage, so that a long list costs few queries. */

import { windowStartMs } from '../../ledger/window.ts';
import type { AnalyticsStore, UsageGroup } from '../../store/analytics/analytics-store.ts';
import type { TokenSpendView } from '../contracts/account-contract.ts';

export interface TokenSpend {
  readonly monthNano: bigint;
  readonly totalNano: bigint;
  readonly unpriced: number;
}

/** Of these tokens; the others are not in it. */
export type TokenSpends = (tokenIds: readonly string[]) => Promise<ReadonlyMap<string, TokenSpend>>;

/** As many ids as one query names: fewer than it returns groups. */
const idsPerQuery = 500;

export function createTokenSpends(analytics: Pick<AnalyticsStore, 'groups'>, nowMs: () => number): TokenSpends {
  const sumsOf = async (tokenIds: readonly string[], fromMs: number): Promise<ReadonlyMap<string, UsageGroup>> => {
    const range = { fromMs, toMs: nowMs() + 1 };
    const [groups = []] = await analytics.groups([{ by: 'token_id' }], range, { tokenIds }, idsPerQuery);
    return new Map(groups.map((group) => [group.key, group]));
  };
  return async (tokenIds) => {
    const spends = new Map<string, TokenSpend>();
    for (let from = 0; from < tokenIds.length; from += idsPerQuery) {
      const ids = tokenIds.slice(from, from + idsPerQuery);
      const [month, total] = await Promise.all([sumsOf(ids, windowStartMs('month', nowMs())), sumsOf(ids, 0)]);
      for (const id of ids) {
        const { costNano: totalNano = 0n, unpriced = 0 } = total.get(id) ?? {};
        spends.set(id, { monthNano: month.get(id)?.costNano ?? 0n, totalNano, unpriced });
      }
    }
    return spends;
  };
}

export function spendView(spend: TokenSpend | undefined): TokenSpendView {
  const { monthNano = 0n, totalNano = 0n, unpriced = 0 } = spend ?? {};
  return { monthNano: monthNano.toString(), totalNano: totalNano.toString(), unpriced };
}

/** What the requests that name end users cost, from the sums of usage: two queries for each level on a page. */

import type { EndUserKey } from '../../access/levels/end-users.ts';
import { windowStartMs } from '../../ledger/window.ts';
import type { AnalyticsFilter, AnalyticsStore, UsageGroup } from '../../store/analytics/analytics-store.ts';
import { storableUser } from '../../store/usage/usage-table.ts';
import type { EndUserView } from '../contracts/end-user-contract.ts';
import type { TokenSpend } from '../tokens/token-spend.ts';

type Named = EndUserKey & { readonly name: string };
type ScopeKind = EndUserView['scope']['kind'];

/** By the ids of end users. */
type EndUserSpends = (
  users: readonly Named[],
  kindOf: (scopeId: string) => ScopeKind,
) => Promise<ReadonlyMap<string, TokenSpend>>;

export function createEndUserSpends(analytics: Pick<AnalyticsStore, 'groups'>, nowMs: () => number): EndUserSpends {
  const sumsOf = async (filter: AnalyticsFilter, fromMs: number): Promise<ReadonlyMap<string, UsageGroup>> => {
    const range = { fromMs, toMs: nowMs() + 1 };
    const [groups = []] = await analytics.groups([{ by: 'end_user' }], range, filter, filter.endUsers?.length ?? 0);
    return new Map(groups.map((group) => [group.key, group]));
  };
  return async (users, kindOf) => {
    const spends = new Map<string, TokenSpend>();
    for (const [scopeId, group] of Map.groupBy(users, (user) => user.scopeId)) {
      const endUsers = [...new Set(group.map(({ name }) => storableUser(name)))];
      const filter = { ...tokensOf(kindOf(scopeId), scopeId), endUsers };
      const [month, total] = await Promise.all([sumsOf(filter, windowStartMs('month', nowMs())), sumsOf(filter, 0)]);
      for (const { digest, name } of group) {
        const key = storableUser(name);
        const { costNano: totalNano = 0n, unpriced = 0 } = total.get(key) ?? {};
        spends.set(`${scopeId}.${digest}`, { monthNano: month.get(key)?.costNano ?? 0n, totalNano, unpriced });
      }
    }
    return spends;
  };
}

function tokensOf(kind: ScopeKind, scopeId: string): AnalyticsFilter {
  if (kind === 'organization') return {};
  if (kind === 'token') return { tokenIds: [scopeId] };
  return kind === 'team' ? { teamIds: [scopeId] } : { projectIds: [scopeId] };
}

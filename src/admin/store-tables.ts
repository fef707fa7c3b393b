/** Adapts the store to the tables that access and admin need. */

import type { TokenRecord } from '../access/caller.ts';
import type { TokenTable } from '../access/token-table.ts';
import { windowStartMs } from '../ledger/window.ts';
import type { Store } from '../store/store.ts';
import type { Dimension } from './contracts/analytics-contract.ts';
import type { BudgetState } from './tokens/token-terms.ts';
import { sumsBy } from './usage/dimensions.ts';
import type { UsageFilter, UsageSum, UsageTable } from './usage/usage.ts';

export function tokenTable(store: Store): TokenTable {
  const { tokens } = store;
  return {
    insert: (record, digest) => tokens.insert({ ...newToken(record, digest), ownerId: record.ownerId }),
    async insertWithin(record, digest, room) {
      const { ownerId } = record;
      if (ownerId === undefined) return false;
      return tokens.insertWithin({ ...newToken(record, digest), ownerId }, room);
    },
    byDigest: (digest) => tokens.byDigest(digest),
    byId: (id) => tokens.byId(id),
    async list({ afterId, limit, ownerId, search, ...scope }) {
      const after = afterId === undefined ? undefined : await tokens.byId(afterId);
      const place = after && { atMs: after.createdAtMs, id: after.id };
      const page = await tokens.list({ limit, after: place }, ownerId, search, scope);
      return page.items;
    },
    updateTerms: (id, terms) => tokens.updateTerms(id, terms),
    changeOwner: (id, ownerId) => tokens.changeOwner(id, ownerId),
    changeUnit: (id, unitId) => tokens.changeUnit(id, unitId),
    revoke: (id, atMs) => tokens.revoke(id, atMs),
    rotate: (id, digest, hint, oldValidUntilMs) => tokens.rotate(id, digest, hint, oldValidUntilMs),
    async renew(record, digest, oldValidUntilMs) {
      const { ownerId } = record;
      if (ownerId === undefined) return false;
      return tokens.renew({ ...newToken(record, digest), ownerId }, oldValidUntilMs);
    },
    moveDigest: (from, to) => tokens.moveDigest(from, to),
    revokeOf: (ownerId, atMs) => tokens.revokeOf(ownerId, atMs),
    revision: () => store.revision(),
  };
}

function newToken({ id, hint, terms, createdAtMs, unitId, parentId }: TokenRecord, digest: string) {
  return { id, digest, hint, terms, createdAtMs, unitId, parentId };
}

export function usageTable(store: Store): UsageTable {
  return {
    list: async (filter, limit) => (await store.usage.list(filter, { limit })).items,
    sum: (grouping, filter, limit) =>
      grouping === 'day'
        ? store.usage.summarise(grouping, filter, limit)
        : dimensionSums(store, grouping, filter, limit),
    unpriced: (fromMs, toMs, limit) => store.analytics.unpricedModels({ fromMs, toMs }, limit),
    byId: (requestId) => store.usage.byId(requestId),
    attemptsOf: (requestId) => store.attempts.ofRequest(requestId),
    errorsOf: (requestId) => store.requestErrors.ofRequest(requestId),
  };
}

/** The last instant that a date can have. */
const timeEndMs = 8_640_000_000_000_000;

async function dimensionSums(
  store: Store,
  by: Dimension,
  { fromMs = 0, toMs = timeEndMs, tokenId, ownerId, model, provider }: UsageFilter,
  limit: number,
): Promise<readonly UsageSum[]> {
  const filter = {
    ownerId,
    tokenIds: tokenId === undefined ? undefined : [tokenId],
    models: model === undefined ? undefined : [model],
    providers: provider === undefined ? undefined : [provider],
  };
  const { groups } = await sumsBy(store, { by, range: { fromMs, toMs }, filter, order: 'cost', limit });
  return groups.map(({ key, label, figures }) => ({ key, label, ...figures }));
}

/** What the token's current budget window has spent and holds. */
export async function budgetState(store: Store, record: TokenRecord, atMs: number): Promise<BudgetState | undefined> {
  const { budget } = record.terms;
  if (budget === undefined) return undefined;
  return store.budgets.read(`token:${record.id}`, windowStartMs(budget.period, atMs));
}

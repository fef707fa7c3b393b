/** Tokens as lists and panels show them, and what a list is sorted by. */

import type { AccountRecord } from '../../access/account.ts';
import type { TokenRecord } from '../../access/caller.ts';
import { budgetScopeName } from '../../access/levels/levels.ts';
import type { Actor } from '../accounts/sessions.ts';
import type { OwnedTokenView, TokenAccess, TokenSort } from '../contracts/account-contract.ts';
import { type BudgetReader, budgetViews } from '../organization/budget-terms.ts';
import type { LeastReservations } from './least-reservation.ts';
import type { SortValue } from './sorted-tokens.ts';
import type { TokenPower, TokenPowers } from './token-powers.ts';
import { spendView, type TokenSpends } from './token-spend.ts';
import { type BudgetState, isoText, tokenView, withoutAbsent } from './token-terms.ts';

export interface TokenViewOptions {
  readonly budgetState: (record: TokenRecord, atMs: number) => Promise<BudgetState | undefined>;
  readonly budgets: BudgetReader;
  readonly accountOf: (id: string) => Promise<AccountRecord | undefined>;
  readonly powers: TokenPowers;
  readonly spends: TokenSpends;
  /** The part of each budget that is spent; a token that has spent nothing may be missing. */
  readonly budgetShares: (seenBy?: string) => Promise<ReadonlyMap<string, number>>;
  /** Absent: a remainder that is too small is not recognized. */
  readonly least?: LeastReservations | undefined;
  /** When the token's newest request came; absent: not shown. */
  readonly lastUsedAtMs?: (tokenId: string) => Promise<number | undefined>;
  readonly nowMs: () => number;
}

const accessOf: Readonly<Record<TokenPower, TokenAccess>> = {
  all: 'full',
  team: 'full',
  own: 'own',
  read: 'read',
  none: 'read',
};

/** Views of many tokens, with what they spent from one query. */
export function createTokenViews(options: TokenViewOptions) {
  const { nowMs, accountOf, budgetState, budgets, lastUsedAtMs, least, powers, spends } = options;
  return async (actor: Actor, records: readonly TokenRecord[]): Promise<readonly OwnedTokenView[]> => {
    const spent = await spends(records.map(({ id }) => id));
    return Promise.all(
      records.map(async (record) => {
        const { terms } = record;
        const scopeOf = (budgetId: string): string => budgetScopeName({ kind: 'token', id: record.id }, budgetId);
        const [state, further, owner, usedAtMs, place, power] = await Promise.all([
          budgetState(record, nowMs()),
          terms.budgets && budgetViews(terms.budgets, scopeOf, budgets, nowMs()),
          record.ownerId === undefined ? undefined : accountOf(record.ownerId),
          lastUsedAtMs?.(record.id),
          powers.placeOf(record.unitId),
          powers.over(actor, record),
        ]);
        const budget = state && { ...state, least: least?.(terms.models) };
        return withoutAbsent<OwnedTokenView>({
          ...tokenView(record, nowMs(), budget),
          budgets: further,
          ownerName: owner?.name,
          teamId: place?.team.id,
          teamName: place?.team.name,
          projectName: place?.project?.name,
          access: accessOf[power],
          lastUsedAt: isoText(usedAtMs),
          spend: spendView(spent.get(record.id)),
        });
      }),
    );
  };
}

/** What each token is sorted by. */
export function sortValues({ accountOf, budgetShares, spends }: TokenViewOptions, seenBy: string | undefined) {
  const own: Readonly<Partial<Record<TokenSort, (record: TokenRecord) => SortValue>>> = {
    name: ({ terms }) => terms.name,
    expires: ({ terms }) => terms.expiresAtMs,
  };
  return async (by: TokenSort, records: readonly TokenRecord[]): Promise<ReadonlyMap<string, SortValue>> => {
    const ownValue = own[by];
    if (ownValue !== undefined) return new Map(records.map((record) => [record.id, ownValue(record)]));
    if (by === 'budget') {
      const shares = await budgetShares(seenBy);
      return new Map(records.map(({ id, terms }) => [id, terms.budget && (shares.get(id) ?? 0)]));
    }
    if (by === 'owner') {
      const ids = [...new Set(records.flatMap((record) => record.ownerId ?? []))];
      const names = new Map(await Promise.all(ids.map(async (id) => [id, (await accountOf(id))?.name] as const)));
      return new Map(records.map((record) => [record.id, names.get(record.ownerId ?? '')]));
    }
    const spent = await spends(records.map(({ id }) => id));
    return new Map(records.map(({ id }) => [id, spent.get(id)?.[by === 'month' ? 'monthNano' : 'totalNano']]));
  };
}

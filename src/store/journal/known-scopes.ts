/** The budgets of a caller as those who decide on them in memory need them, made once for all requests of that caller. */

import type { BudgetUnit } from '../../access/organization.ts';
import type { Amounts } from '../attempts/amounts.ts';
import { oncePerRows } from '../attempts/scope-rows.ts';

export interface KnownScope {
  /** Of its window. */
  readonly key: string;
  readonly scope: string;
  readonly windowStartMs: number;
  readonly unit: BudgetUnit;
  readonly limit: bigint;
  readonly place: number;
}

/** What an open attempt holds. */
export interface HeldBudgets {
  readonly scopes: readonly KnownScope[];
  readonly reserved: Amounts;
}

export const keyOf = (scope: string, windowStartMs: number): string => `${windowStartMs} ${scope}`;

export const knownScopes = oncePerRows((rows): readonly KnownScope[] =>
  rows.map(({ scope, windowStartMs, unit, limit, place }) => ({
    key: keyOf(scope, windowStartMs),
    scope,
    windowStartMs,
    unit,
    limit: BigInt(limit),
    place,
  })),
);

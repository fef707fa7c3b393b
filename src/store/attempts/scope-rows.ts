/**
 * The budgets of an opening as the store needs them: sorted, and as the text that is written with the attempt. Requests of one
 * caller share the array that these are made of, so each is made once for many requests.
 */

import type { BudgetUnit } from '../../access/organization.ts';
import type { BudgetScope } from '../../ledger/ledger.ts';
import { type Money, moneyCell } from '../sql/statement.ts';

/** A budget that an opening counts against. */
export interface ScopeRow {
  readonly scope: string;
  readonly unit: BudgetUnit;
  readonly limit: Money;
  readonly windowStartMs: number;
  /** Where the caller had it: of several without room, the one with the lowest place refuses. */
  readonly place: number;
}

const noRows: readonly ScopeRow[] = [];
const made = new WeakMap<readonly BudgetScope[], readonly ScopeRow[]>();

/** Sorted, so that two holders of several budgets cannot deadlock. */
export function scopeRows({ scopes }: { readonly scopes: readonly BudgetScope[] }): readonly ScopeRow[] {
  if (scopes.length === 0) return noRows;
  const known = made.get(scopes);
  if (known !== undefined) return known;
  const rows = scopes.map(({ scope, unit, limit, windowStartMs }, place) => ({
    scope,
    unit,
    limit: moneyCell(limit),
    windowStartMs,
    place,
  }));
  rows.sort((a, b) => (a.scope < b.scope ? -1 : a.scope > b.scope ? 1 : a.windowStartMs - b.windowStartMs));
  made.set(scopes, rows);
  return rows;
}

/** A function of rows whose results are kept for as long as the rows are. */
export function oncePerRows<Result>(
  make: (rows: readonly ScopeRow[]) => Result,
): (rows: readonly ScopeRow[]) => Result {
  const results = new WeakMap<readonly ScopeRow[], Result>();
  return (rows) => {
    const known = results.get(rows);
    if (known !== undefined) return known;
    const result = make(rows);
    results.set(rows, result);
    return result;
  };
}

/** A budget as an attempt has it written down. The unit of money is left out, as it was before there were others. */
type WrittenScope = readonly [scope: string, windowStartMs: number, unit?: BudgetUnit];

/** As the column `scopes` has them. */
export const scopesText = oncePerRows((rows): string =>
  JSON.stringify(
    rows.map(
      ({ scope, windowStartMs, unit }): WrittenScope =>
        unit === 'usd' ? [scope, windowStartMs] : [scope, windowStartMs, unit],
    ),
  ),
);

/** The same as a JSON text, which the journal records. */
export const scopesJson = oncePerRows((rows): string => JSON.stringify(scopesText(rows)));

/** As they were written when the attempt was opened. */
export const scopesOf = (scopes: string): readonly WrittenScope[] =>
  scopes === '' ? [] : (JSON.parse(scopes) as WrittenScope[]);

/** Attempts whose opening and closing are written together, when both are known already. */

import { transaction } from '../sql/query.ts';
import { type SqlValue, type Steps, statementsBy, step } from '../sql/statement.ts';
import { placesFrom } from '../sql/table.ts';
import { addSoleAttemptRows, addUsageRows, type SoleAttemptRow } from '../usage/usage-queries.ts';
import type { UsageCells } from '../usage/usage-table.ts';
import { type Amounts, chargedAmounts, chargeOf, reserveOf, sumOf } from './amounts.ts';
import { moveBudget } from './attempt-queries.ts';
import { type ClosingCells, closingTable, isRecordedByRow, type OpeningCells, openingTable } from './attempt-table.ts';
import { scopesOf } from './scope-rows.ts';

/** The columns of an attempt that has ended, in the order of `bindSettled`. */
export const settledColumns = `${openingTable.list}, scopes, cost_nano, estimated, settled_at_ms, verdict, tokens`;

/** An attempt's opening and closing, written together, and the budgets that it counted against. */
export type WholeAttempt = readonly [opening: OpeningCells, closing: ClosingCells, scopes: string];

export const settledWidth = openingTable.columns.length + 6;
const insertSettled = statementsBy((size: number) => {
  const tuples = Array.from(
    { length: size },
    (_, at) => `(${placesFrom(1 + at * settledWidth, settledWidth)}, 'settled')`,
  );
  return `INSERT INTO attempt_rows (${settledColumns}, state)
     VALUES ${tuples.join(', ')}`;
});
const wholePerStatement = 16;

/**
 * Attempts that have ended already: they never need to be seen open, and one that was its request's only attempt needs no
 * row beside the request's.
 */
export const addSettledAttempts = transaction(function* (attempts: readonly WholeAttempt[]): Steps<null> {
  const sole: SoleAttemptRow[] = [];
  const others: WholeAttempt[] = [];
  for (const attempt of attempts) {
    const row = closingTable.get(attempt[1], 'row');
    if (row !== null && isRecordedByRow(attempt[1])) sole.push(soleRow(attempt, row));
    else others.push(attempt);
  }
  yield* addSoleAttemptRows(sole);
  yield* spend(attempts);
  for (let from = 0; from < others.length; ) {
    const size = others.length - from >= wholePerStatement ? wholePerStatement : 1;
    const values: SqlValue[] = [];
    for (const attempt of others.slice(from, from + size)) bindSettled(values, attempt);
    yield { statement: insertSettled(size), values };
    from += size;
  }
  const rows = others.map(([, closing]) => closingTable.get(closing, 'row')).filter((row) => row !== null);
  return yield* addUsageRows.steps(rows);
});

/** Each budget once. What an attempt held and released in between makes no difference. */
export function* spend(attempts: readonly WholeAttempt[]): Steps<void> {
  const charged = new Map<string, Amounts>();
  for (const attempt of attempts) {
    const scopes = attempt[2];
    if (scopes === '') continue;
    const amounts = amountsOf(attempt);
    const sum = charged.get(scopes);
    charged.set(scopes, sum === undefined ? amounts : sumOf(sum, amounts));
  }
  const spent = new Map<string, { readonly values: readonly [string, number]; amount: bigint }>();
  for (const [scopes, amounts] of charged) {
    for (const [scope, windowStartMs, unit = 'usd'] of scopesOf(scopes)) {
      const key = `${windowStartMs} ${scope}`;
      const sum = spent.get(key);
      if (sum === undefined) spent.set(key, { values: [scope, windowStartMs], amount: amounts[unit] });
      else sum.amount += amounts[unit];
    }
  }
  for (const { values, amount } of spent.values()) yield step(moveBudget, ...values, amount, 0n);
}

const amountsOf = ([opening, closing]: WholeAttempt): Amounts =>
  chargedAmounts(chargeOf(closing), BigInt(reserveOf(opening).reserveTokens ?? 0));

function soleRow(attempt: WholeAttempt, row: UsageCells): SoleAttemptRow {
  const [opening, , scopes] = attempt;
  const keyId = openingTable.get(opening, 'keyId');
  if (scopes === '') return { row, keyId, scopes: null, chargedTokens: null };
  return { row, keyId, scopes, chargedTokens: amountsOf(attempt).tokens };
}

export function bindSettled(values: SqlValue[], attempt: WholeAttempt): void {
  const [opening, closing, scopes] = attempt;
  openingTable.bind(values, opening);
  values.push(
    scopes,
    BigInt(closingTable.get(closing, 'costNano')),
    closingTable.get(closing, 'estimated') ? 1 : 0,
    closingTable.get(closing, 'atMs'),
    closingTable.get(closing, 'verdict'),
    scopes === '' ? null : amountsOf(attempt).tokens,
  );
}

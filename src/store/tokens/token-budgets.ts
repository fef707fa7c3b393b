/** What tokens have spent of their budgets: one budget row for each token that has a budget. */

import { tokensSeenSql } from '../organization/seen-tokens.ts';
import { longRead } from '../sql/query.ts';
import { type Money, type Steps, statement, step } from '../sql/statement.ts';
import { integer, money, table } from '../sql/table.ts';
import { type TokenRow, tokens } from './token-queries.ts';

const budgets = table('budgets', { windowStartMs: integer, spentNano: money, heldNano: money });

interface StandingRow {
  readonly token: TokenRow;
  readonly windowStartMs: number;
  readonly spentNano: Money;
  readonly heldNano: Money;
}

/** Keeps a result small where tokens are made by a program. */
const tokensMax = 20_000;

/** Terms are JSON that only Weir writes, and a token without a budget does not have the word. */
const select = (narrowing: string): string =>
  `SELECT ${tokens.listOf('tokens')}, ${budgets.listOf('budgets')}
   FROM tokens JOIN budgets ON budgets.scope = 'token:' || tokens.id AND budgets.window_start_ms IN ($1, $2, $3, $4)
   WHERE tokens.revoked_at_ms IS NULL AND tokens.terms LIKE '%"budget"%' AND budgets.spent_nano > 0${narrowing} LIMIT ${tokensMax}`;

const ofAll = statement(select(''));
const seen = statement(select(` AND tokens.id IN (${tokensSeenSql('$5')})`));

/** At most four windows, one for each period that a budget can have. */
export const budgetStandings = longRead(function* (
  windowStartsMs: readonly number[],
  seenBy: string | null,
): Steps<readonly StandingRow[]> {
  const [first = 0, second = first, third = first, fourth = first] = windowStartsMs;
  const windows = [first, second, third, fourth] as const;
  const rows = yield seenBy === null ? step(ofAll, ...windows) : step(seen, ...windows, seenBy);
  return rows.map((row) => ({ token: tokens.read(row), ...budgets.read(row, tokens.width) }));
});

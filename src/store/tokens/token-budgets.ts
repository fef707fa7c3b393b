/** How far tokens have come with their budgets, all at once: one look at a budget's row for each token that has a budget. */

import {
  asNumber,
  asNumberOrNull,
  asText,
  asTextOrNull,
  type Operation,
  type Row,
  statement,
  step,
} from '../sql/statement.ts';
import type { TokenCells } from './token-queries.ts';

/** A token, the start of a window, and what it spent in it as digits. */
export type StandingCells = readonly [token: TokenCells, windowStartMs: number, spentNano: string];

/** More than anybody looks at; it keeps an answer small where tokens are made by a program. */
const tokensMax = 20_000;

/** Terms are JSON that only Weir writes, and a token without a budget does not have the word. */
const select = (narrowing: string): string =>
  `SELECT tokens.id, tokens.hint, tokens.terms, tokens.created_at_ms, tokens.revoked_at_ms, tokens.owner_id, budgets.window_start_ms, budgets.spent_nano
   FROM tokens JOIN budgets ON budgets.scope = 'token:' || tokens.id AND budgets.window_start_ms IN ($1, $2, $3, $4)
   WHERE tokens.revoked_at_ms IS NULL AND tokens.terms LIKE '%"budget"%' AND budgets.spent_nano > 0${narrowing} LIMIT ${tokensMax}`;

const ofAll = statement(select(''));
const ofOwner = statement(select(' AND tokens.owner_id = $5'));

/** At most four windows, one for each period that a budget can have. */
export function* budgetStandings(
  windowStartsMs: readonly number[],
  ownerId: string | null,
): Operation<readonly StandingCells[]> {
  const [first = 0, second = first, third = first, fourth = first] = windowStartsMs;
  const windows = [first, second, third, fourth] as const;
  const rows = yield ownerId === null ? step(ofAll, ...windows) : step(ofOwner, ...windows, ownerId);
  return rows.map(standing);
}

function standing(row: Row): StandingCells {
  const token: TokenCells = [
    asText(row[0]),
    asText(row[1]),
    asText(row[2]),
    asNumber(row[3]),
    asNumberOrNull(row[4]),
    null,
    asTextOrNull(row[5]),
  ];
  return [token, asNumber(row[6]), asText(row[7])];
}

/** All attempts of one request, from either table that has them. */

import { read } from '../sql/query.ts';
import { type Steps, statement, step } from '../sql/statement.ts';
import { flag, integer, money, optional, placesFrom, type RowIn, selection, text } from '../sql/table.ts';

/** The view over `attempt_rows` and those `usage_rows` that record their only attempt. */
const attempts = selection({
  id: ['id', text],
  tokenId: ['token_id', text],
  provider: ['provider', text],
  model: ['model', text],
  keyId: ['key_id', optional(text)],
  verdict: ['verdict', optional(text)],
  atMs: ['at_ms', integer],
  settledAtMs: ['settled_at_ms', optional(integer)],
  costNano: ['cost_nano', optional(money)],
  estimated: ['estimated', flag],
  // One that was recovered has a row of its own always.
  recovered: ['(SELECT own.recovered FROM attempt_rows own WHERE own.id = attempts.id)', flag],
});
export type TrailRow = RowIn<typeof attempts>;

/** How many attempts are read at a time; nearly every request has fewer. */
const pageSize = 32;

/**
 * By their ids, which are the request's with a number behind: an index for so rare a query would be paid for by every
 * attempt. The request is named beside them, because one of the two tables knows nothing else.
 */
const page = statement(
  `SELECT ${attempts.list} FROM attempts WHERE request_id = $1 AND id IN (${placesFrom(2, pageSize)})`,
);

export const attemptsOfRequest = read(function* (requestId: string): Steps<readonly TrailRow[]> {
  const found: TrailRow[] = [];
  for (let first = 1; ; first += pageSize) {
    const ids = Array.from({ length: pageSize }, (_, index) => `${requestId}.${first + index}`);
    const rows = (yield step(page, requestId, ...ids)).map((row) => attempts.read(row));
    if (rows.length === 0) return found;
    found.push(...rows.sort((a, b) => ids.indexOf(a.id) - ids.indexOf(b.id)));
  }
}, 'after-journal');

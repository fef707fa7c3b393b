/** Models that were used and have no price. */

import { tokensSeenSql } from '../organization/seen-tokens.ts';
import { longRead } from '../sql/query.ts';
import { type Steps, statementsBy } from '../sql/statement.ts';
import { integer, optional, type RowIn, selection, text } from '../sql/table.ts';
import { unpricedSql } from './unpriced.ts';
import { sumSql } from './usage-sums.ts';

/** By its provider's own name of the model; `units` are those of one of the requests. */
const unpriced = selection({
  provider: ['provider', text],
  model: ['upstream_model', text],
  requests: ['COUNT(*) AS requests', integer],
  inputTokens: [sumSql('input_total'), integer],
  outputTokens: [sumSql('output_total'), integer],
  lastAtMs: ['MAX(at_ms)', integer],
  units: ['MAX(units)', optional(text)],
});
type UnpricedRow = RowIn<typeof unpriced>;

const readUnpriced = statementsBy(
  (of: 'all' | 'seen') =>
    `SELECT ${unpriced.list}
     FROM usage_rows WHERE ${unpricedSql} AND at_ms >= $1 AND at_ms < $2${
       of === 'seen' ? ` AND token_id IN (${tokensSeenSql('$4')})` : ''
}
     GROUP BY provider, upstream_model ORDER BY requests DESC, provider, upstream_model LIMIT $3`,
);

/** The most used first; all, or those that an account may see. */
export const unpricedModels = longRead(function* (
  fromMs: number,
  toMs: number,
  limit: number,
  seenBy: string | null,
): Steps<readonly UnpricedRow[]> {
  const account = seenBy === null ? [] : [seenBy];
  const statement = readUnpriced(seenBy === null ? 'all' : 'seen');
  const rows = yield { statement, values: [fromMs, toMs, limit, ...account] };
  return rows.map((row) => unpriced.read(row));
});

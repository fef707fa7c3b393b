/** Models that were used and have no price. */

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
  (owned: 'all' | 'owned') =>
    `SELECT ${unpriced.list}
     FROM usage_rows WHERE ${unpricedSql} AND at_ms >= $1 AND at_ms < $2${
       owned === 'owned' ? ' AND token_id IN (SELECT id FROM tokens WHERE owner_id = $4)' : ''
}
     GROUP BY provider, upstream_model ORDER BY requests DESC, provider, upstream_model LIMIT $3`,
);

/** The most used first. */
export const unpricedModels = longRead(function* (
  fromMs: number,
  toMs: number,
  limit: number,
  ownerId: string | null,
): Steps<readonly UnpricedRow[]> {
  const owner = ownerId === null ? [] : [ownerId];
  const statement = readUnpriced(ownerId === null ? 'all' : 'owned');
  const rows = yield { statement, values: [fromMs, toMs, limit, ...owner] };
  return rows.map((row) => unpriced.read(row));
});

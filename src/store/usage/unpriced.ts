/** Requests whose cost nobody knows, in SQL: `ledger/unpriced.ts` says the same of one row. */

import { asNumber, asText, asTextOrNull, type Operation, statementsBy } from '../sql/statement.ts';

/**
 * The first condition is that of the index `usage_rows_unpriced`. What failed without using anything cost nothing; a row that a
 * sweeper wrote for a dead process names no price either, but has an estimate.
 */
const unpricedSql = "price_version = '' AND (units IS NOT NULL OR input_total > 0 OR output_total > 0)";

/** 1 for each such row, 0 for every other. */
export const unpricedCountSql = `CASE WHEN ${unpricedSql} THEN 1 ELSE 0 END`;

/** Provider, its own name of the model, requests, input, output, when the last one began, and the units of one of them. */
export type UnpricedCells = readonly [string, string, number, number, number, number, string | null];

const sum = (column: string): string => `CAST(COALESCE(SUM(${column}), 0) AS BIGINT)`;

const readUnpriced = statementsBy(
  (owned: 'all' | 'owned') =>
    `SELECT provider, upstream_model, COUNT(*) AS requests, ${sum('input_total')}, ${sum('output_total')}, MAX(at_ms), MAX(units)
     FROM usage_rows WHERE ${unpricedSql} AND at_ms >= $1 AND at_ms < $2${
       owned === 'owned' ? ' AND token_id IN (SELECT id FROM tokens WHERE owner_id = $4)' : ''
}
     GROUP BY provider, upstream_model ORDER BY requests DESC, provider, upstream_model LIMIT $3`,
);

/** The most used first. */
export function* unpricedModels(
  fromMs: number,
  toMs: number,
  limit: number,
  ownerId: string | null,
): Operation<readonly UnpricedCells[]> {
  const owner = ownerId === null ? [] : [ownerId];
  const read = readUnpriced(ownerId === null ? 'all' : 'owned');
  const rows = yield { statement: read, values: [fromMs, toMs, limit, ...owner] };
  return rows.map(([provider, model, requests, input, output, lastMs, units]) => [
    asText(provider),
    asText(model),
    asNumber(requests),
    asNumber(input),
    asNumber(output),
    asNumber(lastMs),
    asTextOrNull(units),
  ]);
}

/** Rows name the end user, cells the end user and the key, and further views of cells sum by one of token, key and user alone. */

import type { Migration } from '../../sql/migration.ts';

/** Sums of a view, by one of its columns or by none, under the name of another view; what that one does not distinguish is empty. */
const copied = (view: string, from: string, column?: 'token_id' | 'provider'): string => {
  const of = (name: string): string => (name === column ? name : "''");
  const by = column === undefined ? 'grain_ms, start_ms' : `grain_ms, start_ms, ${column}`;
  return `INSERT INTO usage_cells (view, grain_ms, start_ms, cell, token_id, model, provider, endpoint, code, status_class, stream,
      estimated, requests, failures, input_tokens, cache_read_tokens, output_tokens, cost_nano, cost_nano_max, total_ms_max,
      first_events, totals, unpriced)
    SELECT '${view}', grain_ms, start_ms, ROW_NUMBER() OVER (PARTITION BY grain_ms, start_ms ORDER BY ${by}) - 1,
      ${of('token_id')}, '', ${of('provider')}, '', '', -1, -1, -1,
      SUM(requests), SUM(failures), SUM(input_tokens), SUM(cache_read_tokens), SUM(output_tokens), SUM(cost_nano),
      MAX(cost_nano_max), MAX(total_ms_max), string_agg(first_events, ' '), string_agg(totals, ' '), SUM(unpriced)
    FROM usage_cells WHERE view = '${from}' GROUP BY ${by}`;
};

export const dimensions: Migration = {
  version: 20,
  name: 'dimensions of usage',
  statements: [
    "ALTER TABLE usage_rows ADD COLUMN end_user TEXT NOT NULL DEFAULT ''",
    // Sums from before distinguish neither: there both are empty, although some of their rows have a key.
    "ALTER TABLE usage_cells ADD COLUMN key_id TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE usage_cells ADD COLUMN end_user TEXT NOT NULL DEFAULT ''",
    copied('by-token', 'token', 'token_id'),
    copied('by-key', 'kind', 'provider'),
    copied('by-user', 'all'),
    "CREATE INDEX usage_cells_by_token ON usage_cells (token_id, grain_ms, start_ms) WHERE view = 'by-token'",
    "CREATE INDEX usage_cells_user_token ON usage_cells (token_id, grain_ms, start_ms) WHERE view = 'user'",
    // Of both views that distinguish users.
    "CREATE INDEX usage_cells_user ON usage_cells (end_user, grain_ms, start_ms) WHERE end_user <> ''",
  ],
};

/** What administrators write about end users, and the tags of requests in the sums of usage. */

import type { Migration } from '../../sql/migration.ts';

export const notesAndTags: Migration = {
  version: 34,
  name: 'notes-and-tags',
  statements: [
    "ALTER TABLE end_users ADD COLUMN note TEXT NOT NULL DEFAULT ''",
    // Sums from before distinguish no tags: there all requests have none.
    "ALTER TABLE usage_cells ADD COLUMN tags TEXT NOT NULL DEFAULT ''",
    `INSERT INTO usage_cells (view, grain_ms, start_ms, cell, token_id, model, provider, endpoint, code, status_class, stream,
      estimated, requests, failures, input_tokens, cache_read_tokens, output_tokens, cost_nano, cost_nano_max, total_ms_max,
      first_events, totals, unpriced)
    SELECT 'by-tag', grain_ms, start_ms, cell, token_id, model, provider, endpoint, code, status_class, stream,
      estimated, requests, failures, input_tokens, cache_read_tokens, output_tokens, cost_nano, cost_nano_max, total_ms_max,
      first_events, totals, unpriced
    FROM usage_cells WHERE view = 'all'`,
    "CREATE INDEX usage_cells_tag_token ON usage_cells (token_id, grain_ms, start_ms) WHERE view = 'tag'",
  ],
};

/** Sums of usage rows by hour, day and week, made later than the rows, so that a year of requests is read quickly. */

import type { Migration } from '../../sql/migration.ts';

export const usageCells: Migration = {
  version: 7,
  name: 'usage cells',
  statements: [
    // A column that a view does not distinguish is empty (a text) or -1 (a number) in all its cells.
    `CREATE TABLE usage_cells (
      view TEXT NOT NULL,
      grain_ms BIGINT NOT NULL,
      start_ms BIGINT NOT NULL,
      cell BIGINT NOT NULL,
      token_id TEXT NOT NULL,
      model TEXT NOT NULL,
      provider TEXT NOT NULL,
      endpoint TEXT NOT NULL,
      code TEXT NOT NULL,
      status_class BIGINT NOT NULL,
      stream BIGINT NOT NULL,
      estimated BIGINT NOT NULL,
      requests BIGINT NOT NULL,
      failures BIGINT NOT NULL,
      input_tokens BIGINT NOT NULL,
      cache_read_tokens BIGINT NOT NULL,
      output_tokens BIGINT NOT NULL,
      cost_nano BIGINT NOT NULL,
      cost_nano_max BIGINT NOT NULL,
      total_ms_max BIGINT NOT NULL,
      first_events TEXT NOT NULL,
      totals TEXT NOT NULL,
      PRIMARY KEY (view, grain_ms, start_ms, cell)
    ){keyed}`,
    "CREATE INDEX usage_cells_token ON usage_cells (token_id, grain_ms, start_ms) WHERE view = 'token'",
    // A period whose cells no longer match their source; written in the commit that changed the source.
    `CREATE TABLE usage_marks (
      grain_ms BIGINT NOT NULL,
      start_ms BIGINT NOT NULL,
      mark TEXT NOT NULL,
      PRIMARY KEY (grain_ms, start_ms, mark)
    ){keyed}`,
    // How far hours, days and weeks are summed, from when on rows are kept, and when the next pass is due.
    `CREATE TABLE usage_rollup (
      id BIGINT PRIMARY KEY,
      hour_until_ms BIGINT NOT NULL,
      day_until_ms BIGINT NOT NULL,
      week_until_ms BIGINT NOT NULL,
      retained_from_ms BIGINT NOT NULL,
      due_at_ms BIGINT NOT NULL
    )`,
    'INSERT INTO usage_rollup (id, hour_until_ms, day_until_ms, week_until_ms, retained_from_ms, due_at_ms) VALUES (1, 0, 0, 0, 0, 0)',
  ],
};

/** The first schema: tokens, money, usage, and what the server remembers between starts. */

import type { Migration } from '../../sql/migration.ts';

/** `{keyed}` marks tables that are always reached by their key; an engine may store those inside the key's tree. */
export const firstTables: Migration = {
  version: 1,
  name: 'first tables',
  statements: [
    `CREATE TABLE tokens (
      id TEXT PRIMARY KEY,
      digest TEXT NOT NULL UNIQUE,
      previous_digest TEXT,
      previous_valid_until_ms BIGINT,
      hint TEXT NOT NULL,
      name TEXT NOT NULL,
      terms TEXT NOT NULL,
      created_at_ms BIGINT NOT NULL,
      revoked_at_ms BIGINT
    )`,
    'CREATE INDEX tokens_previous_digest ON tokens (previous_digest) WHERE previous_digest IS NOT NULL',
    'CREATE INDEX tokens_created ON tokens (created_at_ms, id)',
    'CREATE TABLE revisions (id BIGINT PRIMARY KEY, value BIGINT NOT NULL)',
    'INSERT INTO revisions (id, value) VALUES (1, 1)',
    `CREATE TABLE budgets (
      scope TEXT NOT NULL,
      window_start_ms BIGINT NOT NULL,
      spent_nano BIGINT NOT NULL,
      held_nano BIGINT NOT NULL,
      PRIMARY KEY (scope, window_start_ms)
    ){keyed}`,
    `CREATE TABLE attempts (
      id TEXT NOT NULL PRIMARY KEY,
      request_id TEXT NOT NULL,
      token_id TEXT NOT NULL,
      scopes TEXT NOT NULL,
      reserve_nano BIGINT NOT NULL,
      estimate_nano BIGINT NOT NULL,
      checkpoint_nano BIGINT,
      cost_nano BIGINT,
      estimated BIGINT,
      state TEXT NOT NULL,
      instance_id TEXT NOT NULL,
      provider TEXT NOT NULL,
      model TEXT NOT NULL,
      at_ms BIGINT NOT NULL,
      settled_at_ms BIGINT
    ){keyed}`,
    "CREATE INDEX attempts_open ON attempts (instance_id) WHERE state = 'dispatched'",
    // An attempt settles once, so its row is its entry: money is written in one place and the entries are a way to read it.
    `CREATE VIEW ledger_entries AS
      SELECT id AS attempt_id, 'charge' AS kind, cost_nano AS amount_nano, scopes, settled_at_ms AS at_ms
      FROM attempts WHERE state = 'settled' AND cost_nano <> 0`,
    `CREATE TABLE usage_rows (
      request_id TEXT NOT NULL PRIMARY KEY,
      at_ms BIGINT NOT NULL,
      token_id TEXT NOT NULL,
      endpoint TEXT NOT NULL,
      model TEXT NOT NULL,
      provider TEXT NOT NULL,
      upstream_model TEXT NOT NULL,
      stream BIGINT NOT NULL,
      attempts BIGINT NOT NULL,
      status BIGINT NOT NULL,
      code TEXT NOT NULL,
      input_total BIGINT,
      input_fresh BIGINT,
      input_cache_read BIGINT,
      input_cache_write BIGINT,
      input_audio BIGINT,
      input_image BIGINT,
      output_total BIGINT,
      output_text BIGINT,
      output_thinking BIGINT,
      output_audio BIGINT,
      output_image BIGINT,
      cost_nano BIGINT NOT NULL,
      estimated BIGINT NOT NULL,
      price_version TEXT NOT NULL,
      first_event_ms BIGINT,
      total_ms BIGINT NOT NULL,
      bytes_in BIGINT NOT NULL,
      bytes_out BIGINT NOT NULL
    ){keyed}`,
    'CREATE INDEX usage_rows_time ON usage_rows (at_ms, request_id)',
    'CREATE INDEX usage_rows_token ON usage_rows (token_id, at_ms, request_id)',
    // Only the embedded engine writes it: how much of its journal is in the tables above.
    'CREATE TABLE journal (id BIGINT PRIMARY KEY, generation BIGINT NOT NULL)',
    'INSERT INTO journal (id, generation) VALUES (1, 0)',
    'CREATE TABLE provider_models (provider TEXT PRIMARY KEY, models TEXT NOT NULL, fetched_at_ms BIGINT NOT NULL)',
    'CREATE TABLE settings (key TEXT PRIMARY KEY, value TEXT NOT NULL)',
    `CREATE TABLE instances (
      id TEXT PRIMARY KEY,
      pid BIGINT NOT NULL,
      started_at_ms BIGINT NOT NULL,
      heartbeat_ms BIGINT NOT NULL
    )`,
    `CREATE TABLE idempotency (
      token_id TEXT NOT NULL,
      key TEXT NOT NULL,
      request_id TEXT NOT NULL,
      fingerprint TEXT NOT NULL,
      state TEXT NOT NULL,
      at_ms BIGINT NOT NULL,
      PRIMARY KEY (token_id, key)
    )`,
    'CREATE INDEX idempotency_time ON idempotency (at_ms)',
  ],
};

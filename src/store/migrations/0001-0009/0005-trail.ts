/** The trail of a request: each attempt has its key and its verdict. */

import type { Migration } from '../../sql/migration.ts';

export const trail: Migration = {
  version: 5,
  name: 'trail',
  oldestReader: 5,
  statements: [
    'DROP VIEW ledger_entries',
    'DROP VIEW attempts',
    // Rows from before have neither: it was not recorded then, and nothing is made up for them.
    'ALTER TABLE attempt_rows ADD COLUMN key_id TEXT',
    'ALTER TABLE attempt_rows ADD COLUMN verdict TEXT',
    // Set where the row records the attempt too, which it does only for an attempt that served.
    'ALTER TABLE usage_rows ADD COLUMN key_id TEXT',
    `CREATE VIEW attempts AS
      SELECT id, request_id, token_id, scopes, reserve_nano, estimate_nano, checkpoint_nano, cost_nano, estimated, state,
        instance_id, provider, model, key_id, verdict, at_ms, settled_at_ms
      FROM attempt_rows
      UNION ALL
      SELECT request_id || '.1', request_id, token_id, '', 0, cost_nano, NULL, cost_nano, estimated, 'settled',
        '', provider, upstream_model, key_id, CASE WHEN key_id IS NULL THEN NULL ELSE '' END, at_ms, at_ms + total_ms
      FROM usage_rows WHERE tells_attempt = 1`,
    `CREATE VIEW ledger_entries AS
      SELECT id AS attempt_id, 'charge' AS kind, cost_nano AS amount_nano, scopes, settled_at_ms AS at_ms
      FROM attempts WHERE state = 'settled' AND cost_nano <> 0`,
  ],
};

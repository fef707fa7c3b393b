/** An attempt that was its request's only one is recorded by the request's usage row: nothing is written twice. */

import type { Migration } from '../../sql/migration.ts';

export const soleAttempts: Migration = {
  version: 2,
  name: 'sole attempts',
  oldestReader: 2,
  statements: [
    'DROP VIEW ledger_entries',
    'ALTER TABLE attempts RENAME TO attempt_rows',
    // 1 where the row records the attempt too, because it began and ended before either was written.
    'ALTER TABLE usage_rows ADD COLUMN tells_attempt BIGINT',
    `CREATE VIEW attempts AS
      SELECT id, request_id, token_id, scopes, reserve_nano, estimate_nano, checkpoint_nano, cost_nano, estimated, state,
        instance_id, provider, model, at_ms, settled_at_ms
      FROM attempt_rows
      UNION ALL
      SELECT request_id || '.1', request_id, token_id, '', 0, cost_nano, NULL, cost_nano, estimated, 'settled',
        '', provider, upstream_model, at_ms, at_ms + total_ms
      FROM usage_rows WHERE tells_attempt = 1`,
    `CREATE VIEW ledger_entries AS
      SELECT id AS attempt_id, 'charge' AS kind, cost_nano AS amount_nano, scopes, settled_at_ms AS at_ms
      FROM attempts WHERE state = 'settled' AND cost_nano <> 0`,
  ],
};

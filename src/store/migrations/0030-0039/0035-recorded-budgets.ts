/** A row that records its request's only attempt has the attempt's budgets too: such an attempt needs no row of its own. */

import type { Migration } from '../../sql/migration.ts';

export const recordedBudgets: Migration = {
  version: 35,
  name: 'recorded-budgets',
  statements: [
    // As `scopes` and `tokens` of `attempt_rows`; NULL where the row records no attempt, or one without a budget.
    'ALTER TABLE usage_rows ADD COLUMN scopes TEXT',
    'ALTER TABLE usage_rows ADD COLUMN charged_tokens BIGINT',
    'DROP VIEW ledger_entries',
    'DROP VIEW attempts',
    `CREATE VIEW attempts AS
      SELECT id, request_id, token_id, scopes, reserve_nano, estimate_nano, checkpoint_nano, cost_nano, estimated, state,
        instance_id, provider, model, key_id, verdict, at_ms, settled_at_ms
      FROM attempt_rows
      UNION ALL
      SELECT request_id || '.1', request_id, token_id, COALESCE(scopes, ''), 0, cost_nano, NULL, cost_nano, estimated, 'settled',
        '', provider, upstream_model, key_id, CASE WHEN key_id IS NULL THEN NULL ELSE '' END, at_ms, at_ms + total_ms
      FROM usage_rows WHERE tells_attempt = 1`,
    `CREATE VIEW ledger_entries AS
      SELECT id AS attempt_id, 'charge' AS kind, cost_nano AS amount_nano, scopes, settled_at_ms AS at_ms
      FROM attempts WHERE state = 'settled' AND cost_nano <> 0`,
  ],
};

/** End users whom requests name, and the tags of requests. */

import type { Migration } from '../../sql/migration.ts';

export const endUsers: Migration = {
  version: 27,
  name: 'end-users',
  statements: [
    `CREATE TABLE end_users (
      scope_id TEXT NOT NULL,
      digest TEXT NOT NULL,
      name TEXT NOT NULL,
      token_id TEXT NOT NULL,
      first_seen_at_ms BIGINT NOT NULL,
      last_seen_at_ms BIGINT NOT NULL,
      terms TEXT,
      blocked BIGINT NOT NULL,
      PRIMARY KEY (scope_id, digest)
    ){keyed}`,
    'CREATE INDEX end_users_token ON end_users (token_id)',
    'CREATE INDEX end_users_seen ON end_users (last_seen_at_ms, scope_id, digest)',
    `ALTER TABLE usage_rows ADD COLUMN tags TEXT NOT NULL DEFAULT ''`,
  ],
};

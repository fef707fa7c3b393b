/** Sealed contents that every replica may need for a short time, the owners of kept results, and results in the database itself. */

import type { Migration } from '../../sql/migration.ts';

export const replicaContents: Migration = {
  version: 15,
  name: 'replica contents',
  statements: [
    `CREATE TABLE replica_contents (
      token_id TEXT NOT NULL,
      id TEXT NOT NULL,
      kind TEXT NOT NULL,
      content TEXT NOT NULL,
      bytes BIGINT NOT NULL,
      at_ms BIGINT NOT NULL,
      expires_at_ms BIGINT NOT NULL,
      PRIMARY KEY (token_id, id)
    )`,
    'CREATE INDEX replica_contents_kind ON replica_contents (kind, at_ms)',
    'CREATE INDEX replica_contents_expiry ON replica_contents (expires_at_ms)',
    `CREATE TABLE kept_results (
      name TEXT NOT NULL PRIMARY KEY,
      kind TEXT NOT NULL,
      token_id TEXT NOT NULL,
      bytes BIGINT NOT NULL,
      at_ms BIGINT NOT NULL,
      expires_at_ms BIGINT NOT NULL
    )`,
    'CREATE INDEX kept_results_age ON kept_results (kind, at_ms)',
    'CREATE INDEX kept_results_expiry ON kept_results (expires_at_ms)',
    `CREATE TABLE result_parts (
      name TEXT NOT NULL,
      part TEXT NOT NULL,
      content TEXT NOT NULL,
      bytes BIGINT NOT NULL,
      at_ms BIGINT NOT NULL,
      PRIMARY KEY (name, part)
    )`,
    'CREATE INDEX result_parts_age ON result_parts (at_ms)',
  ],
};

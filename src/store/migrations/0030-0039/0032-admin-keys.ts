/** Keys of the admin API, and the writes that were made under an idempotency key. */

import type { Migration } from '../../sql/migration.ts';

export const adminKeys: Migration = {
  version: 32,
  name: 'admin-keys',
  statements: [
    // The secret only as a digest. Absent scopes: all that the role may do. Absent networks: from everywhere.
    `CREATE TABLE admin_keys (
      id TEXT PRIMARY KEY,
      digest TEXT NOT NULL,
      digest_key TEXT,
      hint TEXT NOT NULL,
      name TEXT NOT NULL,
      role TEXT NOT NULL,
      scopes TEXT,
      team_id TEXT,
      networks TEXT,
      created_by TEXT NOT NULL,
      created_at_ms BIGINT NOT NULL,
      expires_at_ms BIGINT,
      last_used_at_ms BIGINT,
      revoked_at_ms BIGINT,
      UNIQUE (digest)
    )`,
    'CREATE INDEX admin_keys_created ON admin_keys (created_at_ms, id)',
    'CREATE INDEX admin_keys_team ON admin_keys (team_id, created_at_ms, id) WHERE team_id IS NOT NULL',
    // `content` is sealed: the digest of the request, and once it is finished its reply, which may hold a new secret.
    `CREATE TABLE idempotent_writes (
      admin_key_id TEXT NOT NULL,
      key TEXT NOT NULL,
      state TEXT NOT NULL,
      content TEXT NOT NULL,
      at_ms BIGINT NOT NULL,
      PRIMARY KEY (admin_key_id, key)
    )`,
    'CREATE INDEX idempotent_writes_at ON idempotent_writes (at_ms)',
  ],
};

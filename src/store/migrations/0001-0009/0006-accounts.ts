/** The console's accounts: their sessions, their audit log, and the set-up that makes the first of them. */

import type { Migration } from '../../sql/migration.ts';

export const accounts: Migration = {
  version: 6,
  name: 'accounts',
  statements: [
    `CREATE TABLE accounts (
      id TEXT PRIMARY KEY,
      name TEXT NOT NULL,
      name_key TEXT NOT NULL UNIQUE,
      role TEXT NOT NULL,
      password_hash TEXT NOT NULL,
      created_at_ms BIGINT NOT NULL,
      password_changed_at_ms BIGINT NOT NULL,
      last_sign_in_at_ms BIGINT,
      disabled_at_ms BIGINT
    )`,
    `CREATE TABLE sessions (
      id TEXT PRIMARY KEY,
      digest TEXT NOT NULL UNIQUE,
      account_id TEXT NOT NULL,
      created_at_ms BIGINT NOT NULL,
      last_seen_at_ms BIGINT NOT NULL,
      expires_at_ms BIGINT NOT NULL,
      address TEXT NOT NULL,
      agent TEXT NOT NULL,
      revoked_at_ms BIGINT
    )`,
    'CREATE INDEX sessions_account ON sessions (account_id, last_seen_at_ms)',
    'CREATE INDEX sessions_end ON sessions (expires_at_ms)',
    `CREATE TABLE audit_log (
      id TEXT PRIMARY KEY,
      at_ms BIGINT NOT NULL,
      account_id TEXT,
      account_name TEXT NOT NULL,
      action TEXT NOT NULL,
      subject TEXT NOT NULL,
      detail TEXT NOT NULL,
      address TEXT NOT NULL
    )`,
    'CREATE INDEX audit_log_time ON audit_log (at_ms, id)',
    'CREATE INDEX audit_log_account ON audit_log (account_id, at_ms, id)',
    // One row, so that of two people who set Weir up at the same moment only one does.
    'CREATE TABLE set_up (id BIGINT PRIMARY KEY, done_at_ms BIGINT)',
    'INSERT INTO set_up (id, done_at_ms) VALUES (1, NULL)',
    'CREATE TABLE set_up_links (digest TEXT PRIMARY KEY, expires_at_ms BIGINT NOT NULL)',
    'CREATE TABLE sign_in_tries (scope TEXT PRIMARY KEY, started_at_ms BIGINT NOT NULL, tries BIGINT NOT NULL)',
    'CREATE INDEX sign_in_tries_start ON sign_in_tries (started_at_ms)',
    // Tokens from before, and those of the command line, have no owner.
    'ALTER TABLE tokens ADD COLUMN owner_id TEXT',
    'CREATE INDEX tokens_owner ON tokens (owner_id, created_at_ms, id) WHERE owner_id IS NOT NULL',
  ],
};

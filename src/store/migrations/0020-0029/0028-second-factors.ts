/** Invitations, passwords that must be changed, and second factors: TOTP, passkeys and recovery codes. */

import type { Migration } from '../../sql/migration.ts';

export const secondFactors: Migration = {
  version: 28,
  name: 'second factors',
  statements: [
    `CREATE TABLE invitations (
      id TEXT PRIMARY KEY,
      digest TEXT NOT NULL UNIQUE,
      digest_key TEXT,
      role TEXT NOT NULL,
      team_id TEXT,
      team_role TEXT,
      note TEXT NOT NULL,
      invited_by TEXT NOT NULL,
      created_at_ms BIGINT NOT NULL,
      expires_at_ms BIGINT NOT NULL,
      accepted_at_ms BIGINT,
      account_id TEXT,
      revoked_at_ms BIGINT
    )`,
    'CREATE INDEX invitations_time ON invitations (created_at_ms, id)',
    'CREATE INDEX invitations_end ON invitations (expires_at_ms)',
    'ALTER TABLE accounts ADD COLUMN must_change_password BIGINT',
    // Since when the account has a second factor, so that a session's lookup needs no other table.
    'ALTER TABLE accounts ADD COLUMN second_factor_at_ms BIGINT',
    // Opened by an issuer, which has its own second factors.
    'ALTER TABLE sessions ADD COLUMN is_federated BIGINT',
    `CREATE TABLE totp_secrets (
      account_id TEXT PRIMARY KEY,
      state TEXT NOT NULL,
      secret TEXT NOT NULL,
      last_step BIGINT NOT NULL,
      created_at_ms BIGINT NOT NULL
    )`,
    `CREATE TABLE passkeys (
      id TEXT PRIMARY KEY,
      account_id TEXT NOT NULL,
      rp_id TEXT NOT NULL,
      public_key TEXT NOT NULL,
      algorithm BIGINT NOT NULL,
      counter BIGINT NOT NULL,
      name TEXT NOT NULL,
      created_at_ms BIGINT NOT NULL,
      last_used_at_ms BIGINT
    )`,
    'CREATE INDEX passkeys_account ON passkeys (account_id, created_at_ms, id)',
    `CREATE TABLE recovery_codes (
      account_id TEXT NOT NULL,
      digest TEXT NOT NULL,
      digest_key TEXT,
      PRIMARY KEY (account_id, digest)
    )`,
    // Tickets and challenges that were used: they are signed, so only their use is stored.
    'CREATE TABLE used_tickets (digest TEXT PRIMARY KEY, expires_at_ms BIGINT NOT NULL)',
    'CREATE INDEX used_tickets_end ON used_tickets (expires_at_ms)',
  ],
};

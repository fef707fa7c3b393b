/** Programs that a person signed in with a device code: one row for each sign-in, from the code to its end. */

import type { Migration } from '../../sql/migration.ts';

export const signIns: Migration = {
  version: 31,
  name: 'sign-ins',
  statements: [
    // Codes and refresh tokens only as digests. An absent account has not answered yet.
    `CREATE TABLE sign_ins (
      id TEXT PRIMARY KEY,
      client_id TEXT NOT NULL,
      state TEXT NOT NULL,
      device_digest TEXT NOT NULL,
      user_digest TEXT NOT NULL,
      family_digest TEXT,
      refresh_digest TEXT,
      account_id TEXT,
      token_id TEXT,
      address TEXT NOT NULL,
      agent TEXT NOT NULL,
      created_at_ms BIGINT NOT NULL,
      polled_at_ms BIGINT NOT NULL,
      interval_ms BIGINT NOT NULL,
      refreshed_at_ms BIGINT NOT NULL,
      expires_at_ms BIGINT NOT NULL,
      UNIQUE (device_digest),
      UNIQUE (user_digest),
      UNIQUE (family_digest)
    )`,
    'CREATE INDEX sign_ins_account ON sign_ins (account_id, created_at_ms, id) WHERE account_id IS NOT NULL',
    'CREATE INDEX sign_ins_token ON sign_ins (token_id) WHERE token_id IS NOT NULL',
    'CREATE INDEX sign_ins_expiry ON sign_ins (expires_at_ms)',
  ],
};

/** Who people are at the issuers that they sign in through, which sessions an issuer opened, and what was used once. */

import type { Migration } from '../../sql/migration.ts';

export const identities: Migration = {
  version: 29,
  name: 'identities',
  statements: [
    `CREATE TABLE identities (
      issuer TEXT NOT NULL,
      subject TEXT NOT NULL,
      account_id TEXT NOT NULL,
      created_at_ms BIGINT NOT NULL,
      last_used_at_ms BIGINT NOT NULL,
      PRIMARY KEY (issuer, subject)
    ){keyed}`,
    'CREATE INDEX identities_account ON identities (account_id)',
    `CREATE TABLE session_issuers (
      session_id TEXT PRIMARY KEY,
      issuer TEXT NOT NULL,
      issuer_name TEXT NOT NULL,
      subject TEXT NOT NULL,
      sid TEXT,
      id_token TEXT NOT NULL,
      expires_at_ms BIGINT NOT NULL
    )`,
    'CREATE INDEX session_issuers_subject ON session_issuers (issuer, subject)',
    'CREATE INDEX session_issuers_sid ON session_issuers (issuer, sid) WHERE sid IS NOT NULL',
    'CREATE INDEX session_issuers_expiry ON session_issuers (expires_at_ms)',
    // States of sign-ins and ids of logout tokens: a second use is refused.
    `CREATE TABLE used_marks (
      mark TEXT PRIMARY KEY,
      expires_at_ms BIGINT NOT NULL
    ){keyed}`,
    'CREATE INDEX used_marks_expiry ON used_marks (expires_at_ms)',
  ],
};

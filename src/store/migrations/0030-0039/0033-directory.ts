/** Subjects and revoked ids of JSON Web Tokens, and what a directory says of people and groups over SCIM. */

import type { Migration } from '../../sql/migration.ts';

export const directory: Migration = {
  version: 33,
  name: 'directory',
  statements: [
    // The token of each subject, made when it is first seen.
    `CREATE TABLE jwt_subjects (
      token_id TEXT PRIMARY KEY,
      issuer TEXT NOT NULL,
      subject TEXT NOT NULL,
      created_at_ms BIGINT NOT NULL
    )`,
    'CREATE INDEX jwt_subjects_issuer ON jwt_subjects (issuer)',
    // A row is kept until every JWT of that id has expired.
    `CREATE TABLE jwt_revocations (
      issuer TEXT NOT NULL,
      jwt_id TEXT NOT NULL,
      created_at_ms BIGINT NOT NULL,
      expires_at_ms BIGINT NOT NULL,
      PRIMARY KEY (issuer, jwt_id)
    )`,
    'CREATE INDEX jwt_revocations_expiry ON jwt_revocations (expires_at_ms)',
    // Attributes are JSON as the directory sent them. A removed user is kept, so that a later one of that name is the same account.
    `CREATE TABLE scim_users (
      account_id TEXT PRIMARY KEY,
      external_id TEXT,
      attributes TEXT NOT NULL,
      created_at_ms BIGINT NOT NULL,
      changed_at_ms BIGINT NOT NULL,
      deactivated_at_ms BIGINT,
      removed_at_ms BIGINT
    )`,
    'CREATE INDEX scim_users_external ON scim_users (external_id) WHERE external_id IS NOT NULL',
    `CREATE TABLE scim_groups (
      id TEXT PRIMARY KEY,
      display_name TEXT NOT NULL,
      name_key TEXT NOT NULL,
      external_id TEXT,
      created_at_ms BIGINT NOT NULL,
      changed_at_ms BIGINT NOT NULL,
      UNIQUE (name_key)
    )`,
    `CREATE TABLE scim_members (
      group_id TEXT NOT NULL,
      account_id TEXT NOT NULL,
      PRIMARY KEY (group_id, account_id)
    )`,
    'CREATE INDEX scim_members_account ON scim_members (account_id)',
  ],
};

/** The organization, its teams and projects, who is a member, and where a token belongs. */

import type { Migration } from '../../sql/migration.ts';

export const organization: Migration = {
  version: 25,
  name: 'organization',
  statements: [
    `CREATE TABLE units (
      id TEXT PRIMARY KEY,
      kind TEXT NOT NULL,
      parent_id TEXT NOT NULL,
      name TEXT NOT NULL,
      name_key TEXT NOT NULL,
      terms TEXT NOT NULL,
      created_at_ms BIGINT NOT NULL,
      UNIQUE (parent_id, name_key)
    )`,
    `INSERT INTO units (id, kind, parent_id, name, name_key, terms, created_at_ms)
      VALUES ('org', 'organization', '', 'Organization', 'organization', '{}', 0)`,
    `CREATE TABLE memberships (
      team_id TEXT NOT NULL,
      account_id TEXT NOT NULL,
      role TEXT NOT NULL,
      source TEXT NOT NULL,
      created_at_ms BIGINT NOT NULL,
      PRIMARY KEY (team_id, account_id)
    ){keyed}`,
    'CREATE INDEX memberships_account ON memberships (account_id)',
    // Of a person: what all their tokens may spend together.
    'ALTER TABLE accounts ADD COLUMN terms TEXT',
    // The team or project of a token, and the token that made it.
    'ALTER TABLE tokens ADD COLUMN unit_id TEXT',
    'ALTER TABLE tokens ADD COLUMN parent_id TEXT',
    'CREATE INDEX tokens_unit ON tokens (unit_id, created_at_ms, id) WHERE unit_id IS NOT NULL',
    'CREATE INDEX tokens_parent ON tokens (parent_id) WHERE parent_id IS NOT NULL',
  ],
};

/** To which token an id belongs that a provider made; where it was deleted, the row stays and is marked. */

import type { Migration } from '../../sql/migration.ts';

export const ownedIds: Migration = {
  version: 14,
  name: 'owned ids',
  statements: [
    `CREATE TABLE owned_ids (
      digest TEXT NOT NULL PRIMARY KEY,
      token_id TEXT NOT NULL,
      seen_at_ms BIGINT NOT NULL,
      deleted_at_ms BIGINT
    )`,
    'CREATE INDEX owned_ids_age ON owned_ids (seen_at_ms)',
    'CREATE INDEX owned_ids_token ON owned_ids (token_id, seen_at_ms)',
  ],
};

/** How large each kept reply is, and which rows are a token's: what ceilings are counted by. */

import type { Migration } from '../../sql/migration.ts';

export const storageCeilings: Migration = {
  version: 16,
  name: 'storage ceilings',
  statements: [
    'ALTER TABLE kept_replies ADD COLUMN bytes BIGINT NOT NULL DEFAULT 0',
    'UPDATE kept_replies SET bytes = LENGTH(content) WHERE content IS NOT NULL',
    'CREATE INDEX kept_replies_sizes ON kept_replies (token_id, expires_at_ms, id, bytes)',
    'CREATE INDEX client_secrets_token ON client_secrets (token_id, expires_at_ms)',
  ],
};

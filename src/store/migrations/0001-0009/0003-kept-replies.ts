/** Replies that later requests may continue from: their encrypted content, or which provider keeps them. */

import type { Migration } from '../../sql/migration.ts';

export const keptReplies: Migration = {
  version: 3,
  name: 'kept replies',
  statements: [
    `CREATE TABLE kept_replies (
      token_id TEXT NOT NULL,
      id TEXT NOT NULL,
      kind TEXT NOT NULL,
      provider TEXT NOT NULL,
      key_id TEXT NOT NULL,
      tokens BIGINT,
      content TEXT,
      expires_at_ms BIGINT NOT NULL,
      PRIMARY KEY (token_id, id)
    )`,
    'CREATE INDEX kept_replies_id ON kept_replies (id)',
    'CREATE INDEX kept_replies_expiry ON kept_replies (expires_at_ms)',
  ],
};

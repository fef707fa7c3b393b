/** Contents of requests, encrypted and for a while, where the operator keeps them; and an index to read all tasks newest first. */

import type { Migration } from '../../sql/migration.ts';

export const contents: Migration = {
  version: 10,
  name: 'contents',
  statements: [
    `CREATE TABLE request_contents (
      request_id TEXT NOT NULL PRIMARY KEY,
      token_id TEXT NOT NULL,
      content TEXT NOT NULL,
      at_ms BIGINT NOT NULL,
      expires_at_ms BIGINT NOT NULL
    )`,
    'CREATE INDEX request_contents_expiry ON request_contents (expires_at_ms)',
    'CREATE INDEX tasks_created ON tasks (created_at_ms, id)',
  ],
};

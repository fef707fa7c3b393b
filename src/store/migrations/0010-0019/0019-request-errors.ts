/** Why attempts failed and requests were refused: the provider's status and message, without content. */

import type { Migration } from '../../sql/migration.ts';

export const requestErrors: Migration = {
  version: 19,
  name: 'request errors',
  statements: [
    // `attempt` is its number within the request; 0 is the error that the client was sent.
    `CREATE TABLE request_errors (
      request_id TEXT NOT NULL,
      attempt INTEGER NOT NULL,
      at_ms BIGINT NOT NULL,
      provider TEXT NOT NULL,
      key_id TEXT NOT NULL,
      status INTEGER,
      code TEXT NOT NULL,
      message TEXT NOT NULL,
      PRIMARY KEY (request_id, attempt)
    )`,
    'CREATE INDEX request_errors_at ON request_errors (at_ms)',
  ],
};

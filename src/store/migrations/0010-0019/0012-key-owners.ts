/** An idempotency key that is in use says by which process, so that its death frees the key. */

import type { Migration } from '../../sql/migration.ts';

export const keyOwners: Migration = {
  version: 12,
  name: 'key owners',
  statements: [
    // Keys from before have none: whether their process lives is unknown, so that they are kept until they expire.
    "ALTER TABLE idempotency ADD COLUMN instance_id TEXT NOT NULL DEFAULT ''",
    "CREATE INDEX idempotency_running ON idempotency (instance_id) WHERE state = 'running'",
  ],
};

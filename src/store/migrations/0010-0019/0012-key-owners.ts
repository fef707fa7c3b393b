/** An idempotency key that is in use names its process, so that the key is released when the process dies. */

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

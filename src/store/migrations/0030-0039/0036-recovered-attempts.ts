/** Attempts that a failover of the database had lost and their process wrote again: a mark on them. */

import type { Migration } from '../../sql/migration.ts';

export const recoveredAttempts: Migration = {
  version: 36,
  name: 'recovered-attempts',
  statements: [
    // 1: opening and closing were written together, and no limit was checked. NULL for all others.
    'ALTER TABLE attempt_rows ADD COLUMN recovered BIGINT',
  ],
};

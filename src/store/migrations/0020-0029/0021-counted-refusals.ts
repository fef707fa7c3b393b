/** A row may count several refused requests. */

import type { Migration } from '../../sql/migration.ts';

export const countedRefusals: Migration = {
  version: 21,
  name: 'counted refusals',
  // NULL: the row is one request, as all rows were before.
  statements: ['ALTER TABLE usage_rows ADD COLUMN requests BIGINT'],
};

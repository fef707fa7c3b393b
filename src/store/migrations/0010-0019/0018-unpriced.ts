/** How many requests each sum leaves out because their cost is unknown. */

import type { Migration } from '../../sql/migration.ts';

export const unpriced: Migration = {
  version: 18,
  name: 'unpriced requests',
  statements: [
    // Sums from before counted none, and their rows may be gone: there 0 means unknown.
    'ALTER TABLE usage_cells ADD COLUMN unpriced BIGINT NOT NULL DEFAULT 0',
    // Only of rows without a price, which are few: all others are written as before.
    "CREATE INDEX usage_rows_unpriced ON usage_rows (at_ms) WHERE price_version = ''",
  ],
};

/** What an attempt holds and is charged in budgets of tokens. Budgets themselves count in the unit of their scope already. */

import type { Migration } from '../../sql/migration.ts';

export const budgetUnits: Migration = {
  version: 26,
  name: 'budget units',
  statements: [
    // Both are NULL in rows of earlier versions, which count against no budget of tokens.
    'ALTER TABLE attempt_rows ADD COLUMN reserve_tokens BIGINT',
    'ALTER TABLE attempt_rows ADD COLUMN tokens BIGINT',
  ],
};

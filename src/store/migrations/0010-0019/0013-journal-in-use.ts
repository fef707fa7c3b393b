/** Whether a process of the embedded engine has its journal open: a journal that is missing then was lost, and records with it. */

import type { Migration } from '../../sql/migration.ts';

export const journalInUse: Migration = {
  version: 13,
  name: 'journal in use',
  // 1 from the creation of the file to a clean end. Absent: an older Weir served last, and whether it ended cleanly is unknown.
  statements: ['ALTER TABLE journal ADD COLUMN in_use BIGINT'],
};

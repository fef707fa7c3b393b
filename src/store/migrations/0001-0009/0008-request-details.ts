/** What a request's detail needs beside its counts: the price that it was charged at, units other than tokens, and its lane. */

import type { Migration } from '../../sql/migration.ts';

export const requestDetails: Migration = {
  version: 8,
  // The name is stored in databases that have this step.
  name: 'request stories',
  statements: [
    // Each distinct price once, named by its own text.
    `CREATE TABLE price_texts (
      name TEXT NOT NULL PRIMARY KEY,
      price TEXT NOT NULL,
      first_used_at_ms BIGINT NOT NULL
    ){keyed}`,
    // Rows from before have none of these: it was not recorded then, and nothing is made up for them.
    'ALTER TABLE usage_rows ADD COLUMN price_name TEXT',
    'ALTER TABLE usage_rows ADD COLUMN units TEXT',
    'ALTER TABLE usage_rows ADD COLUMN way TEXT',
  ],
};

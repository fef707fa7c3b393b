/** Tables of prices that were downloaded or read from a file, what they changed, and when they are fetched again. */

import type { Migration } from '../../sql/migration.ts';

export const priceTables: Migration = {
  version: 17,
  name: 'price tables',
  statements: [
    // `stamp` is the revision that wrote the row, `content` the table as it came, `held` the prices that wait for a confirmation.
    `CREATE TABLE price_tables (
      source TEXT NOT NULL PRIMARY KEY,
      origin TEXT NOT NULL,
      version TEXT NOT NULL,
      as_of TEXT,
      fetched_at_ms BIGINT NOT NULL,
      models BIGINT NOT NULL,
      stamp BIGINT NOT NULL,
      held TEXT NOT NULL,
      content TEXT NOT NULL
    )`,
    // One row for each rate of a model that changed, as nano-USD in decimal digits; absent where there was or is none.
    `CREATE TABLE price_changes (
      at_ms BIGINT NOT NULL,
      stamp BIGINT NOT NULL,
      place BIGINT NOT NULL,
      source TEXT NOT NULL,
      host TEXT NOT NULL,
      model TEXT NOT NULL,
      rate TEXT NOT NULL,
      rate_before TEXT,
      rate_after TEXT,
      state TEXT NOT NULL,
      PRIMARY KEY (stamp, place)
    )`,
    'CREATE INDEX price_changes_model ON price_changes (model, stamp)',
    `CREATE TABLE price_fetches (
      id BIGINT NOT NULL PRIMARY KEY,
      due_at_ms BIGINT NOT NULL,
      addresses TEXT NOT NULL,
      tried_at_ms BIGINT,
      fault TEXT
    )`,
    "INSERT INTO price_fetches (id, due_at_ms, addresses) VALUES (1, 0, '')",
    'INSERT INTO revisions (id, value) VALUES (3, 1)',
  ],
};

/** What replicas tell each other about providers where there is no Redis, and the database's own clock, which ends it. */

import type { Migration } from '../../sql/migration.ts';

export const fleetState: Migration = {
  version: 23,
  name: 'fleet state',
  statements: [
    `CREATE TABLE fleet_state (
      name TEXT NOT NULL PRIMARY KEY,
      value TEXT NOT NULL,
      ends_at_ms BIGINT NOT NULL
    ){keyed}`,
    'CREATE VIEW database_clock AS SELECT {now} AS now_ms',
    'INSERT INTO revisions (id, value) VALUES (4, 1)',
  ],
};

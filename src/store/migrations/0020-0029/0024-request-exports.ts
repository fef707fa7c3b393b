/** Which hours and days of requests were exported, and which replica does it next. */

import type { Migration } from '../../sql/migration.ts';

export const requestExports: Migration = {
  version: 24,
  name: 'request exports',
  statements: [
    `CREATE TABLE request_exports (
      target TEXT NOT NULL,
      grain_ms BIGINT NOT NULL,
      start_ms BIGINT NOT NULL,
      fingerprint TEXT NOT NULL,
      row_count BIGINT NOT NULL,
      exported_at_ms BIGINT NOT NULL,
      PRIMARY KEY (target, grain_ms, start_ms)
    ){keyed}`,
    'CREATE TABLE request_export_turns (id BIGINT PRIMARY KEY, due_at_ms BIGINT NOT NULL)',
    'INSERT INTO request_export_turns (id, due_at_ms) VALUES (1, 0)',
  ],
};

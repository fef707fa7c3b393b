/** The console's configuration: entries in the very shape of `weir.yaml`, and keys that only this Weir's secret opens. */

import type { Migration } from '../../sql/migration.ts';

export const consoleConfiguration: Migration = {
  version: 9,
  name: 'console configuration',
  statements: [
    // `sealed` holds what of an entry may be a credential: values of headers, a proxy's URL.
    `CREATE TABLE console_entries (
      section TEXT NOT NULL,
      name TEXT NOT NULL,
      entry TEXT NOT NULL,
      sealed TEXT,
      draining BIGINT NOT NULL,
      created_at_ms BIGINT NOT NULL,
      updated_at_ms BIGINT NOT NULL,
      updated_by TEXT NOT NULL,
      PRIMARY KEY (section, name)
    )`,
    `CREATE TABLE console_keys (
      provider TEXT NOT NULL,
      key_id TEXT NOT NULL,
      sealed TEXT NOT NULL,
      ending TEXT,
      created_at_ms BIGINT NOT NULL,
      PRIMARY KEY (provider, key_id)
    )`,
    // Beside the one of tokens: a change here need not empty their caches.
    'INSERT INTO revisions (id, value) VALUES (2, 1)',
  ],
};

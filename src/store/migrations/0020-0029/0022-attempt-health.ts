/** How attempts ended: sums by minute for the health of providers, and the last end of each key and model. */

import type { Migration } from '../../sql/migration.ts';

export const attemptHealth: Migration = {
  version: 22,
  name: 'attempt health',
  statements: [
    // Each process writes rows of its own, so that writing them again changes nothing.
    `CREATE TABLE attempt_minutes (
      start_ms BIGINT NOT NULL,
      instance_id TEXT NOT NULL,
      provider TEXT NOT NULL,
      key_id TEXT NOT NULL,
      model TEXT NOT NULL,
      attempts BIGINT NOT NULL,
      failed BIGINT NOT NULL,
      output_tokens BIGINT NOT NULL,
      output_ms BIGINT NOT NULL,
      first_tokens TEXT NOT NULL,
      totals TEXT NOT NULL,
      PRIMARY KEY (start_ms, instance_id, provider, key_id, model)
    ){keyed}`,
    // Times are 0 where it never happened. The rest is about the last attempt that failed.
    `CREATE TABLE attempt_ends (
      provider TEXT NOT NULL,
      key_id TEXT NOT NULL,
      model TEXT NOT NULL,
      at_ms BIGINT NOT NULL,
      served_at_ms BIGINT NOT NULL,
      rejected_at_ms BIGINT NOT NULL,
      forbidden_at_ms BIGINT NOT NULL,
      failed_at_ms BIGINT NOT NULL,
      request_id TEXT NOT NULL,
      status INTEGER,
      code TEXT NOT NULL,
      message TEXT NOT NULL,
      PRIMARY KEY (provider, key_id, model)
    ){keyed}`,
    'CREATE INDEX attempt_ends_at ON attempt_ends (at_ms)',
  ],
};

/** Alerts that were raised, their deliveries, the channels they go to, the rules that choose, and which replica evaluates next. */

import type { Migration } from '../../sql/migration.ts';

export const alerts: Migration = {
  version: 30,
  name: 'alerts',
  statements: [
    `CREATE TABLE alerts (
      id TEXT PRIMARY KEY,
      kind TEXT NOT NULL,
      subject TEXT NOT NULL,
      occurrence TEXT NOT NULL,
      threshold TEXT NOT NULL,
      subject_name TEXT NOT NULL,
      severity TEXT NOT NULL,
      title TEXT NOT NULL,
      detail TEXT NOT NULL,
      facts TEXT NOT NULL,
      state TEXT NOT NULL,
      raised_at_ms BIGINT NOT NULL,
      seen_at_ms BIGINT NOT NULL,
      resolved_at_ms BIGINT,
      UNIQUE (kind, subject, occurrence, threshold)
    )`,
    'CREATE INDEX alerts_raised ON alerts (raised_at_ms, id)',
    "CREATE INDEX alerts_open ON alerts (kind, subject) WHERE state = 'open'",
    `CREATE TABLE alert_deliveries (
      id TEXT PRIMARY KEY,
      alert_id TEXT NOT NULL,
      channel_id TEXT NOT NULL,
      rule_id TEXT NOT NULL,
      notice TEXT NOT NULL,
      sequence BIGINT NOT NULL,
      batch TEXT NOT NULL,
      state TEXT NOT NULL,
      tries BIGINT NOT NULL,
      due_at_ms BIGINT NOT NULL,
      created_at_ms BIGINT NOT NULL,
      ended_at_ms BIGINT,
      last_error TEXT,
      UNIQUE (alert_id, channel_id, notice, sequence)
    )`,
    "CREATE INDEX alert_deliveries_due ON alert_deliveries (due_at_ms, batch) WHERE state = 'pending'",
    'CREATE INDEX alert_deliveries_batch ON alert_deliveries (batch)',
    'CREATE INDEX alert_deliveries_created ON alert_deliveries (created_at_ms)',
    `CREATE TABLE alert_channels (
      id TEXT PRIMARY KEY,
      kind TEXT NOT NULL,
      name TEXT NOT NULL,
      settings TEXT NOT NULL,
      sealed TEXT,
      disabled BIGINT NOT NULL,
      created_at_ms BIGINT NOT NULL,
      updated_at_ms BIGINT NOT NULL
    )`,
    `CREATE TABLE alert_rules (
      id TEXT PRIMARY KEY,
      name TEXT NOT NULL,
      terms TEXT NOT NULL,
      disabled BIGINT NOT NULL,
      created_at_ms BIGINT NOT NULL,
      updated_at_ms BIGINT NOT NULL
    )`,
    'CREATE TABLE alert_turns (id BIGINT PRIMARY KEY, due_at_ms BIGINT NOT NULL)',
    'INSERT INTO alert_turns (id, due_at_ms) VALUES (1, 0)',
  ],
};

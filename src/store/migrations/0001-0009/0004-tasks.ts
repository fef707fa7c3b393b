/** Video tasks with the messages that their ends cause, and the short-lived credentials of realtime clients. */

import type { Migration } from '../../sql/migration.ts';

export const tasks: Migration = {
  version: 4,
  name: 'tasks',
  statements: [
    `CREATE TABLE tasks (
      id TEXT PRIMARY KEY,
      token_id TEXT NOT NULL,
      request_id TEXT NOT NULL,
      attempt_id TEXT NOT NULL,
      state TEXT NOT NULL,
      guessed BIGINT NOT NULL,
      provider TEXT NOT NULL,
      key_id TEXT NOT NULL,
      model TEXT NOT NULL,
      upstream_model TEXT NOT NULL,
      percent BIGINT NOT NULL,
      ticket TEXT,
      wishes TEXT NOT NULL,
      facts TEXT NOT NULL,
      results TEXT NOT NULL,
      error TEXT,
      terms TEXT NOT NULL,
      created_at_ms BIGINT NOT NULL,
      ended_at_ms BIGINT,
      deadline_at_ms BIGINT NOT NULL,
      expires_at_ms BIGINT,
      deleted_at_ms BIGINT,
      callback_url TEXT,
      asked BIGINT NOT NULL,
      faults BIGINT NOT NULL,
      version BIGINT NOT NULL,
      due_at_ms BIGINT,
      leased BIGINT NOT NULL
    )`,
    // Only tasks that need work are in it, so that many old tasks slow nothing down.
    'CREATE INDEX tasks_due ON tasks (provider, due_at_ms, id) WHERE due_at_ms IS NOT NULL',
    'CREATE INDEX tasks_token ON tasks (token_id, created_at_ms, id) WHERE deleted_at_ms IS NULL',
    "CREATE INDEX tasks_open ON tasks (token_id, state) WHERE state IN ('queued', 'in_progress')",
    'CREATE INDEX tasks_request ON tasks (request_id)',
    'CREATE INDEX tasks_ended ON tasks (ended_at_ms, id) WHERE ended_at_ms IS NOT NULL',
    "CREATE INDEX tasks_expiry ON tasks (expires_at_ms, id) WHERE expires_at_ms IS NOT NULL AND results <> '[]'",
    // Two creations for one token wait for each other at its row, so that neither counts past the other.
    'CREATE TABLE task_owners (token_id TEXT PRIMARY KEY)',
    `CREATE TABLE task_callbacks (
      task_id TEXT PRIMARY KEY,
      token_id TEXT NOT NULL,
      url TEXT NOT NULL,
      body TEXT NOT NULL,
      tries BIGINT NOT NULL,
      created_at_ms BIGINT NOT NULL,
      due_at_ms BIGINT NOT NULL,
      leased BIGINT NOT NULL
    )`,
    'CREATE INDEX task_callbacks_due ON task_callbacks (due_at_ms, task_id)',
    `CREATE TABLE client_secrets (
      digest TEXT PRIMARY KEY,
      token_id TEXT NOT NULL,
      model TEXT NOT NULL,
      content TEXT NOT NULL,
      expires_at_ms BIGINT NOT NULL
    )`,
    'CREATE INDEX client_secrets_expiry ON client_secrets (expires_at_ms)',
  ],
};

/** Brings the schema forward. Drivers run it inside transactions that only one process at a time can hold. */

import type { Migration } from '../sql/migration.ts';
import { type Steps, statement, step } from '../sql/statement.ts';
import { SchemaTooNewError } from '../sql/store-errors.ts';
import { migrations as allMigrations } from './migrations.ts';

const createTable = statement(
  'CREATE TABLE IF NOT EXISTS schema_versions (version BIGINT PRIMARY KEY, name TEXT NOT NULL, applied_at_ms BIGINT NOT NULL)',
);
const readVersion = statement('SELECT COALESCE(MAX(version), 0) FROM schema_versions');
const addVersion = statement('INSERT INTO schema_versions (version, name, applied_at_ms) VALUES ($1, $2, $3)');

interface MigrationOptions {
  /** What the engine puts after a table that is always reached by its key. */
  readonly keyedSuffix: string;
  /** The engine's expression for its own time of day in milliseconds. */
  readonly clockSql: string;
  readonly nowMs: number;
  readonly migrations?: readonly Migration[];
  /** Stops after this version. */
  readonly upTo?: number;
}

/** What is still to be done, in order. Throws where the schema is newer than this Weir. */
export function* pendingMigrations(migrations: readonly Migration[] = allMigrations): Steps<readonly Migration[]> {
  const known = migrations.at(-1)?.version ?? 0;
  yield step(createTable);
  const rows = yield step(readVersion);
  const found = Number(rows[0]?.[0] ?? 0);
  if (found > known) throw SchemaTooNewError.of(found, known);
  return migrations.filter(({ version }) => version > found);
}

/** Returns the version that the schema has afterwards. */
export function* migrate(options: MigrationOptions): Steps<number> {
  const migrations = options.migrations ?? allMigrations;
  const known = migrations.at(-1)?.version ?? 0;
  const upTo = options.upTo ?? known;
  for (const migration of yield* pendingMigrations(migrations)) {
    if (migration.version > upTo) break;
    for (const text of migration.statements)
      yield step(statement(text.replace('{keyed}', options.keyedSuffix).replace('{now}', options.clockSql)));
    yield step(addVersion, migration.version, migration.name, options.nowMs);
  }
  return upTo;
}

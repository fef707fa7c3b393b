/** Brings the schema forward. Drivers run it inside transactions that only one process at a time can hold. */

import type { Migration } from '../sql/migration.ts';
import { type Steps, statement, step } from '../sql/statement.ts';
import { SchemaTooNewError } from '../sql/store-errors.ts';
import { migrations as allMigrations } from './migrations.ts';

const createTable = statement(
  'CREATE TABLE IF NOT EXISTS schema_versions (version BIGINT PRIMARY KEY, name TEXT NOT NULL, applied_at_ms BIGINT NOT NULL)',
);
/** The oldest step that a Weir must know to use the schema after this one; 0 where the step only added something. */
const createReaders = statement(
  'CREATE TABLE IF NOT EXISTS schema_readers (version BIGINT PRIMARY KEY, oldest_reader BIGINT NOT NULL)',
);
const readVersion = statement('SELECT COALESCE(MAX(version), 0) FROM schema_versions');
const addVersion = statement('INSERT INTO schema_versions (version, name, applied_at_ms) VALUES ($1, $2, $3)');
const addReader = statement(
  `INSERT INTO schema_readers (version, oldest_reader) VALUES ($1, $2)
   ON CONFLICT (version) DO UPDATE SET oldest_reader = excluded.oldest_reader`,
);
/** Newer steps after which a Weir that knows this one cannot continue, and those that do not declare it. */
const countUnreadable = statement(
  `SELECT COUNT(*) FROM schema_versions v LEFT JOIN schema_readers r ON r.version = v.version
   WHERE v.version > $1 AND (r.oldest_reader IS NULL OR r.oldest_reader > $2)`,
);

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

/** What is still to be done, in order. Throws where a newer Weir changed the schema so that this one cannot use it. */
export function* pendingMigrations(migrations: readonly Migration[] = allMigrations): Steps<readonly Migration[]> {
  const known = migrations.at(-1)?.version ?? 0;
  yield step(createTable);
  yield step(createReaders);
  const rows = yield step(readVersion);
  const found = Number(rows[0]?.[0] ?? 0);
  if (found > known) {
    const unreadable = yield step(countUnreadable, known, known);
    if (Number(unreadable[0]?.[0] ?? 0) > 0) throw SchemaTooNewError.of(found, known);
  }
  return migrations.filter(({ version }) => version > found);
}

/** Returns the version that the schema has afterwards, which may be a newer Weir's. */
export function* migrate(options: MigrationOptions): Steps<number> {
  const { migrations = allMigrations, upTo = Number.POSITIVE_INFINITY } = options;
  for (const migration of yield* pendingMigrations(migrations)) {
    if (migration.version > upTo) break;
    for (const text of migration.statements)
      yield step(statement(text.replace('{keyed}', options.keyedSuffix).replace('{now}', options.clockSql)));
    yield step(addVersion, migration.version, migration.name, options.nowMs);
    yield step(addReader, migration.version, migration.oldestReader ?? 0);
  }
  const rows = yield step(readVersion);
  return Number(rows[0]?.[0] ?? 0);
}

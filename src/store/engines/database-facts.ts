/** How large the database is, and how many rows each table has: for a report, read beside a running Weir. */

import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { SQL } from 'bun';
import { readRows, schemaVersionIn } from './database-file.ts';
import { databaseFileName } from './sqlite-connection.ts';

interface DatabaseFacts {
  readonly engine: 'sqlite' | 'postgresql';
  /** Absent where the engine has no version of its own. */
  readonly version?: string;
  readonly schemaVersion: number;
  readonly bytes: number;
  /** PostgreSQL estimates them. */
  readonly rows: Readonly<Record<string, number>>;
}

interface FactsOptions {
  readonly databaseUrl: string | undefined;
  readonly dataFolder: string;
  readonly timeoutMs: number;
}

/** Undefined where there is no database yet; looking makes none. */
export async function databaseFacts(options: FactsOptions): Promise<DatabaseFacts | undefined> {
  const { databaseUrl, dataFolder } = options;
  if (databaseUrl !== undefined) return postgresFacts(databaseUrl, options.timeoutMs);
  const file = join(dataFolder, databaseFileName);
  return existsSync(file) ? sqliteFacts(file) : undefined;
}

function sqliteFacts(file: string): DatabaseFacts {
  const names = readRows(
    file,
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY 1",
  );
  const rows = names.map(([name]) => [String(name), Number(readRows(file, `SELECT COUNT(*) FROM "${name}"`)[0]?.[0])]);
  const version = String(readRows(file, 'SELECT sqlite_version()')[0]?.[0]);
  const sizeOf = (path: string): number => (existsSync(path) ? statSync(path).size : 0);
  return {
    engine: 'sqlite',
    version,
    schemaVersion: schemaVersionIn(file),
    bytes: sizeOf(file) + sizeOf(`${file}-wal`),
    rows: Object.fromEntries(rows) as Record<string, number>,
  };
}

async function postgresFacts(url: string, timeoutMs: number): Promise<DatabaseFacts> {
  const client = new SQL(url, { max: 1, prepare: false, connectionTimeout: timeoutMs / 1_000 });
  const read = async (sql: string): Promise<readonly (readonly unknown[])[]> =>
    (await client.unsafe(sql).values()) as readonly (readonly unknown[])[];
  try {
    const [[version, bytes] = []] = await read(
      "SELECT current_setting('server_version'), pg_database_size(current_database())",
    );
    const [[schemaVersion] = []] = await read('SELECT MAX(version) FROM schema_versions');
    const rows = await read('SELECT relname, n_live_tup FROM pg_stat_user_tables ORDER BY relname');
    return {
      engine: 'postgresql',
      version: String(version),
      schemaVersion: Number(schemaVersion),
      bytes: Number(bytes),
      rows: Object.fromEntries(rows.map(([name, count]) => [String(name), Number(count)])),
    };
  } finally {
    await client.close();
  }
}

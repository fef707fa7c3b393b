/** PostgreSQL databases that are used again in this process: cleared of rows, with the schema and the first rows of a new one. */

import { openStore } from '../../src/store/open-store.ts';
import { postgresUrl } from './postgres.ts';

/** A larger table is truncated: deleted rows stay in its file. */
const deletedBytesMax = 65_536;
/** A closed store's connections end a moment later. */
const othersTries = 40;
const othersPauseMs = 5;

/** With a connection that looks into it and clears it. */
export interface ReusedDatabase {
  readonly url: string;
  readonly client: Bun.SQL;
}

const idle: ReusedDatabase[] = [];
/** What each table holds in a database that was just migrated. */
let firstRows: Map<string, Record<string, unknown>[]> | undefined;

/** A database with the schema and the rows of a new one. */
export async function takeDatabase(): Promise<ReusedDatabase> {
  return idle.pop() ?? (await newDatabase());
}

async function newDatabase(): Promise<ReusedDatabase> {
  const url = await postgresUrl();
  const store = await openStore({
    databaseUrl: url,
    databaseTimeoutMs: 60_000,
    dataFolder: '',
    synchronous: 'normal',
    nowMs: Date.now,
  });
  await store.close();
  const client = new Bun.SQL(url, { max: 1, bigint: true });
  firstRows ??= await readRows(client);
  return { url, client };
}

async function readRows(client: Bun.SQL): Promise<Map<string, Record<string, unknown>[]>> {
  const found = new Map<string, Record<string, unknown>[]>();
  for (const { name } of await tablesOf(client)) found.set(name, [...(await client.unsafe(`SELECT * FROM ${name}`))]);
  return found;
}

/** Clears a database for the next taker. One that still has other connections is left as it is, and never taken again. */
export async function returnDatabase(database: ReusedDatabase): Promise<void> {
  const { client } = database;
  if (firstRows !== undefined && (await isUnused(client))) {
    await clear(client, firstRows);
    idle.push(database);
  } else {
    await client.close();
  }
}

async function tablesOf(client: Bun.SQL): Promise<{ name: string; bytes: bigint }[]> {
  return [
    ...(await client.unsafe(
      `SELECT relname AS name, pg_relation_size(oid)::bigint AS bytes FROM pg_class
       WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND relname <> 'schema_versions'`,
    )),
  ];
}

async function isUnused(client: Bun.SQL): Promise<boolean> {
  for (let tries = 0; tries < othersTries; tries += 1) {
    const others = await client.unsafe(
      `SELECT 1 FROM pg_stat_activity
       WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()`,
    );
    if (others.length === 0) return true;
    await Bun.sleep(othersPauseMs);
  }
  return false;
}

async function clear(client: Bun.SQL, rows: ReadonlyMap<string, Record<string, unknown>[]>): Promise<void> {
  const tables = await tablesOf(client);
  const statements = tables.map(({ name, bytes }) => {
    const filled = rows.get(name) ?? [];
    const small = bytes <= deletedBytesMax;
    return bytes === 0n && filled.length === 0 ? '' : small ? `DELETE FROM ${name};` : `TRUNCATE ${name};`;
  });
  await client.begin(async (connection) => {
    await connection.unsafe(statements.join('\n')).simple();
    for (const [name, first] of rows) for (const row of first) await connection.unsafe(...insertion(name, row));
  });
}

function insertion(table: string, row: Record<string, unknown>): [string, unknown[]] {
  const columns = Object.keys(row);
  const places = columns.map((_, index) => `$${index + 1}`);
  return [`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${places.join(', ')})`, Object.values(row)];
}

/** Runs an operation of the store on a connection of its own and notes how the engine means to find what each statement asks for. */

import { Database } from 'bun:sqlite';
import { join } from 'node:path';
import type { Operation, Row, SqlValue } from '../../src/store/statement.ts';
import type { StorePlace } from './store-places.ts';

interface Connection {
  rows(sql: string, values: readonly SqlValue[]): Promise<readonly Row[]>;
  /** One line for each table or index that is visited. */
  plan(sql: string, values: readonly SqlValue[]): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** Every line of every plan that visits a table from end to end, as far as the table can grow. */
export async function fullScansOf(place: StorePlace, operation: Operation<unknown>): Promise<readonly string[]> {
  const connection = place.databaseUrl === undefined ? openSqlite(place) : openPostgres(place.databaseUrl);
  const scans: string[] = [];
  try {
    let next = operation.next([]);
    while (next.done !== true) {
      const { statement, values } = next.value;
      const plan = await connection.plan(statement.sql, values);
      scans.push(...plan.filter(isFullScan).map((line) => `${line.trim()} for ${statement.sql}`));
      next = operation.next(await connection.rows(statement.sql, values));
    }
    return scans;
  } finally {
    await connection.close();
  }
}

function isFullScan(line: string): boolean {
  return /\bSCAN usage_(rows|cells)\b/.test(line) || /\bSeq Scan on usage_(rows|cells)\b/.test(line);
}

function openSqlite(place: StorePlace): Connection {
  const database = new Database(join(place.folder, 'weir.db'), { readonly: true, safeIntegers: true });
  const placed = (sql: string): string => sql.replaceAll(/\$(\d+)/g, '?$1');
  return {
    rows: async (sql, values) => database.prepare(placed(sql)).values(...values) as Row[],
    plan: async (sql, values) =>
      database
        .prepare(`EXPLAIN QUERY PLAN ${placed(sql)}`)
        .values(...values)
        .map((row) => String(row[3])),
    close: async () => database.close(),
  };
}

function openPostgres(url: string): Connection {
  const client = new Bun.SQL(url, { max: 1, bigint: true });
  const run = async (sql: string, values: readonly SqlValue[]): Promise<Row[]> =>
    [...(await client.unsafe(sql, [...values]).values())] as Row[];
  return {
    rows: run,
    plan: async (sql, values) => (await run(`EXPLAIN ${sql}`, values)).map((row) => String(row[0])),
    close: () => client.close(),
  };
}

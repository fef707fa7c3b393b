/** Runs a query of the store on its own connection and records the engine's plan for each statement. */

import { Database } from 'bun:sqlite';
import { join } from 'node:path';
import type { Row, SqlValue, Steps } from '../../src/store/sql/statement.ts';
import type { StorePlace } from './store-places.ts';

interface Connection {
  rows(sql: string, values: readonly SqlValue[]): Promise<readonly Row[]>;
  /** One line for each table or index that is visited. */
  plan(sql: string, values: readonly SqlValue[]): Promise<readonly string[]>;
  close(): Promise<void>;
}

export interface Work {
  /** Every line of every plan that visits a table from end to end, as far as the table can grow. */
  readonly scans: readonly string[];
  /** Of the table of rows, kept or thrown away; absent where the engine does not count them. */
  readonly rowsRead: number | undefined;
}

export interface QueryPlans {
  workOf(steps: Steps<unknown>): Promise<Work>;
  close(): Promise<void>;
}

export function openPlans(place: StorePlace): QueryPlans {
  const connection = place.databaseUrl === undefined ? openSqlite(place) : openPostgres(place.databaseUrl);
  return {
    async workOf(steps) {
      const scans: string[] = [];
      let rowsRead: number | undefined;
      let next = steps.next([]);
      while (next.done !== true) {
        const { statement, values } = next.value;
        const plan = await connection.plan(statement.sql, values);
        scans.push(...plan.filter(isFullScan).map((line) => `${line.trim()} for ${statement.sql}`));
        const read = rowsReadIn(plan);
        if (read !== undefined) rowsRead = (rowsRead ?? 0) + read;
        next = steps.next(await connection.rows(statement.sql, values));
      }
      return { scans, rowsRead };
    },
    close: () => connection.close(),
  };
}

/** An executed plan has for each node the number of its rows, its loops, and the rows that its filter removed. */
function rowsReadIn(plan: readonly string[]): number | undefined {
  let read: number | undefined;
  for (const [at, line] of plan.entries()) {
    const counted = /usage_rows\b.*actual rows=([\d.]+) loops=(\d+)/.exec(line);
    if (counted === null) continue;
    const loops = Number(counted[2]);
    const end = plan.findIndex((later, index) => index > at && later.includes('->'));
    const details = plan.slice(at + 1, end === -1 ? undefined : end).join(' ');
    const removed = Number(/Rows Removed by Filter: (\d+)/.exec(details)?.[1] ?? 0);
    read = (read ?? 0) + (Number(counted[1]) + removed) * loops;
  }
  return read;
}

function isFullScan(line: string): boolean {
  return /\bSCAN usage_(rows|cells)\b/.test(line) || /\bSeq Scan on usage_(rows|cells)\b/.test(line);
}

function openSqlite(place: StorePlace): Connection {
  const database = new Database(join(place.folder, 'weir.db'), { readonly: true, safeIntegers: true });
  database.run('PRAGMA busy_timeout = 60000');
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
    plan: async (sql, values) =>
      (await run(`EXPLAIN (ANALYZE, TIMING OFF, COSTS OFF, BUFFERS OFF) ${sql}`, values)).map((row) => String(row[0])),
    close: () => client.close(),
  };
}

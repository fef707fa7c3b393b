/** The engines that every store suite runs on: a place is one empty database that can be opened often and looked into. */

import { Database } from 'bun:sqlite';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BudgetUnit } from '../../src/access/organization.ts';
import type { AttemptOpening, BudgetScope, UsageRow } from '../../src/ledger/ledger.ts';
import { openPostgresDriver } from '../../src/store/engines/postgres-driver.ts';
import { openStore } from '../../src/store/open-store.ts';
import type { Driver } from '../../src/store/sql/driver.ts';
import type { Store } from '../../src/store/store.ts';
import { throughPgbouncer } from './pgbouncer.ts';
import { postgresUrl } from './postgres.ts';
import { type ReusedDatabase, returnDatabase, takeDatabase } from './reused-databases.ts';
import { reuseStoreThreads } from './reused-threads.ts';

export interface StorePlace {
  readonly folder: string;
  readonly databaseUrl: string | undefined;
  open(nowMs?: () => number): Promise<Store>;
  /** Looks into the database past the store. */
  query(sql: string): Promise<readonly (readonly unknown[])[]>;
  dispose(): Promise<void>;
}

reuseStoreThreads();

/** All stores on PostgreSQL reach it through PgBouncer in transaction mode. */
const isBounced = process.env['WEIR_TEST_PGBOUNCER'] === '1';

/** A busy machine may leave the server without a turn for seconds. */
const databaseTimeoutMs = 60_000;

/** How a store reaches a database, as its options. */
interface Reached {
  readonly databaseUrl: string;
  readonly pgbouncer: boolean;
}

export async function reached(databaseUrl: string): Promise<Reached> {
  return { databaseUrl: isBounced ? await throughPgbouncer(databaseUrl) : databaseUrl, pgbouncer: isBounced };
}

/** The engine below a store, for what no store offers. */
export async function openDriver(databaseUrl: string, connections: number): Promise<Driver> {
  const { databaseUrl: url, pgbouncer } = await reached(databaseUrl);
  const tell = (): void => undefined;
  return openPostgresDriver({ url, pgbouncer, connections, timeoutMs: databaseTimeoutMs, nowMs: Date.now, tell });
}

export const engines = [
  { name: 'sqlite', place: () => makePlace(undefined), newPlace: () => makePlace(undefined) },
  {
    name: 'postgres',
    place: async () => makePlace(await takeDatabase(), true),
    /** For a test that changes the schema: the database is new, without tables, and no other test gets it. */
    newPlace: async () => {
      const url = await postgresUrl();
      return makePlace({ url, client: new Bun.SQL(url, { max: 1, bigint: true }) });
    },
  },
] as const;

/** Statements that leave nothing behind in a database but rows. */
const rowsOnly = /^\s*(SELECT|INSERT|UPDATE|DELETE|WITH|EXPLAIN)\b/i;

async function makePlace(database: ReusedDatabase | undefined, isReused = false): Promise<StorePlace> {
  const folder = mkdtempSync(join(tmpdir(), 'weir-store-'));
  const databaseUrl = database?.url;
  const opened: Store[] = [];
  let returns = isReused;
  return {
    folder,
    databaseUrl,
    async open(nowMs = Date.now) {
      const store = await openStore({
        ...(databaseUrl !== undefined && (await reached(databaseUrl))),
        databaseTimeoutMs,
        dataFolder: folder,
        synchronous: 'normal',
        nowMs,
      });
      opened.push(store);
      return store;
    },
    async query(sql) {
      if (database === undefined) return querySqlite(join(folder, 'weir.db'), sql);
      if (!rowsOnly.test(sql) || sql.includes('schema_versions')) returns = false;
      return [...(await database.client.unsafe(sql).values())] as unknown[][];
    },
    async dispose() {
      await Promise.all(opened.map((store) => store.close().catch(() => undefined)));
      if (database !== undefined) await (returns ? returnDatabase(database) : database.client.close());
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function querySqlite(file: string, sql: string): Promise<unknown[][]> {
  const database = new Database(file, { safeIntegers: true });
  database.run('PRAGMA busy_timeout = 60000');
  try {
    return database.prepare(sql).values();
  } finally {
    database.close();
  }
}

/** The instances that have attempts open or keys in use. */
export async function holdersIn(store: Store): Promise<readonly string[]> {
  return (await store.instances.seen()).filter(({ holds }) => holds).map(({ id }) => id);
}

export interface MoneyCheck {
  /** `scope@window` of every budget whose figures differ from the sums behind them. */
  readonly differing: string[];
  readonly open: number;
}

/**
 * Recomputes every budget from the ledger's entries and the open attempts, each in its unit: spent = Σ entries, held = Σ open
 * reservations.
 */
export async function checkMoney(place: StorePlace): Promise<MoneyCheck> {
  const [budgets, entries, attempts] = await Promise.all([
    place.query('SELECT scope, window_start_ms, spent_nano, held_nano FROM budgets'),
    place.query(
      `SELECT scopes, cost_nano, CASE WHEN verdict IN ('', 'lost') OR cost_nano > 0 OR tokens > 0 THEN 1 ELSE 0 END, tokens
       FROM attempt_rows WHERE state = 'settled'
       UNION ALL SELECT scopes, cost_nano, 1, charged_tokens FROM usage_rows WHERE scopes IS NOT NULL`,
    ),
    place.query("SELECT scopes, reserve_nano, 1, reserve_tokens FROM attempt_rows WHERE state = 'dispatched'"),
  ]);
  const spent = sumByScope(entries);
  const held = sumByScope(attempts);
  const differing: string[] = [];
  for (const [scope, start, spentNano, heldNano] of budgets) {
    const key = `${scope}@${start}`;
    if ((spent.get(key) ?? 0n) !== spentNano || (held.get(key) ?? 0n) !== heldNano) differing.push(key);
  }
  return { differing, open: attempts.length };
}

function sumByScope(rows: readonly (readonly unknown[])[]): Map<string, bigint> {
  const sums = new Map<string, bigint>();
  for (const [scopes, usd, requests, tokens] of rows) {
    if (scopes === '') continue;
    const amounts = { usd, requests, tokens };
    for (const [scope, start, unit = 'usd'] of JSON.parse(String(scopes)) as [string, number, BudgetUnit?][]) {
      const key = `${scope}@${start}`;
      sums.set(key, (sums.get(key) ?? 0n) + BigInt(String(amounts[unit] ?? 0)));
    }
  }
  return sums;
}

let serial = 0;

export function anOpening(given: Partial<AttemptOpening> = {}): AttemptOpening {
  serial += 1;
  return {
    attemptId: `attempt-${serial}`,
    requestId: `request-${serial}`,
    tokenId: 'token-1',
    scopes: [],
    reserveNano: 1_000n,
    reserveTokens: 0,
    estimateNano: 400n,
    provider: 'up',
    model: 'model-1',
    atMs: 1_000,
    ...given,
  };
}

export function aScope(limit: bigint, scope = 'token:token-1', windowStartMs = 0): BudgetScope {
  return { scope, unit: 'usd', limit, windowStartMs };
}

export function aUsageRow(given: Partial<UsageRow> = {}): UsageRow {
  serial += 1;
  return {
    requestId: `request-${serial}`,
    atMs: 1_000,
    tokenId: 'token-1',
    endpoint: 'chat',
    model: 'fast',
    provider: 'up',
    upstreamModel: 'model-1',
    stream: true,
    attempts: 1,
    status: 200,
    code: '',
    usage: { input: { total: 100, cacheRead: 20 }, output: { total: 50, thinking: 0 } },
    costNano: 600n,
    estimated: false,
    priceVersion: 'operator',
    firstEventMs: 12,
    totalMs: 80,
    bytesIn: 512,
    bytesOut: 2_048,
    ...given,
  };
}

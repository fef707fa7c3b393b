/**
 * An hour of 2,000 requests a second, two thirds of which name one of 5,000 end users, summed on PostgreSQL with the usual time limit
 * of a statement: in less time than the hour took, and without a statement that comes near its limit.
 */

import { expect, setDefaultTimeout } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { familyMicros } from '../../bench/processes.ts';
import { createRollups } from '../../src/ledger/rollups.ts';
import { rollupStore } from '../../src/store/analytics/summing/rollup-methods.ts';
import { openPostgresDriver } from '../../src/store/engines/postgres-driver.ts';
import type { Driver } from '../../src/store/sql/driver.ts';
import { usageTable } from '../../src/store/usage/usage-table.ts';
import { needing } from '../harness/needs.ts';
import { newDatabase, postgresCluster } from '../harness/postgres.ts';
import { addCrowd } from '../harness/usage-crowd.ts';
import { cpuNowMs, judge } from '../measures/figures.ts';

setDefaultTimeout(1_800_000);

const { test } = needing('postgres');
const hour = 3_600_000;
const startMs = Date.UTC(2026, 9, 1, 10);
const rows = Number(process.env['WEIR_TEST_USAGE_ROWS'] ?? 2_000 * 3_600);
const copies = 8;
const databaseTimeoutMs = 5_000;
const passesMax = 20;

/** Passes on every query and keeps how long the longest took. */
function timed(driver: Driver): {
  readonly driver: Driver;
  readonly longestMs: () => number;
  readonly count: () => number;
} {
  let longestMs = 0;
  let count = 0;
  const run: Driver['run'] = async (query, ...values) => {
    const began = performance.now();
    const result = await driver.run(query, ...values).catch((error: unknown) => {
      console.log(`Failed after ${Math.round(performance.now() - began)} ms: ${JSON.stringify(values).slice(0, 200)}`);
      throw error;
    });
    longestMs = Math.max(longestMs, performance.now() - began);
    count += 1;
    return result;
  };
  return { driver: { ...driver, run }, longestMs: () => longestMs, count: () => count };
}

/** An eighth of the rows is made, the others are copies of it. */
async function addHour(query: (sql: string) => Promise<unknown[][]>, databaseUrl: string): Promise<void> {
  const made = { rows: rows / copies, fromMs: startMs, toMs: startMs + hour - copies, tokens: 200 };
  await addCrowd({ query, databaseUrl }, made);
  const columns = usageTable.columns.map((column) => {
    if (column === 'request_id') return "request_id || '_' || copy";
    return column === 'at_ms' ? 'at_ms + copy' : column;
  });
  await query(
    `INSERT INTO usage_rows (${usageTable.list})
     SELECT ${columns.join(', ')} FROM usage_rows, generate_series(1, ${copies - 1}) AS copy`,
  );
  await query('VACUUM ANALYZE usage_rows');
}

test('an hour of 2,000 requests a second with end users', async () => {
  const cluster = await postgresCluster();
  const url = await newDatabase(cluster.url);
  const server = Number(readFileSync(join(cluster.data, 'postmaster.pid'), 'utf8').split('\n')[0]);
  const driver = await openPostgresDriver({
    ...{ url, timeoutMs: databaseTimeoutMs, connections: 4, pgbouncer: false, nowMs: Date.now },
    tell: () => undefined,
  });
  const client = new Bun.SQL(url, { max: 1, bigint: true });
  const query = async (sql: string) => [...(await client.unsafe(sql).values())] as unknown[][];
  try {
    await addHour(query, url);
    const watched = timed(driver);
    const faults: unknown[] = [];
    let nowMs = startMs + 2 * hour;
    const rollups = createRollups({
      store: rollupStore(watched.driver),
      nowMs: () => nowMs,
      retentionDays: undefined,
      onFault: (error) => faults.push(error),
    });
    const before = { server: familyMicros(server), own: cpuNowMs(), ms: performance.now() };
    let longestTurnMs = 0;
    let lastMs = performance.now();
    const turns = setInterval(() => {
      longestTurnMs = Math.max(longestTurnMs, performance.now() - lastMs);
      lastMs = performance.now();
    }, 1);
    let steps = 0;
    // A pass that fails continues a minute later where it was, as in a serving process.
    for (let passes = 0; passes < passesMax; passes += 1) {
      nowMs += 60_000;
      const pass = await rollups.pass().catch((error: unknown) => void faults.push(error));
      steps += pass?.summed ?? 0;
      if (pass !== undefined) break;
    }
    clearInterval(turns);
    const tookMs = performance.now() - before.ms;
    const [summed] = await query(
      `SELECT CAST(SUM(requests) AS BIGINT), CAST(SUM(cost_nano) AS BIGINT) FROM usage_cells WHERE view = 'all' AND grain_ms = ${hour}`,
    );
    const [stored] = await query('SELECT COUNT(*), CAST(SUM(cost_nano) AS BIGINT) FROM usage_rows');
    expect(summed).toEqual(stored as unknown[]);
    const cells = await query('SELECT view, COUNT(*) FROM usage_cells GROUP BY view ORDER BY view');
    console.log(
      `${rows} rows in ${steps} steps of the last pass, ${watched.count()} queries, ${faults.length} of which failed; cells: ${cells.join(' ')}`,
    );
    judge('seconds until the hour is summed', tookMs / 1_000, hour / 1_000, 's');
    judge("PostgreSQL's processor time for each row", (familyMicros(server) - before.server) / rows, 20, 'µs');
    judge('own processor time for each row', ((cpuNowMs() - before.own) * 1_000) / rows, 10, 'µs');
    judge('queries that failed', faults.length, 3);
    judge('longest query', watched.longestMs(), databaseTimeoutMs, 'ms');
    judge('longest turn of the event loop', longestTurnMs, 200, 'ms');
  } finally {
    await client.close();
    await driver.close();
  }
});

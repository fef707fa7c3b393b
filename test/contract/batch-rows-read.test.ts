/**
 * What a batch of the ledger reads: the rows of its own attempts and budgets, however many others there are; and what a
 * search for dead replicas reads. PostgreSQL counts the rows that a transaction reads by table, whichever plan it chose.
 */

import { expect } from 'bun:test';
import { closingTable, openingTable } from '../../src/store/attempts/attempt-table.ts';
import { batchArrays } from '../../src/store/attempts/batches/batch-query.ts';
import { callLedgerFunction } from '../../src/store/attempts/batches/ledger-function.ts';
import { scopeRows } from '../../src/store/attempts/scope-rows.ts';
import { seenInstances } from '../../src/store/configuration/server-state-queries.ts';
import { needing } from '../harness/needs.ts';
import { anOpening, aScope, aUsageRow, engines } from '../harness/store-places.ts';

const { describe, test } = needing('postgres');

const openCount = 600;
const batchSize = 8;
const batchCount = 8;

interface RowsRead {
  readonly attempt_rows: number;
  readonly budgets: number;
}

/** Since this connection last reported its counts, which it does at most once a second and never in a transaction. */
async function rowsRead(client: Bun.TransactionSQL): Promise<RowsRead> {
  const rows = (await client
    .unsafe(
      `SELECT relname, CAST(seq_tup_read + COALESCE(idx_tup_fetch, 0) AS TEXT) FROM pg_stat_xact_user_tables
       WHERE relname IN ('attempt_rows', 'budgets')`,
    )
    .values()) as [keyof RowsRead, string][];
  const read = Object.fromEntries(rows.map(([table, count]) => [table, Number(count)]));
  return { attempt_rows: read['attempt_rows'] ?? 0, budgets: read['budgets'] ?? 0 };
}

/** The most rows that one of several batches read, of each table: plans may change after the first ones. */
async function mostRead(client: Bun.SQL, batches: readonly (readonly string[])[]): Promise<RowsRead> {
  let most: RowsRead = { attempt_rows: 0, budgets: 0 };
  for (const arrays of batches) {
    await client.begin(async (transaction) => {
      const before = await rowsRead(transaction);
      await transaction.unsafe(callLedgerFunction, [60_000, 1, ...arrays]);
      const after = await rowsRead(transaction);
      most = {
        attempt_rows: Math.max(most.attempt_rows, after.attempt_rows - before.attempt_rows),
        budgets: Math.max(most.budgets, after.budgets - before.budgets),
      };
    });
  }
  return most;
}

/** Batches that each end some of the attempts and open as many others. */
function batchesOf(open: readonly ReturnType<typeof anOpening>[]): readonly (readonly string[])[] {
  return Array.from({ length: batchCount }, (_, batch) => {
    const ended = open.slice(batch * batchSize, (batch + 1) * batchSize);
    const closings = ended.map(({ requestId }) =>
      closingTable.pack(
        { attemptId: `${requestId}.1`, costNano: 5n, estimated: false, atMs: 2_000 },
        aUsageRow({ requestId, costNano: 5n, attempts: 1 }),
      ),
    );
    const openings = ended.map(({ scopes }) => {
      const opening = anOpening({ scopes });
      return { cells: openingTable.pack(opening, 'x'), scopes: scopeRows(opening) };
    });
    return batchArrays(openings, closings);
  });
}

const kinds = { 'without a budget': false, 'with a budget each': true } as const;

describe('a batch beside hundreds of other open attempts reads only its own rows', () => {
  for (const [kind, hasBudget] of Object.entries(kinds)) {
    for (const analyzed of ['never', 'while they were nearly empty', 'since they grew'] as const) {
      test(`${kind}, in tables that were analyzed ${analyzed}`, async () => {
        const place = await engines[1].newPlace();
        const store = await place.open();
        const client = new Bun.SQL(place.databaseUrl ?? '', { max: 1, bigint: true });
        try {
          const open = Array.from({ length: openCount }, (_, nth) => {
            const opening = anOpening({ scopes: hasBudget ? [aScope(10n ** 12n, `token:${nth}`)] : [] });
            return { ...opening, attemptId: `${opening.requestId}.1` };
          });
          const [first, ...rest] = open;
          if (first !== undefined) await store.attempts.open(first);
          if (analyzed === 'while they were nearly empty') await client.unsafe('ANALYZE');
          await Promise.all(rest.map(store.attempts.open));
          if (analyzed === 'since they grew') await client.unsafe('ANALYZE');
          const read = await mostRead(client, batchesOf(open));
          // An attempt is looked for by what removes rows and by what changes them, a budget by each step of its admission.
          expect(read.attempt_rows).toBeLessThanOrEqual(3 * batchSize);
          expect(read.budgets).toBeLessThanOrEqual(hasBudget ? 5 * batchSize : 0);
          expect(
            await place.query("SELECT CAST(count(*) AS TEXT) FROM attempt_rows WHERE state = 'dispatched'"),
          ).toEqual([[String(openCount)]]);
        } finally {
          await client.close();
          await store.close();
          await place.dispose();
        }
      });
    }
  }
});

test('a search for dead replicas reads few rows of open attempts, however many there are', async () => {
  const place = await engines[1].newPlace();
  const stores = await Promise.all(Array.from({ length: 3 }, () => place.open()));
  const client = new Bun.SQL(place.databaseUrl ?? '', { max: 1, bigint: true });
  try {
    for (const store of stores)
      await Promise.all(Array.from({ length: openCount / 3 }, () => store.attempts.open(anOpening())));
    await client.unsafe('ANALYZE');
    const search = seenInstances.steps().next().value;
    if (!('statement' in search)) throw new Error('the search begins with a statement');
    await client.begin(async (transaction) => {
      const before = await rowsRead(transaction);
      const seen = (await transaction.unsafe(search.statement.sql).values()) as [string, bigint, number][];
      expect(seen.map(([id, , held]) => [id, Number(held)])).toEqual(
        stores.map(({ instanceId }) => [instanceId, 1]).sort(),
      );
      const after = await rowsRead(transaction);
      expect(after.attempt_rows - before.attempt_rows).toBeLessThanOrEqual(2 * stores.length);
    });
  } finally {
    await client.close();
    for (const store of stores) await store.close();
    await place.dispose();
  }
});

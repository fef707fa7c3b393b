import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { migrate } from './migrate.ts';
import { firstTables } from './migrations/0001-first-tables.ts';
import type { Operation, Row, SqlValue } from './statement.ts';

function drive(database: Database, operation: Operation<number>): number {
  let next = operation.next([]);
  while (next.done !== true) {
    const { statement, values } = next.value;
    const prepared = database.prepare(statement.sql.replaceAll(/\$(\d+)/g, '?$1'));
    const rows = statement.returnsRows ? (prepared.values(...(values as SqlValue[])) as Row[]) : [];
    if (!statement.returnsRows) prepared.run(...(values as SqlValue[]));
    next = operation.next(rows);
  }
  return next.value;
}

test('attempts written before the second migration are still attempts and still ledger entries after it', () => {
  const database = new Database(':memory:');
  const options = { keyedSuffix: ' WITHOUT ROWID', nowMs: 0 };
  expect(drive(database, migrate({ ...options, migrations: [firstTables] }))).toBe(1);
  database.run(
    `INSERT INTO attempts (id, request_id, token_id, scopes, reserve_nano, estimate_nano, cost_nano, state, instance_id, provider, model, at_ms)
     VALUES ('old.1', 'old', 't', '', 0, 0, 5, 'settled', 'i', 'p', 'm', 1), ('open.1', 'open', 't', '', 0, 0, NULL, 'dispatched', 'i', 'p', 'm', 1)`,
  );
  expect(drive(database, migrate(options))).toBeGreaterThan(1);
  expect(database.prepare('SELECT id, state FROM attempts ORDER BY id').values()).toEqual([
    ['old.1', 'settled'],
    ['open.1', 'dispatched'],
  ]);
  expect(database.prepare('SELECT attempt_id, amount_nano FROM ledger_entries').values()).toEqual([['old.1', 5]]);
});

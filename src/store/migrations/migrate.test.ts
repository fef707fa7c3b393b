import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import type { Row, SqlValue, Steps } from '../sql/statement.ts';
import { firstTables } from './0001-0009/0001-first-tables.ts';
import { migrate } from './migrate.ts';
import { migrations } from './migrations.ts';

function drive(database: Database, operation: Steps<number>): number {
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
  const options = { keyedSuffix: ' WITHOUT ROWID', clockSql: '0', nowMs: 0 };
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

test('attempts of version 4 keep their money after the fifth migration, and nothing is made up about their keys and verdicts', () => {
  const database = new Database(':memory:');
  const options = { keyedSuffix: ' WITHOUT ROWID', clockSql: '0', nowMs: 0 };
  expect(drive(database, migrate({ ...options, migrations: migrations.slice(0, 4) }))).toBe(4);
  database.run(
    `INSERT INTO attempt_rows (id, request_id, token_id, scopes, reserve_nano, estimate_nano, cost_nano, estimated, state, instance_id, provider, model, at_ms, settled_at_ms)
     VALUES ('two.1', 'two', 't', '', 0, 0, 0, 0, 'settled', 'i', 'p', 'm', 1, 2),
       ('two.2', 'two', 't', '', 0, 0, 5, 0, 'settled', 'i', 'q', 'n', 2, 9), ('open.1', 'open', 't', '', 0, 0, NULL, NULL, 'dispatched', 'i', 'p', 'm', 3, NULL)`,
  );
  const usage = (id: string, tells: string): void =>
    void database.run(
      `INSERT INTO usage_rows (request_id, at_ms, token_id, endpoint, model, provider, upstream_model, stream, attempts, status, code,
         cost_nano, estimated, price_version, total_ms, bytes_in, bytes_out, tells_attempt)
       VALUES ('${id}', 4, 't', 'chat', 'x', 'p', 'm', 0, 1, 200, '', 7, 1, '', 6, 0, 0, ${tells})`,
    );
  usage('two', 'NULL');
  usage('sole', '1');
  const before = database.prepare('SELECT * FROM ledger_entries ORDER BY attempt_id').values();
  expect(before).toHaveLength(2);
  expect(drive(database, migrate(options))).toBeGreaterThan(4);
  expect(database.prepare('SELECT * FROM ledger_entries ORDER BY attempt_id').values()).toEqual(before);
  const shown = database.prepare(
    'SELECT id, provider, model, key_id, verdict, at_ms, settled_at_ms FROM attempts ORDER BY id',
  );
  expect(shown.values()).toEqual([
    ['open.1', 'p', 'm', null, null, 3, null],
    ['sole.1', 'p', 'm', null, null, 4, 10],
    ['two.1', 'p', 'm', null, null, 1, 2],
    ['two.2', 'q', 'n', null, null, 2, 9],
  ]);
});

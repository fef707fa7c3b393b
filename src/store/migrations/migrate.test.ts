import { Database } from 'bun:sqlite';
import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import type { Migration } from '../sql/migration.ts';
import type { Row, SqlValue, Steps } from '../sql/statement.ts';
import { SchemaTooNewError } from '../sql/store-errors.ts';
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

describe('steps that a release and its neighbor share a database after', () => {
  /** The newest step of the last release: replicas of it run beside replicas of this one, and may be returned to. */
  const released = 23;

  const columnsIn = (statements: readonly string[], view: string): string | undefined =>
    statements
      .findLast((text) => text.startsWith(`CREATE VIEW ${view} AS`))
      ?.replaceAll(/\s+/g, ' ')
      .match(/ AS SELECT (.*?) FROM /)?.[1];

  /** Does the step create the view again, as those before it did? */
  function hasSameColumns(view: string, statements: readonly string[], version: number): boolean {
    const before = migrations.filter((earlier) => earlier.version < version).flatMap((earlier) => earlier.statements);
    const columns = columnsIn(statements, view);
    return columns !== undefined && columns === columnsIn(before, view);
  }

  /** Why replicas that do not know a step could not continue after this statement of it. */
  function changes(text: string, { statements, version }: Migration): string | undefined {
    const sql = text.trim().replaceAll(/\s+/g, ' ');
    if (/^CREATE (?:TABLE|VIEW|INDEX) |^INSERT INTO |^DROP INDEX /.test(sql)) return undefined;
    const [, view] = /^DROP VIEW (\w+)$/.exec(sql) ?? [];
    if (view !== undefined && hasSameColumns(view, statements, version)) return undefined;
    const [, table, column, rest = ''] = /^ALTER TABLE (\w+) ADD COLUMN (\w+) (.*)$/.exec(sql) ?? [];
    if (column !== undefined)
      return /NOT NULL/.test(rest) && !/DEFAULT/.test(rest) ? `${table}.${column} must be written` : undefined;
    const [, updated, set] = /^UPDATE (\w+) SET (\w+) = (?!.*,)/.exec(sql) ?? [];
    const isOwn = statements.some((other) => other.startsWith(`ALTER TABLE ${updated} ADD COLUMN ${set} `));
    return set !== undefined && isOwn ? undefined : sql;
  }

  test('a step only adds, or says since when nothing needs what it changes', () => {
    const wrong = migrations.flatMap((migration) => {
      const found = migration.statements.flatMap((text) => changes(text, migration) ?? []);
      const isDeclared = migration.oldestReader !== undefined;
      return found.length > 0 === isDeclared ? [] : [`${migration.version}: ${found.join('; ')}`];
    });
    expect(wrong).toEqual([]);
  });

  test('the last release can use the schema of this one', () => {
    const late = migrations.filter(({ version, oldestReader = 0 }) => version > released && oldestReader > released);
    expect(late.map(({ version }) => version)).toEqual([]);
    expect(migrations.some(({ version }) => version === released)).toBe(true);
  });

  test('what would break a neighbor is recognized', () => {
    const step = (...statements: string[]): Migration => ({ version: 99, name: 'a step', statements });
    for (const text of [
      'DROP TABLE tokens',
      'DROP VIEW attempts',
      'ALTER TABLE tokens DROP COLUMN name',
      'ALTER TABLE tokens RENAME TO credentials',
      'ALTER TABLE tokens RENAME COLUMN name TO label',
      'ALTER TABLE tokens ALTER COLUMN name TYPE BIGINT',
      'ALTER TABLE tokens ADD COLUMN owner TEXT NOT NULL',
      'CREATE UNIQUE INDEX tokens_name ON tokens (name)',
      "UPDATE tokens SET name = ''",
      'DELETE FROM tokens',
    ]) {
      expect([text, changes(text, step(text))]).not.toEqual([text, undefined]);
    }
    const adding = step('ALTER TABLE t ADD COLUMN c BIGINT', 'UPDATE t SET c = 1', 'CREATE INDEX t_c ON t (c)');
    for (const text of adding.statements) expect([text, changes(text, adding)]).toEqual([text, undefined]);
  });

  test('an older Weir continues where newer steps only added, and refuses where one did not', () => {
    const options = { keyedSuffix: ' WITHOUT ROWID', clockSql: '0', nowMs: 0 };
    const known = migrations.at(-1)?.version ?? 0;
    const after = (...oldestReaders: readonly (number | undefined)[]): Database => {
      const database = new Database(':memory:');
      const later = oldestReaders.map((oldestReader, index): Migration => {
        const version = known + 1 + index;
        const statements = [`CREATE TABLE later_${version} (id BIGINT)`];
        return { version, name: 'later', statements, ...(oldestReader !== undefined && { oldestReader }) };
      });
      drive(database, migrate({ ...options, migrations: [...migrations, ...later] }));
      return database;
    };
    expect(drive(after(undefined, known), migrate(options))).toBe(known + 2);
    for (const refused of [after(undefined, known + 1), after(known + 1, undefined)])
      expect(() => drive(refused, migrate(options))).toThrow(SchemaTooNewError);
    const undeclared = after();
    undeclared.run(`INSERT INTO schema_versions (version, name, applied_at_ms) VALUES (${known + 1}, 'undeclared', 0)`);
    expect(() => drive(undeclared, migrate(options))).toThrow(SchemaTooNewError);
  });
});

test('no statement depends on how many columns a table has: a newer release may add some', async () => {
  const folder = join(import.meta.dir, '..');
  const found: string[] = [];
  for (const file of new Bun.Glob('**/*.ts').scanSync(folder)) {
    if (file.endsWith('.test.ts')) continue;
    const text = await Bun.file(join(folder, file)).text();
    // Rows that the statement itself made.
    for (const [line] of text.matchAll(/^.*(?:SELECT \*|\w\.\*,|INSERT INTO \w+ (?:VALUES|SELECT)|RETURNING \*).*$/gm))
      if (!/SELECT \* FROM (?:unnest|\$\{from\})/.test(line)) found.push(`${file}: ${line.trim()}`);
  }
  expect(found).toEqual([]);
});

/** One statement for many rows, so that a large change takes few round trips. */

import { type SqlValue, type Statement, type Steps, statementsBy } from './statement.ts';
import { columnName, placesFrom } from './table.ts';

/** Far below the number of values that a statement may have on either engine. */
const rowsPerStatement = 100;

type StatementOf = (rows: number) => Statement;

interface Columns {
  readonly name: string;
  readonly list: string;
  readonly width: number;
}

const repeated = (rows: number, textOf: (row: number) => string): readonly string[] =>
  Array.from({ length: rows }, (_, row) => textOf(row));

/** `tail` follows the rows: what to do on a conflict. */
export function insertOf({ name, list, width }: Columns, tail = ''): StatementOf {
  return statementsBy((rows: number) => {
    const places = repeated(rows, (row) => `(${placesFrom(1 + row * width, width)})`);
    return `INSERT INTO ${name} (${list}) VALUES ${places.join(', ')} ${tail}`;
  });
}

/** Sets texts of the rows with these ids; a row's values are its id, then the others in this order. */
export function updateOf(table: string, ...properties: readonly string[]): StatementOf {
  const columns = ['id', ...properties.map(columnName)];
  const changes = columns.slice(1).map((column) => `${column} = given.${column}`);
  return statementsBy((rows: number) => {
    const selects = repeated(rows, (row) => {
      const cells = columns.map((column, at) => `CAST($${1 + row * columns.length + at} AS TEXT) AS ${column}`);
      return `SELECT ${cells.join(', ')}`;
    });
    return `UPDATE ${table} SET ${changes.join(', ')} FROM (${selects.join(' UNION ALL ')}) AS given WHERE ${table}.id = given.id`;
  });
}

export function* forRows(statementOf: StatementOf, rows: readonly (readonly SqlValue[])[]): Steps<void> {
  for (let from = 0; from < rows.length; from += rowsPerStatement) {
    const some = rows.slice(from, from + rowsPerStatement);
    yield { statement: statementOf(some.length), values: some.flat() };
  }
}

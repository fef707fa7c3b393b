/** Removes rows by age in small batches: one long DELETE would block every other writer. */

import type { Driver } from './driver.ts';
import { type Query, single } from './query.ts';
import { type Steps, statement, step } from './statement.ts';

const batchRows = 200;

type Removal = Query<[atMs: number, most: number], number>;

/** A query that removes some of the rows whose `column` is that old, the oldest first, and returns how many. `key` names a row. */
export function removal(table: string, key: string, column: string, comparison: '<=' | '<' = '<='): Removal {
  const remove = statement(
    `DELETE FROM ${table} WHERE (${key}) IN
       (SELECT ${key} FROM ${table} WHERE ${column} ${comparison} $1 ORDER BY ${column} LIMIT $2) RETURNING 1`,
  );
  return single(function* (atMs: number, most: number): Steps<number> {
    return (yield step(remove, atMs, most)).length;
  });
}

/** Runs it until nothing that old is left. */
export async function removeAll(driver: Driver, query: Removal, atMs: number): Promise<void> {
  while ((await driver.run(query, Math.round(atMs), batchRows)) === batchRows);
}

/** Settings that were changed in the console: rows of the settings table under a prefix of their own. */

import { read, transaction } from '../sql/query.ts';
import { asText, type Steps, statement, step } from '../sql/statement.ts';
import { bumpRevision } from '../tokens/token-queries.ts';

const prefix = 'console:';
const all = statement(`SELECT key, value FROM settings WHERE key LIKE '${prefix}%' ORDER BY key`);
const put = statement(
  'INSERT INTO settings (key, value) VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
);
const remove = statement('DELETE FROM settings WHERE key = $1');

type ConsoleSettingCells = readonly [key: string, value: string];

export const consoleSettings = read(function* (): Steps<readonly ConsoleSettingCells[]> {
  const rows = yield step(all);
  return rows.map((row): ConsoleSettingCells => [asText(row[0]).slice(prefix.length), asText(row[1])]);
});

/** Null removes a value. All or none, and other replicas see the change by the revision. */
export const changeConsoleSettings = transaction(function* (
  changes: readonly (readonly [key: string, value: string | null])[],
): Steps<null> {
  for (const [key, value] of changes) {
    yield value === null ? step(remove, prefix + key) : step(put, prefix + key, value);
  }
  yield* bumpRevision();
  return null;
});

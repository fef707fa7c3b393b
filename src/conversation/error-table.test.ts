import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ErrorRow, errorTable } from './error-table.ts';

const page = readFileSync(join(import.meta.dir, '../../docs/errors.md'), 'utf8');
const rows: readonly [string, ErrorRow][] = Object.entries(errorTable);

test('docs/errors.md lists exactly the rows of the table', () => {
  const expected = rows.map(
    ([code, row]) =>
      `| \`${code}\` | ${row.status} | \`${row.type}\` | ${row.retryable ? 'yes' : 'no'} | ${row.cost} | ${row.meaning} |`,
  );
  const written = page.split('\n').filter((line) => /^\| `[a-z_]+` \| \d/.test(line));
  expect(written).toEqual(expected);
});

test("a client's fault is never a 5xx, and what may have been billed is never retried by itself", () => {
  for (const [code, row] of rows) {
    if (['authentication_error', 'permission_error', 'invalid_request_error', 'not_found_error'].includes(row.type)) {
      expect(`${code} ${row.status}`).toMatch(/ 4\d\d$/);
    }
    if (row.cost === 'possible') expect(`${code} ${row.retryable}`).toBe(`${code} false`);
  }
});

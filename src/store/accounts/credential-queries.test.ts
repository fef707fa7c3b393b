/** No table by which an account can be entered is forgotten where another person gets the account. */

import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { migrations } from '../migrations/migrations.ts';

/** Columns that name an account and open none. */
const harmless: Readonly<Record<string, string>> = {
  'audit_log.account_id': 'what the account did',
  'invitations.account_id': 'the account that an accepted invitation made',
  'memberships.account_id': 'removed with the user of the directory',
  'scim_members.account_id': 'removed with the user of the directory',
  'scim_users.account_id': 'the user of the directory itself',
};

function accountColumns(): readonly string[] {
  const found = migrations.flatMap(({ statements }) =>
    [...statements].flatMap((sql) => {
      const [, table = ''] = /(?:CREATE TABLE|ALTER TABLE)(?: IF NOT EXISTS)? (\w+)/.exec(String(sql)) ?? [];
      return [...String(sql).matchAll(/\b(\w*account_id|owner_id|created_by|invited_by)\b TEXT/g)].map(
        ([, column]) => `${table}.${column}`,
      );
    }),
  );
  return [...new Set(found)].toSorted();
}

test('each table that refers to accounts is dropped from, or known to hold nothing that opens one', () => {
  const columns = accountColumns();
  expect(columns.length).toBeGreaterThan(10);
  const text = readFileSync(join(import.meta.dir, 'credential-queries.ts'), 'utf8');
  const isDropped = (place: string): boolean => {
    const [table, column] = place.split('.');
    return new RegExp(`(?:DELETE FROM|UPDATE) ${table}\\b[^']*WHERE ${column} = \\$1`).test(text);
  };
  expect(columns.filter((place) => !isDropped(place))).toEqual(Object.keys(harmless));
});

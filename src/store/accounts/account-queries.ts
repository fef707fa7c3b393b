/** Accounts of the console, the set-up that makes the first one, and the count of passwords that were wrong. */

import { bareDigest } from '../../secrets/digests.ts';
import { read, single, transaction } from '../sql/query.ts';
import { asNumber, asNumberOrNull, asText, type Row, type Steps, statement, step } from '../sql/statement.ts';
import { bumpRevision } from '../tokens/token-queries.ts';

export type AccountCells = readonly [
  id: string,
  name: string,
  role: string,
  createdAtMs: number,
  passwordChangedAtMs: number,
  lastSignInAtMs: number | null,
  disabledAtMs: number | null,
];

export type NewAccountCells = readonly [
  id: string,
  name: string,
  nameKey: string,
  role: string,
  passwordHash: string,
  createdAtMs: number,
];

/** Null leaves a value as it is; of a disabling, 0 means that it ends. */
export type AccountChangeCells = readonly [
  name: string | null,
  nameKey: string | null,
  role: string | null,
  disabledAtMs: number | null,
];

export const accountColumns = [
  'id',
  'name',
  'role',
  'created_at_ms',
  'password_changed_at_ms',
  'last_sign_in_at_ms',
  'disabled_at_ms',
] as const;
const columns = accountColumns.join(', ');

const insert = statement(
  `INSERT INTO accounts (id, name, name_key, role, password_hash, created_at_ms, password_changed_at_ms)
   VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (name_key) DO NOTHING RETURNING id`,
);
const byId = statement(`SELECT ${columns} FROM accounts WHERE id = $1`);
const byName = statement(`SELECT ${columns}, password_hash FROM accounts WHERE name_key = $1`);
const hashOf = statement('SELECT password_hash FROM accounts WHERE id = $1');
const list = statement(`SELECT ${columns} FROM accounts ORDER BY created_at_ms, id LIMIT $1`);
const nameTaken = statement('SELECT id FROM accounts WHERE name_key = $1 AND id <> $2');
const otherOwner = statement(
  "SELECT id FROM accounts WHERE role = 'owner' AND disabled_at_ms IS NULL AND id <> $1 LIMIT 1",
);
const rename = statement('UPDATE accounts SET name = $2, name_key = $3 WHERE id = $1');
const setRole = statement('UPDATE accounts SET role = $2 WHERE id = $1');
const setDisabled = statement('UPDATE accounts SET disabled_at_ms = $2 WHERE id = $1');
const setHash = statement(
  'UPDATE accounts SET password_hash = $2, password_changed_at_ms = $3 WHERE id = $1 RETURNING id',
);

export function accountCells(row: Row): AccountCells {
  return [
    asText(row[0]),
    asText(row[1]),
    asText(row[2]),
    asNumber(row[3]),
    asNumber(row[4]),
    asNumberOrNull(row[5]),
    asNumberOrNull(row[6]),
  ];
}

/** False where another account has the name. */
export const insertAccount = single(function* (...cells: NewAccountCells): Steps<boolean> {
  return (yield step(insert, ...cells, cells[5])).length > 0;
});

export const accountById = read(function* (id: string): Steps<AccountCells | null> {
  const row = (yield step(byId, id))[0];
  return row === undefined ? null : accountCells(row);
});

export const accountByName = read(function* (
  nameKey: string,
): Steps<readonly [account: AccountCells, passwordHash: string] | null> {
  const row = (yield step(byName, nameKey))[0];
  return row === undefined ? null : [accountCells(row), asText(row[accountColumns.length])];
});

export const passwordHashOf = read(function* (id: string): Steps<string | null> {
  const row = (yield step(hashOf, id))[0];
  return row === undefined ? null : asText(row[0]);
});

export const listAccounts = read(function* (limit: number): Steps<readonly AccountCells[]> {
  return (yield step(list, limit)).map(accountCells);
});

export type AccountOutcome = 'changed' | 'absent' | 'name-taken' | 'last-owner';

/** The revision's row is taken first: two owners who remove each other at the same moment wait for one another. */
export const updateAccount = transaction(function* (id: string, change: AccountChangeCells): Steps<AccountOutcome> {
  const [name, nameKey, role, disabledAtMs] = change;
  yield* bumpRevision();
  const row = (yield step(byId, id))[0];
  if (row === undefined) return 'absent';
  const [, , oldRole, , , , oldDisabledAtMs] = accountCells(row);
  if (nameKey !== null && (yield step(nameTaken, nameKey, id)).length > 0) return 'name-taken';
  const endsAsOwner = (role ?? oldRole) === 'owner' && !((disabledAtMs ?? oldDisabledAtMs ?? 0) > 0);
  const wasOwner = oldRole === 'owner' && oldDisabledAtMs === null;
  if (wasOwner && !endsAsOwner && (yield step(otherOwner, id)).length === 0) return 'last-owner';
  if (name !== null && nameKey !== null) yield step(rename, id, name, nameKey);
  if (role !== null) yield step(setRole, id, role);
  if (disabledAtMs !== null) yield step(setDisabled, id, disabledAtMs === 0 ? null : disabledAtMs);
  return 'changed';
});

export const setAccountPassword = single(function* (id: string, passwordHash: string, atMs: number): Steps<boolean> {
  return (yield step(setHash, id, passwordHash, atMs)).length > 0;
});

const isDone = statement('SELECT done_at_ms FROM set_up WHERE id = 1');
const finish = statement('UPDATE set_up SET done_at_ms = $1 WHERE id = 1 AND done_at_ms IS NULL RETURNING id');
const addLink = statement('INSERT INTO set_up_links (digest, expires_at_ms) VALUES ($1, $2)');
const findLink = statement('SELECT digest FROM set_up_links WHERE digest = $1 AND expires_at_ms > $2');
const dropLinks = statement('DELETE FROM set_up_links');
const dropOldLinks = statement('DELETE FROM set_up_links WHERE expires_at_ms <= $1');

export const setUpDone = read(function* (): Steps<boolean> {
  return asNumberOrNull((yield step(isDone))[0]?.[0]) !== null;
});

export const addSetUpLink = transaction(function* (digest: string, nowMs: number, expiresAtMs: number): Steps<null> {
  yield step(dropOldLinks, nowMs);
  yield step(addLink, bareDigest(digest), expiresAtMs);
  return null;
});

/** Works once in the life of a database. Without a digest the operator's own configuration asks for it. */
export const completeSetUp = transaction(function* (
  digest: string | null,
  atMs: number,
  account: NewAccountCells,
): Steps<'done' | 'refused'> {
  if (digest !== null && (yield step(findLink, bareDigest(digest), atMs)).length === 0) return 'refused';
  if ((yield step(finish, atMs)).length === 0) return 'refused';
  yield step(dropLinks);
  yield step(insert, ...account, atMs);
  return 'done';
});

/** A count begins anew once the period that the first try opened is over. */
const count = statement(
  `INSERT INTO sign_in_tries (scope, started_at_ms, tries) VALUES ($1, $2, 1)
   ON CONFLICT (scope) DO UPDATE SET
     tries = CASE WHEN sign_in_tries.started_at_ms > $3 THEN sign_in_tries.tries + 1 ELSE 1 END,
     started_at_ms = CASE WHEN sign_in_tries.started_at_ms > $3 THEN sign_in_tries.started_at_ms ELSE excluded.started_at_ms END
   RETURNING tries, started_at_ms`,
);
const giveBack = statement('UPDATE sign_in_tries SET tries = tries - 1 WHERE scope = $1 AND tries > 0');
const expire = statement(
  `DELETE FROM sign_in_tries WHERE scope IN
     (SELECT scope FROM sign_in_tries WHERE started_at_ms <= $1 ORDER BY started_at_ms LIMIT $2) RETURNING scope`,
);

/** Counts before the password is looked at, so that a hundred tries at once are a hundred tries. */
export const countSignInTry = single(function* (
  scope: string,
  nowMs: number,
  staleBeforeMs: number,
): Steps<readonly [tries: number, startedAtMs: number]> {
  const row = (yield step(count, scope, nowMs, staleBeforeMs))[0];
  return [asNumber(row?.[0]), asNumber(row?.[1])];
});

export const giveBackSignInTry = single(function* (scope: string): Steps<null> {
  yield step(giveBack, scope);
  return null;
});

/** How many were removed. */
export const expireSignInTries = single(function* (staleBeforeMs: number, most: number): Steps<number> {
  return (yield step(expire, staleBeforeMs, most)).length;
});

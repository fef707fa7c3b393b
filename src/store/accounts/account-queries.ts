/** The table `accounts`, the set-up that makes the first one, and the count of failed sign-ins. */

import type { AccountRecord, Role } from '../../access/account.ts';
import { bareDigest } from '../../secrets/digests.ts';
import { read, single, transaction } from '../sql/query.ts';
import { removal } from '../sql/removal.ts';
import { asNumberOrNull, asText, type SqlValue, type Steps, statement, step } from '../sql/statement.ts';
import { storableName } from '../sql/storable-text.ts';
import { flag, integer, name, optional, type RowIn, table, text, textOf, time } from '../sql/table.ts';
import { bumpRevision } from '../tokens/token-queries.ts';
import type { AccountChange, AccountOutcome, NewAccount } from './account-store.ts';

export const accounts = table('accounts', {
  id: text,
  name,
  role: textOf<Role>(),
  createdAtMs: time,
  passwordChangedAtMs: time,
  lastSignInAtMs: optional(integer),
  disabledAtMs: optional(integer),
  mustChangePassword: optional(flag),
  secondFactorAtMs: optional(integer),
});

export const newAccounts = table('accounts', {
  ...accounts.pick('id', 'name', 'role', 'createdAtMs', 'passwordChangedAtMs', 'mustChangePassword').columns,
  nameKey: name,
  passwordHash: text,
});
const newValues = (account: NewAccount): SqlValue[] =>
  newAccounts.values({ ...account, passwordChangedAtMs: account.createdAtMs });

const insert = statement(`${newAccounts.insert} ON CONFLICT (name_key) DO NOTHING RETURNING id`);
const byId = statement(`SELECT ${accounts.list} FROM accounts WHERE id = $1`);
const byName = statement(`SELECT ${accounts.list}, password_hash FROM accounts WHERE name_key = $1`);
const hashOf = statement('SELECT password_hash FROM accounts WHERE id = $1');
const list = statement(`SELECT ${accounts.list} FROM accounts ORDER BY created_at_ms, id LIMIT $1`);
const nameTaken = statement('SELECT id FROM accounts WHERE name_key = $1 AND id <> $2');
const otherOwner = statement(
  "SELECT id FROM accounts WHERE role = 'owner' AND disabled_at_ms IS NULL AND id <> $1 LIMIT 1",
);
const rename = statement('UPDATE accounts SET name = $2, name_key = $3 WHERE id = $1');
const setRole = statement('UPDATE accounts SET role = $2 WHERE id = $1');
const setDisabled = statement('UPDATE accounts SET disabled_at_ms = $2 WHERE id = $1');
const setHash = statement(
  `UPDATE accounts SET password_hash = $2, password_changed_at_ms = $3, must_change_password = $4
   WHERE id = $1 RETURNING id`,
);

/** False where another account has the name. */
export const insertAccount = single(function* (account: NewAccount): Steps<boolean> {
  return (yield step(insert, ...newValues(account))).length > 0;
});

export const accountById = read(function* (id: string): Steps<AccountRecord | null> {
  const row = (yield step(byId, id))[0];
  return row === undefined ? null : accounts.read(row);
});

export const accountByName = read(function* (
  nameKey: string,
): Steps<{ readonly account: AccountRecord; readonly passwordHash: string } | null> {
  const row = (yield step(byName, nameKey))[0];
  return row === undefined ? null : { account: accounts.read(row), passwordHash: asText(row[accounts.width]) };
});

export const passwordHashOf = read(function* (id: string): Steps<string | null> {
  const row = (yield step(hashOf, id))[0];
  return row === undefined ? null : asText(row[0]);
});

export const listAccounts = read(function* (limit: number): Steps<readonly AccountRecord[]> {
  return (yield step(list, limit)).map((row) => accounts.read(row));
});

/** The revision's row is taken first: two owners who remove each other at the same moment wait for one another. */
export const updateAccount = transaction(function* (id: string, change: AccountChange): Steps<AccountOutcome> {
  const { name: newName, role, disabledAtMs } = change;
  yield* bumpRevision();
  const row = (yield step(byId, id))[0];
  if (row === undefined) return 'absent';
  const before = accounts.read(row);
  if (newName !== undefined && (yield step(nameTaken, storableName(newName.key), id)).length > 0) return 'name-taken';
  const endsAsOwner = (role ?? before.role) === 'owner' && !((disabledAtMs ?? before.disabledAtMs ?? 0) > 0);
  const wasOwner = before.role === 'owner' && before.disabledAtMs === undefined;
  if (wasOwner && !endsAsOwner && (yield step(otherOwner, id)).length === 0) return 'last-owner';
  if (newName !== undefined) yield step(rename, id, storableName(newName.shown), storableName(newName.key));
  if (role !== undefined) yield step(setRole, id, role);
  if (disabledAtMs !== undefined) yield step(setDisabled, id, disabledAtMs === 0 ? null : disabledAtMs);
  return 'changed';
});

export const setAccountPassword = single(function* (
  id: string,
  passwordHash: string,
  atMs: number,
  mustChange: boolean,
): Steps<boolean> {
  return (yield step(setHash, id, passwordHash, atMs, mustChange ? 1 : null)).length > 0;
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
  account: NewAccount,
): Steps<'done' | 'refused'> {
  const atMs = Math.round(account.createdAtMs);
  if (digest !== null && (yield step(findLink, bareDigest(digest), atMs)).length === 0) return 'refused';
  if ((yield step(finish, atMs)).length === 0) return 'refused';
  yield step(dropLinks);
  yield step(insert, ...newValues(account));
  return 'done';
});

const tries = table('sign_in_tries', { tries: integer, startedAtMs: integer });

/** A count restarts once the period that the first try opened is over. */
const count = statement(
  `INSERT INTO sign_in_tries (scope, started_at_ms, tries) VALUES ($1, $2, 1)
   ON CONFLICT (scope) DO UPDATE SET
     tries = CASE WHEN sign_in_tries.started_at_ms > $3 THEN sign_in_tries.tries + 1 ELSE 1 END,
     started_at_ms = CASE WHEN sign_in_tries.started_at_ms > $3 THEN sign_in_tries.started_at_ms ELSE excluded.started_at_ms END
   RETURNING ${tries.list}`,
);
const giveBack = statement('UPDATE sign_in_tries SET tries = tries - 1 WHERE scope = $1 AND tries > 0');
/** Counts before the password is checked, so that a hundred tries at once are a hundred tries. */
export const countSignInTry = single(function* (
  scope: string,
  nowMs: number,
  staleBeforeMs: number,
): Steps<RowIn<typeof tries>> {
  return tries.read((yield step(count, scope, nowMs, staleBeforeMs))[0] ?? []);
});

export const giveBackSignInTry = single(function* (scope: string): Steps<null> {
  yield step(giveBack, scope);
  return null;
});

export const expireSignInTries = removal('sign_in_tries', 'scope', 'started_at_ms');

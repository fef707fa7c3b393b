/** The table `admin_keys`: credentials of programs for the admin API. Only digests of their secrets are stored. */

import type { Role } from '../../access/account.ts';
import { bareDigest, splitDigest } from '../../secrets/digests.ts';
import type { PageRequest } from '../sql/pages.ts';
import { read, single, transaction } from '../sql/query.ts';
import { asNumber, type Row, type SqlValue, type Steps, statement, statementsBy, step } from '../sql/statement.ts';
import { json, name, optional, placesFrom, type RowIn, table, text, textOf, time } from '../sql/table.ts';

const keys = table('admin_keys', {
  id: text,
  /** The last characters of the secret. */
  hint: text,
  name,
  /** Of a key of a team: the role in it. */
  role: textOf<Role>(),
  scopes: optional(json<readonly string[]>()),
  teamId: optional(text),
  networks: optional(json<readonly string[]>()),
  /** The account whose rights are the most that the key has. */
  createdBy: text,
  createdAtMs: time,
  expiresAtMs: optional(time),
  lastUsedAtMs: optional(time),
  revokedAtMs: optional(time),
});
const newKeys = table('admin_keys', { ...keys.columns, digest: text, digestKey: optional(text) });
const changes = keys.pick('name', 'scopes', 'networks', 'expiresAtMs');

export type AdminKeyRecord = RowIn<typeof keys>;
export type AdminKeyChanges = RowIn<typeof changes>;

const countActive = statement(
  'SELECT COUNT(*) FROM admin_keys WHERE revoked_at_ms IS NULL AND (expires_at_ms IS NULL OR expires_at_ms > $1)',
);
const insert = statement(newKeys.insert);
const byDigest = statement(`SELECT ${keys.list} FROM admin_keys WHERE digest = $1`);
const byId = statement(`SELECT ${keys.list} FROM admin_keys WHERE id = $1`);
const change = statement(
  `UPDATE admin_keys SET ${changes.assignments(2)} WHERE id = $1 AND revoked_at_ms IS NULL RETURNING id`,
);
const revoke = statement(
  'UPDATE admin_keys SET revoked_at_ms = $2 WHERE id = $1 AND revoked_at_ms IS NULL RETURNING id',
);
const use = statement('UPDATE admin_keys SET last_used_at_ms = $2 WHERE id = $1');
const moveDigest = statement('UPDATE admin_keys SET digest = $2, digest_key = $3 WHERE digest = $1');

/** False where there are as many that work as allowed. */
export const insertAdminKey = transaction(function* (
  key: AdminKeyRecord,
  secretDigest: string,
  activeMax: number,
): Steps<boolean> {
  if (asNumber((yield step(countActive, Math.round(key.createdAtMs)))[0]?.[0]) >= activeMax) return false;
  const [digest, digestKey] = splitDigest(secretDigest);
  yield step(insert, ...newKeys.values({ ...key, digest, digestKey: digestKey ?? undefined }));
  return true;
});

const found = ([row]: readonly Row[]): AdminKeyRecord | null => (row === undefined ? null : keys.read(row));

export const adminKeyByDigest = read(function* (digest: string): Steps<AdminKeyRecord | null> {
  return found(yield step(byDigest, bareDigest(digest)));
});

export const adminKeyById = read(function* (id: string): Steps<AdminKeyRecord | null> {
  return found(yield step(byId, id));
});

/** By how many teams the list is narrowed to, and whether it is continued. */
const listing = statementsBy((shape: string) => {
  const [teams = '', continued] = shape.split(' ');
  const count = Number(teams);
  const conditions = [
    ...(count === 0 ? [] : [`team_id IN (${placesFrom(2, count)})`]),
    ...(continued === undefined ? [] : [`(created_at_ms, id) < (${placesFrom(2 + count, 2)})`]),
  ];
  const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
  return `SELECT ${keys.list} FROM admin_keys ${where} ORDER BY created_at_ms DESC, id DESC LIMIT $1`;
});

/** Newest first; all, or those of some teams. */
export const listAdminKeys = read(function* (
  { limit, after }: PageRequest,
  teamIds: readonly string[] | null,
): Steps<readonly AdminKeyRecord[]> {
  if (teamIds?.length === 0) return [];
  const place: readonly SqlValue[] = after === undefined ? [] : [after.atMs, after.id];
  const shape = `${teamIds?.length ?? 0}${after === undefined ? '' : ' after'}`;
  return (yield step(listing(shape), limit, ...(teamIds ?? []), ...place)).map((row) => keys.read(row));
});

export const changeAdminKey = single(function* (id: string, given: AdminKeyChanges): Steps<boolean> {
  return (yield step(change, id, ...changes.values(given))).length > 0;
});

export const revokeAdminKey = single(function* (id: string, atMs: number): Steps<boolean> {
  return (yield step(revoke, id, atMs)).length > 0;
});

export const useAdminKey = single(function* (id: string, atMs: number): Steps<null> {
  yield step(use, id, atMs);
  return null;
});

export const moveAdminKeyDigest = single(function* (from: string, to: string): Steps<null> {
  yield step(moveDigest, bareDigest(from), ...splitDigest(to));
  return null;
});

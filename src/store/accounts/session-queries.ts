/** Sessions of the console: only digests of their cookies are kept. And the log of what was done in them. */

import { bareDigest, splitDigest } from '../../secrets/digests.ts';
import { read, single, transaction } from '../sql/query.ts';
import { asNumber, asText, type Row, type Steps, statement, step } from '../sql/statement.ts';
import { type AccountCells, accountCells, accountColumns } from './account-queries.ts';

export type SessionCells = readonly [
  id: string,
  accountId: string,
  createdAtMs: number,
  lastSeenAtMs: number,
  expiresAtMs: number,
  address: string,
  agent: string,
];

const columnList = ['id', 'account_id', 'created_at_ms', 'last_seen_at_ms', 'expires_at_ms', 'address', 'agent'];
const columns = columnList.join(', ');

/** The very password that was checked: one that was changed meanwhile opens no session. */
const signIn = statement(
  `UPDATE accounts SET last_sign_in_at_ms = $2
   WHERE id = $1 AND password_hash = $3 AND disabled_at_ms IS NULL RETURNING id`,
);
const insert = statement(
  `INSERT INTO sessions (${columns}, digest, digest_key) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
);
const byDigest = statement(
  `SELECT ${columnList.map((name) => `s.${name}`).join(', ')}, ${accountColumns.map((name) => `a.${name}`).join(', ')}
   FROM sessions s JOIN accounts a ON a.id = s.account_id
   WHERE s.digest = $1 AND s.revoked_at_ms IS NULL AND s.expires_at_ms > $2 AND a.disabled_at_ms IS NULL`,
);
const touch = statement(
  'UPDATE sessions SET last_seen_at_ms = $2, expires_at_ms = $3, address = $4 WHERE id = $1 AND revoked_at_ms IS NULL',
);
const list = statement(
  `SELECT ${columns} FROM sessions WHERE account_id = $1 AND revoked_at_ms IS NULL AND expires_at_ms > $2
   ORDER BY last_seen_at_ms DESC, id LIMIT $3`,
);
const revoke = statement(
  'UPDATE sessions SET revoked_at_ms = $3 WHERE id = $1 AND account_id = $2 AND revoked_at_ms IS NULL RETURNING id',
);
const revokeAll = statement(
  'UPDATE sessions SET revoked_at_ms = $2 WHERE account_id = $1 AND id <> $3 AND revoked_at_ms IS NULL RETURNING id',
);
const expire = statement(
  `DELETE FROM sessions WHERE id IN
     (SELECT id FROM sessions WHERE expires_at_ms <= $1 ORDER BY expires_at_ms LIMIT $2) RETURNING id`,
);

function cells(row: Row): SessionCells {
  return [
    asText(row[0]),
    asText(row[1]),
    asNumber(row[2]),
    asNumber(row[3]),
    asNumber(row[4]),
    asText(row[5]),
    asText(row[6]),
  ];
}

/** False where the account was disabled or its password changed since it was looked at. */
export const openSession = transaction(function* (
  digest: string,
  passwordHash: string,
  session: SessionCells,
): Steps<boolean> {
  if ((yield step(signIn, session[1], session[2], passwordHash)).length === 0) return false;
  yield step(insert, ...session, ...splitDigest(digest));
  return true;
});

export const sessionByDigest = read(function* (
  digest: string,
  nowMs: number,
): Steps<readonly [session: SessionCells, account: AccountCells] | null> {
  const row = (yield step(byDigest, bareDigest(digest), nowMs))[0];
  return row === undefined ? null : [cells(row), accountCells(row.slice(columnList.length))];
});

export const touchSession = single(function* (
  id: string,
  lastSeenAtMs: number,
  expiresAtMs: number,
  address: string,
): Steps<null> {
  yield step(touch, id, lastSeenAtMs, expiresAtMs, address);
  return null;
});

export const listSessions = read(function* (
  accountId: string,
  nowMs: number,
  limit: number,
): Steps<readonly SessionCells[]> {
  return (yield step(list, accountId, nowMs, limit)).map(cells);
});

export const revokeSession = single(function* (id: string, accountId: string, atMs: number): Steps<boolean> {
  return (yield step(revoke, id, accountId, atMs)).length > 0;
});

/** All of an account but one, which may be nobody's: how many there were. */
export const revokeSessionsOf = single(function* (accountId: string, exceptId: string, atMs: number): Steps<number> {
  return (yield step(revokeAll, accountId, atMs, exceptId)).length;
});

/** How many were removed. */
export const expireSessions = single(function* (nowMs: number, most: number): Steps<number> {
  return (yield step(expire, nowMs, most)).length;
});

const moveSession = statement('UPDATE sessions SET digest = $2, digest_key = $3 WHERE digest = $1');

export const moveSessionDigest = single(function* (from: string, to: string): Steps<null> {
  yield step(moveSession, splitDigest(from)[0], ...splitDigest(to));
  return null;
});

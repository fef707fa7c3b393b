/** The table `sessions` of the console: only digests of their cookies are kept. */

import type { AccountRecord, SessionIssuer, SessionRecord } from '../../access/account.ts';
import { bareDigest, splitDigest } from '../../secrets/digests.ts';
import { read, single, transaction } from '../sql/query.ts';
import { removal } from '../sql/removal.ts';
import { type Steps, statement, step } from '../sql/statement.ts';
import { flag, name, optional, table, text, time } from '../sql/table.ts';
import { accounts } from './account-queries.ts';

const sessions = table('sessions', {
  id: text,
  accountId: text,
  createdAtMs: time,
  lastSeenAtMs: time,
  expiresAtMs: time,
  address: name,
  agent: name,
  isFederated: optional(flag),
});
const newSessions = table('sessions', { ...sessions.columns, digest: text, digestKey: optional(text) });

const sessionIssuers = table('session_issuers', {
  sessionId: text,
  issuer: text,
  issuerName: text,
  subject: text,
  sid: optional(text),
  idToken: text,
  expiresAtMs: time,
});
/** No session is used for longer. */
const sessionLifetimeMaxMs = 40 * 24 * 60 * 60 * 1_000;
const insertIssuer = statement(sessionIssuers.insert);

/** The password that was checked: if it was changed meanwhile, no session opens. */
const signIn = statement(
  `UPDATE accounts SET last_sign_in_at_ms = $2
   WHERE id = $1 AND password_hash = $3 AND disabled_at_ms IS NULL RETURNING id`,
);
const insert = statement(newSessions.insert);
const byDigest = statement(
  `SELECT ${sessions.listOf('s')}, ${accounts.listOf('a')}
   FROM sessions s JOIN accounts a ON a.id = s.account_id
   WHERE s.digest = $1 AND s.revoked_at_ms IS NULL AND s.expires_at_ms > $2 AND a.disabled_at_ms IS NULL`,
);
const list = statement(
  `SELECT ${sessions.list} FROM sessions WHERE account_id = $1 AND revoked_at_ms IS NULL AND expires_at_ms > $2
   ORDER BY last_seen_at_ms DESC, id LIMIT $3`,
);
const revoke = statement(
  'UPDATE sessions SET revoked_at_ms = $3 WHERE id = $1 AND account_id = $2 AND revoked_at_ms IS NULL RETURNING id',
);
const revokeAll = statement(
  'UPDATE sessions SET revoked_at_ms = $2 WHERE account_id = $1 AND id <> $3 AND revoked_at_ms IS NULL RETURNING id',
);
/** False where the account was disabled or its password changed since it was read. */
export const openSession = transaction(function* (
  session: SessionRecord,
  secret: string,
  passwordHash: string,
  issuer: SessionIssuer | null,
): Steps<boolean> {
  const signedIn = yield step(signIn, session.accountId, Math.round(session.createdAtMs), passwordHash);
  if (signedIn.length === 0) return false;
  const [digest, digestKey] = splitDigest(secret);
  yield step(insert, ...newSessions.values({ ...session, digest, digestKey: digestKey ?? undefined }));
  if (issuer === null) return true;
  const { id: sessionId } = session;
  // Use extends a session, so the row stays for the longest time that one can have.
  const expiresAtMs = session.createdAtMs + sessionLifetimeMaxMs;
  yield step(insertIssuer, ...sessionIssuers.values({ ...issuer, sessionId, expiresAtMs }));
  return true;
});

export const sessionByDigest = read(function* (
  digest: string,
  nowMs: number,
): Steps<{ readonly session: SessionRecord; readonly account: AccountRecord } | null> {
  const row = (yield step(byDigest, bareDigest(digest), nowMs))[0];
  return row === undefined ? null : { session: sessions.read(row), account: accounts.read(row, sessions.width) };
});

const touches = sessions.pick('lastSeenAtMs', 'expiresAtMs', 'address');
const touch = statement(`UPDATE sessions SET ${touches.assignments(2)} WHERE id = $1 AND revoked_at_ms IS NULL`);

export const touchSession = single(function* (
  session: Pick<SessionRecord, 'id' | 'lastSeenAtMs' | 'expiresAtMs' | 'address'>,
): Steps<null> {
  yield step(touch, session.id, ...touches.values(session));
  return null;
});

export const listSessions = read(function* (
  accountId: string,
  nowMs: number,
  limit: number,
): Steps<readonly SessionRecord[]> {
  return (yield step(list, accountId, nowMs, limit)).map((row) => sessions.read(row));
});

export const revokeSession = single(function* (id: string, accountId: string, atMs: number): Steps<boolean> {
  return (yield step(revoke, id, accountId, atMs)).length > 0;
});

/** All of an account but one, if that is the account's: how many there were. */
export const revokeSessionsOf = single(function* (accountId: string, exceptId: string, atMs: number): Steps<number> {
  return (yield step(revokeAll, accountId, atMs, exceptId)).length;
});

export const expireSessions = removal('sessions', 'id', 'expires_at_ms');

const moveSession = statement('UPDATE sessions SET digest = $2, digest_key = $3 WHERE digest = $1');

export const moveSessionDigest = single(function* (from: string, to: string): Steps<null> {
  yield step(moveSession, splitDigest(from)[0], ...splitDigest(to));
  return null;
});

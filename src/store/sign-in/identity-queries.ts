/** The tables `identities`, `session_issuers` and `used_marks`. */

import { insertAccount } from '../accounts/account-queries.ts';
import type { NewAccount } from '../accounts/account-store.ts';
import { read, single, transaction } from '../sql/query.ts';
import { removal } from '../sql/removal.ts';
import { asText, type Steps, statement, step } from '../sql/statement.ts';
import { type RowIn, table, text, time } from '../sql/table.ts';
import { bumpRevision } from '../tokens/token-queries.ts';

const identities = table('identities', {
  issuer: text,
  subject: text,
  accountId: text,
  createdAtMs: time,
  lastUsedAtMs: time,
});
/** An issuer's user and their account. */
export type IdentityRow = RowIn<typeof identities>;
/** `linked`: the identity belongs to an account already. */
export type LinkOutcome = 'made' | 'linked' | 'name-taken' | 'absent';

const bySubject = statement(`SELECT ${identities.list} FROM identities WHERE issuer = $1 AND subject = $2`);
const ofAccount = statement(
  `SELECT ${identities.list} FROM identities WHERE account_id = $1 ORDER BY issuer, subject LIMIT 100`,
);
const insert = statement(identities.insert);
const seen = statement('UPDATE identities SET last_used_at_ms = $3 WHERE issuer = $1 AND subject = $2');
const accountThere = statement('SELECT id FROM accounts WHERE id = $1');

export const identityBySubject = read(function* (issuer: string, subject: string): Steps<IdentityRow | null> {
  const row = (yield step(bySubject, issuer, subject))[0];
  return row === undefined ? null : identities.read(row);
});

export const identitiesOf = read(function* (accountId: string): Steps<readonly IdentityRow[]> {
  return (yield step(ofAccount, accountId)).map((row) => identities.read(row));
});

/** The revision's row is taken first: two first sign-ins of one person at the same moment wait for one another. */
export const linkIdentity = transaction(function* (
  identity: IdentityRow,
  account: NewAccount | null,
): Steps<LinkOutcome> {
  yield* bumpRevision();
  if ((yield step(bySubject, identity.issuer, identity.subject)).length > 0) return 'linked';
  if (account !== null) {
    if (!(yield* insertAccount.steps(account))) return 'name-taken';
  } else if ((yield step(accountThere, identity.accountId)).length === 0) return 'absent';
  yield step(insert, ...identities.values(identity));
  return 'made';
});

export const identitySeen = single(function* (issuer: string, subject: string, atMs: number): Steps<null> {
  yield step(seen, issuer, subject, atMs);
  return null;
});

const ofSession = statement('SELECT issuer, issuer_name, id_token FROM session_issuers WHERE session_id = $1');
const endBy = (column: 'sid' | 'subject') =>
  statement(
    `UPDATE sessions SET revoked_at_ms = $3
     WHERE revoked_at_ms IS NULL AND id IN (SELECT session_id FROM session_issuers WHERE issuer = $1 AND ${column} = $2)
     RETURNING account_id`,
  );
const endBySid = endBy('sid');
const endBySubject = endBy('subject');

export const issuerOfSession = read(function* (
  sessionId: string,
): Steps<{ readonly issuer: string; readonly issuerName: string; readonly idToken: string } | null> {
  const row = (yield step(ofSession, sessionId))[0];
  if (row === undefined) return null;
  return { issuer: asText(row[0]), issuerName: asText(row[1]), idToken: asText(row[2]) };
});

/** The accounts whose sessions ended, one for each session. */
export const endIssuerSessions = single(function* (
  issuer: string,
  by: 'sid' | 'subject',
  value: string,
  atMs: number,
): Steps<readonly string[]> {
  const ended = yield step(by === 'sid' ? endBySid : endBySubject, issuer, value, atMs);
  return ended.map((row) => asText(row[0]));
});

const mark = statement(
  'INSERT INTO used_marks (mark, expires_at_ms) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING 1',
);

/** False where it was used before. */
export const useMark = single(function* (given: string, expiresAtMs: number): Steps<boolean> {
  return (yield step(mark, given, expiresAtMs)).length > 0;
});

export const expireMarks = removal('used_marks', 'mark', 'expires_at_ms');
export const expireSessionIssuers = removal('session_issuers', 'session_id', 'expires_at_ms');

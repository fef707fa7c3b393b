/** The table `sign_ins`: every change names the state that it is based on, so that of two replicas only one makes it. */

import { read, single, transaction } from '../sql/query.ts';
import { removal } from '../sql/removal.ts';
import { asNumber, type Row, type Steps, statement, step } from '../sql/statement.ts';
import { integer, name, optional, type RowIn, table, text, textOf, time } from '../sql/table.ts';

/** `approved`: the program has not fetched its tokens yet. */
export const signInStates = ['pending', 'approved', 'denied', 'active', 'ended'] as const;
export type SignInState = (typeof signInStates)[number];

const signIns = table('sign_ins', {
  id: text,
  clientId: name,
  state: textOf<SignInState>(),
  /** The account that answered. */
  accountId: optional(text),
  /** The token whose secret the program gets. */
  tokenId: optional(text),
  /** Where the program was when it asked. */
  address: name,
  agent: name,
  createdAtMs: time,
  polledAtMs: time,
  intervalMs: integer,
  refreshedAtMs: time,
  /** Of the codes until they are redeemed, of the refresh token afterwards. */
  expiresAtMs: time,
});
const digested = table('sign_ins', {
  ...signIns.columns,
  deviceDigest: text,
  userDigest: text,
  refreshDigest: optional(text),
});
const newSignIns = table('sign_ins', { ...signIns.columns, deviceDigest: text, userDigest: text });

export type SignInRow = RowIn<typeof signIns>;
export type KnownSignInRow = RowIn<typeof digested>;
export type NewSignInRow = RowIn<typeof newSignIns>;

const pendingCount = statement(`SELECT COUNT(*) FROM sign_ins WHERE state = 'pending' AND expires_at_ms > $1`);
const insert = statement(`${newSignIns.insert} ON CONFLICT DO NOTHING RETURNING id`);

/** The oldest one, whose person had the most time: newcomers are never refused. */
const forgetOldest = statement(
  `UPDATE sign_ins SET expires_at_ms = $1 WHERE id =
   (SELECT id FROM sign_ins WHERE state = 'pending' AND expires_at_ms > $1 ORDER BY created_at_ms LIMIT 1)`,
);

export type SignInInsertion = 'inserted' | 'taken';

/** `taken`: another sign-in has the user code. Beyond `pendingMax` the oldest expires. */
export const insertSignIn = transaction(function* (row: NewSignInRow, pendingMax: number): Steps<SignInInsertion> {
  const pending = asNumber((yield step(pendingCount, Math.round(row.createdAtMs)))[0]?.[0]);
  if (pending >= pendingMax) yield step(forgetOldest, Math.round(row.createdAtMs));
  return (yield step(insert, ...newSignIns.values(row))).length > 0 ? 'inserted' : 'taken';
});

const byDevice = statement(`SELECT ${digested.list} FROM sign_ins WHERE device_digest = $1`);
const byUser = statement(`SELECT ${digested.list} FROM sign_ins WHERE user_digest = $1`);
const byFamily = statement(`SELECT ${digested.list} FROM sign_ins WHERE family_digest = $1`);
const byToken = statement(`SELECT ${digested.list} FROM sign_ins WHERE token_id = $1`);

const found = ([row]: readonly Row[]): KnownSignInRow | null => (row === undefined ? null : digested.read(row));

export const signInByDevice = read(function* (digest: string): Steps<KnownSignInRow | null> {
  return found(yield step(byDevice, digest));
});
export const signInByUser = read(function* (digest: string): Steps<KnownSignInRow | null> {
  return found(yield step(byUser, digest));
});
export const signInByFamily = read(function* (digest: string): Steps<KnownSignInRow | null> {
  return found(yield step(byFamily, digest));
});
export const signInByToken = read(function* (tokenId: string): Steps<KnownSignInRow | null> {
  return found(yield step(byToken, tokenId));
});

/** The poll counts where none came since the one that the caller read. */
const poll = statement(
  'UPDATE sign_ins SET polled_at_ms = $3, interval_ms = $4 WHERE id = $1 AND polled_at_ms = $2 RETURNING id',
);
const answer = statement(
  `UPDATE sign_ins SET state = $2, account_id = $3, token_id = $4, user_digest = id
   WHERE id = $1 AND state = 'pending' AND expires_at_ms > $5 RETURNING id`,
);
const redeem = statement(
  `UPDATE sign_ins SET state = 'active', family_digest = $2, refresh_digest = $3, refreshed_at_ms = $4, expires_at_ms = $5
   WHERE id = $1 AND state = 'approved' AND expires_at_ms > $4 RETURNING id`,
);
const refresh = statement(
  `UPDATE sign_ins SET family_digest = $3, refresh_digest = $4, refreshed_at_ms = $5, expires_at_ms = $6
   WHERE id = $1 AND refresh_digest = $2 AND state = 'active' AND expires_at_ms > $5 RETURNING id`,
);
const end = statement(
  `UPDATE sign_ins SET state = 'ended' WHERE id = $1 AND state IN ('approved', 'active') RETURNING id`,
);
const endOwn = statement(
  `UPDATE sign_ins SET state = 'ended' WHERE account_id = $1 AND state IN ('approved', 'active')
   RETURNING ${signIns.list}`,
);
const list = statement(
  `SELECT ${signIns.list} FROM sign_ins WHERE account_id = $1 AND state IN ('approved', 'active') AND expires_at_ms > $2
   ORDER BY created_at_ms DESC, id LIMIT $3`,
);

export const pollSignIn = single(function* (
  id: string,
  seenAtMs: number,
  atMs: number,
  intervalMs: number,
): Steps<boolean> {
  return (yield step(poll, id, Math.round(seenAtMs), Math.round(atMs), intervalMs)).length > 0;
});

/** The user code is free for others from then on. */
export const answerSignIn = single(function* (
  id: string,
  state: 'approved' | 'denied',
  accountId: string,
  tokenId: string | null,
  atMs: number,
): Steps<boolean> {
  return (yield step(answer, id, state, accountId, tokenId, Math.round(atMs))).length > 0;
});

export interface RefreshDigests {
  readonly family: string;
  readonly refresh: string;
}

export const redeemSignIn = single(function* (
  id: string,
  { family, refresh: next }: RefreshDigests,
  atMs: number,
  expiresAtMs: number,
): Steps<boolean> {
  return (yield step(redeem, id, family, next, Math.round(atMs), Math.round(expiresAtMs))).length > 0;
});

/** False where another call used the refresh token first, or the sign-in ended. */
export const refreshSignIn = single(function* (
  id: string,
  usedDigest: string,
  next: RefreshDigests,
  atMs: number,
  expiresAtMs: number,
): Steps<boolean> {
  const times = [Math.round(atMs), Math.round(expiresAtMs)];
  return (yield step(refresh, id, usedDigest, next.family, next.refresh, ...times)).length > 0;
});

export const endSignIn = single(function* (id: string): Steps<boolean> {
  return (yield step(end, id)).length > 0;
});

export const endSignInsOf = single(function* (accountId: string): Steps<readonly SignInRow[]> {
  return (yield step(endOwn, accountId)).map((row) => signIns.read(row));
});

export const listSignIns = read(function* (
  accountId: string,
  nowMs: number,
  limit: number,
): Steps<readonly SignInRow[]> {
  return (yield step(list, accountId, Math.round(nowMs), limit)).map((row) => signIns.read(row));
});

/** Approved codes that no program fetched: their tokens are still to be revoked. */
const unfetched = statement(
  `UPDATE sign_ins SET state = 'ended' WHERE state IN ('approved', 'active') AND expires_at_ms <= $1
   RETURNING ${signIns.list}`,
);

export const endExpiredSignIns = single(function* (nowMs: number): Steps<readonly SignInRow[]> {
  return (yield step(unfetched, Math.round(nowMs))).map((row) => signIns.read(row));
});

export const expireSignIns = removal('sign_ins', 'id', 'expires_at_ms');

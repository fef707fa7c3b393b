/** The table `end_users`: whom requests of a token or a unit named, and what is set for each. */

import type { EndUserKey, EndUserSight } from '../../access/levels/end-users.ts';
import { read, transaction } from '../sql/query.ts';
import { asNumber, type Steps, statement, step } from '../sql/statement.ts';
import { freeText, integer, name, optional, type RowIn, table, text, time } from '../sql/table.ts';
import { bumpRevision } from '../tokens/token-queries.ts';

export const endUsers = table('end_users', {
  scopeId: text,
  digest: text,
  name,
  /** The token that named them first: its number of end users is bounded. */
  tokenId: text,
  firstSeenAtMs: time,
  lastSeenAtMs: time,
  /** JSON. */
  terms: optional(text),
  blocked: integer,
  /** What an administrator wrote about them. */
  note: freeText,
});
export type EndUserRow = RowIn<typeof endUsers>;

/** A place in the list of end users, newest first. */
export interface EndUserPlace extends EndUserKey {
  readonly lastSeenAtMs: number;
}

const find = statement(`SELECT ${endUsers.list} FROM end_users WHERE scope_id = $1 AND digest = $2`);
/** Also a lock: two requests with new end users of one token wait for one another. */
const lockToken = statement('UPDATE tokens SET id = id WHERE id = $1');
const countOf = statement('SELECT COUNT(*) FROM end_users WHERE token_id = $1');
const insert = statement(`${endUsers.insert} ON CONFLICT (scope_id, digest) DO NOTHING`);
const seeAgain = statement(
  'UPDATE end_users SET last_seen_at_ms = $3 WHERE scope_id = $1 AND digest = $2 AND last_seen_at_ms < $3',
);

/** Null where the token has too many already. */
export const meetEndUser = transaction(function* (sight: EndUserSight): Steps<EndUserRow | null> {
  const { scopeId, digest, tokenId, max, atMs } = sight;
  const known = (yield step(find, scopeId, digest))[0];
  if (known !== undefined) {
    yield step(seeAgain, scopeId, digest, atMs);
    return endUsers.read(known);
  }
  yield step(lockToken, tokenId);
  if (asNumber((yield step(countOf, tokenId))[0]?.[0]) >= max) return null;
  const made = {
    scopeId,
    digest,
    name: sight.name,
    tokenId,
    firstSeenAtMs: atMs,
    lastSeenAtMs: atMs,
    blocked: 0,
    note: '',
  };
  yield step(insert, ...endUsers.values(made));
  // Another token of the same unit may have been faster.
  const row = (yield step(find, scopeId, digest))[0];
  return row === undefined ? null : endUsers.read(row);
});

export const seeEndUser = transaction(function* ({ scopeId, digest }: EndUserKey, atMs: number): Steps<null> {
  yield step(seeAgain, scopeId, digest, atMs);
  return null;
});

export const endUserByKey = read(function* ({ scopeId, digest }: EndUserKey): Steps<EndUserRow | null> {
  const row = (yield step(find, scopeId, digest))[0];
  return row === undefined ? null : endUsers.read(row);
});

const setTerms = statement('UPDATE end_users SET terms = $3 WHERE scope_id = $1 AND digest = $2 RETURNING digest');
const setBlocked = statement('UPDATE end_users SET blocked = $3 WHERE scope_id = $1 AND digest = $2 RETURNING digest');
const setNote = statement('UPDATE end_users SET note = $3 WHERE scope_id = $1 AND digest = $2 RETURNING digest');
const remove = statement('DELETE FROM end_users WHERE scope_id = $1 AND digest = $2 RETURNING digest');

/** What is absent stays as it is; terms of null are removed. False where there is no such end user. */
export const changeEndUser = transaction(function* (
  { scopeId, digest }: EndUserKey,
  change: {
    readonly terms?: string | null | undefined;
    readonly blocked?: boolean | undefined;
    readonly note?: string | undefined;
  },
): Steps<boolean> {
  yield* bumpRevision();
  if ((yield step(find, scopeId, digest)).length === 0) return false;
  if (change.terms !== undefined) yield step(setTerms, scopeId, digest, change.terms);
  if (change.blocked !== undefined) yield step(setBlocked, scopeId, digest, change.blocked ? 1 : 0);
  if (change.note !== undefined) yield step(setNote, scopeId, digest, change.note);
  return true;
});

/** Makes room for another one. What was spent stays: an end user who comes again has not more than before. */
export const removeEndUser = transaction(function* ({ scopeId, digest }: EndUserKey): Steps<boolean> {
  yield* bumpRevision();
  return (yield step(remove, scopeId, digest)).length > 0;
});

/** Tokens: only digests are kept, and every change bumps the revision by which servers drop their caches. */

import type { TokenRoom, TokenScope } from '../../access/token-table.ts';
import { bareDigest, splitDigest } from '../../secrets/digests.ts';
import { tokensOfUnitsSql, tokensSeenSql } from '../organization/seen-tokens.ts';
import type { PageRequest } from '../sql/pages.ts';
import { read, transaction } from '../sql/query.ts';
import { asNumber, type Row, type Steps, statement, statementsBy, step } from '../sql/statement.ts';
import { integer, type NewRowIn, optional, type RowIn, table, text } from '../sql/table.ts';

const columns = {
  id: text,
  hint: text,
  /** JSON. */
  terms: text,
  createdAtMs: integer,
  revokedAtMs: optional(integer),
  ownerId: optional(text),
  unitId: optional(text),
  parentId: optional(text),
};

/** What every reader of a token needs. */
export const tokens = table('tokens', columns);
/** The same, and until when the secret works by which it was found. */
const matches = table('tokens', { ...columns, secretValidUntilMs: optional(integer) });
export type TokenRow = RowIn<typeof matches>;

export const newTokens = table('tokens', {
  id: text,
  digest: text,
  digestKey: optional(text),
  hint: text,
  name: text,
  terms: text,
  createdAtMs: integer,
  ownerId: optional(text),
  unitId: optional(text),
  parentId: optional(text),
});
/** Its digest names the key that made it. */
export type NewTokenRow = Omit<NewRowIn<typeof newTokens>, 'digestKey'>;

/** More than any token may have at a time. */
const childrenMax = 20_000;

const bump = statement('UPDATE revisions SET value = value + 1 WHERE id = 1');
const readRevision = statement('SELECT value FROM revisions WHERE id = 1');

export function* bumpRevision(): Steps<void> {
  yield step(bump);
}

function* changed(rows: readonly Row[]): Steps<boolean> {
  if (rows.length === 0) return false;
  yield* bumpRevision();
  return true;
}

export const revision = read(function* (): Steps<number> {
  return asNumber((yield step(readRevision))[0]?.[0]);
});

export function newTokenValues(token: NewTokenRow) {
  const [digest, digestKey] = splitDigest(token.digest);
  return newTokens.values({ ...token, digest, digestKey: digestKey ?? undefined });
}

export const insertNewToken = statement(newTokens.insert);

export const insertToken = transaction(function* (token: NewTokenRow): Steps<null> {
  yield step(insertNewToken, ...newTokenValues(token));
  yield* bumpRevision();
  return null;
});

/** Also a lock: a concurrent insert for the same account waits. */
const lockOwner = statement('UPDATE accounts SET role = role WHERE id = $1');
const countOwn = statement(
  `SELECT COUNT(*) FROM tokens WHERE owner_id = $1 AND parent_id IS NULL AND id <> $2
     AND (revoked_at_ms IS NULL OR revoked_at_ms >= $3)`,
);

/** False where the account has so many already. Tokens that were revoked since that moment count, the excepted one does not. */
export const insertTokenWithin = transaction(function* (
  token: NewTokenRow & { readonly ownerId: string },
  { most, revokedSinceMs, exceptId }: TokenRoom,
): Steps<boolean> {
  yield step(lockOwner, token.ownerId);
  const [row] = yield step(countOwn, token.ownerId, exceptId, revokedSinceMs);
  if (asNumber(row?.[0]) >= most) return false;
  yield* insertToken.steps(token);
  return true;
});

/** Also a lock: a concurrent insert of the same creator waits. */
const lockCreator = statement('UPDATE tokens SET name = name WHERE id = $1 AND revoked_at_ms IS NULL RETURNING id');
const childrenOf = statement(
  `SELECT ${tokens.list} FROM tokens WHERE parent_id = $1 AND revoked_at_ms IS NULL
   ORDER BY created_at_ms DESC, id DESC LIMIT $2`,
);

const hasExpired = ({ terms }: Pick<TokenRow, 'terms'>, nowMs: number): boolean => {
  const { expiresAtMs } = JSON.parse(terms) as { readonly expiresAtMs?: number };
  return expiresAtMs !== undefined && expiresAtMs <= nowMs;
};

/** False where its creator was revoked, or has so many that still work. Those that expired are revoked. */
export const insertChildToken = transaction(function* (
  token: NewTokenRow & { readonly parentId: string },
  most: number,
  nowMs: number,
): Steps<boolean> {
  if ((yield step(lockCreator, token.parentId)).length === 0) return false;
  const children = (yield step(childrenOf, token.parentId, childrenMax)).map((row) => tokens.read(row));
  const expired = children.filter((child) => hasExpired(child, nowMs));
  for (const { id } of expired) yield step(revoke, id, nowMs);
  if (children.length - expired.length >= most) return false;
  yield* insertToken.steps(token);
  return true;
});

/** Newest first, without those that expired. */
export const listChildTokens = read(function* (parentId: string, nowMs: number): Steps<readonly TokenRow[]> {
  const rows = (yield step(childrenOf, parentId, childrenMax)).map((row) => tokens.read(row));
  return rows.filter((row) => !hasExpired(row, nowMs));
});

/** The secret before it works on as long as it would have; one that was revoked stays so. */
const renew = statement(
  `${newTokens.insert}
   ON CONFLICT (id) DO UPDATE SET
     previous_digest = CASE WHEN tokens.revoked_at_ms IS NULL THEN tokens.digest ELSE NULL END,
     previous_digest_key = tokens.digest_key, previous_valid_until_ms = $${newTokens.width + 1}, revoked_at_ms = NULL,
     digest = excluded.digest, digest_key = excluded.digest_key, hint = excluded.hint, name = excluded.name, terms = excluded.terms
   WHERE tokens.owner_id = excluded.owner_id RETURNING id`,
);

/** One token of an account that gets a new secret each time it is asked for. False where the id is another's. */
export const renewToken = transaction(function* (
  token: NewTokenRow & { readonly ownerId: string },
  previousValidUntilMs: number,
): Steps<boolean> {
  return yield* changed(yield step(renew, ...newTokenValues(token), previousValidUntilMs));
});

const updateTerms = statement('UPDATE tokens SET name = $2, terms = $3 WHERE id = $1 RETURNING id');
const changeOwner = statement('UPDATE tokens SET owner_id = $2 WHERE id = $1 RETURNING id');
const changeUnit = statement('UPDATE tokens SET unit_id = $2 WHERE id = $1 RETURNING id');
const revoke = statement('UPDATE tokens SET revoked_at_ms = $2 WHERE id = $1 AND revoked_at_ms IS NULL RETURNING id');
const revokeOwn = statement(
  'UPDATE tokens SET revoked_at_ms = $2 WHERE owner_id = $1 AND revoked_at_ms IS NULL RETURNING id',
);
const rotate = statement(
  `UPDATE tokens SET previous_digest = digest, previous_digest_key = digest_key, previous_valid_until_ms = $4,
     digest = $2, digest_key = $5, hint = $3
   WHERE id = $1 AND revoked_at_ms IS NULL RETURNING id`,
);

export const updateTokenTerms = transaction(function* (id: string, name: string, terms: string): Steps<boolean> {
  return yield* changed(yield step(updateTerms, id, name, terms));
});

export const changeTokenOwner = transaction(function* (id: string, ownerId: string | null): Steps<boolean> {
  return yield* changed(yield step(changeOwner, id, ownerId));
});

export const changeTokenUnit = transaction(function* (id: string, unitId: string | null): Steps<boolean> {
  return yield* changed(yield step(changeUnit, id, unitId));
});

export const revokeToken = transaction(function* (id: string, atMs: number): Steps<boolean> {
  return yield* changed(yield step(revoke, id, atMs));
});

/** All tokens of an account: how many there were to revoke. */
export const revokeTokensOf = transaction(function* (ownerId: string, atMs: number): Steps<number> {
  const rows = yield step(revokeOwn, ownerId, atMs);
  yield* changed(rows);
  return rows.length;
});

export const rotateToken = transaction(function* (
  id: string,
  secret: { readonly digest: string; readonly hint: string },
  previousValidUntilMs: number,
): Steps<boolean> {
  const [bare, keyId] = splitDigest(secret.digest);
  return yield* changed(yield step(rotate, id, bare, secret.hint, previousValidUntilMs, keyId));
});

const byDigest = statement(
  `SELECT ${tokens.list}, NULL FROM tokens WHERE digest = $1
   UNION ALL
   SELECT ${tokens.list}, previous_valid_until_ms FROM tokens WHERE previous_digest = $1 AND previous_valid_until_ms > $2`,
);
const byId = statement(`SELECT ${tokens.list} FROM tokens WHERE id = $1`);

export const tokenByDigest = read(function* (digest: string, nowMs: number): Steps<TokenRow | null> {
  const row = (yield step(byDigest, bareDigest(digest), nowMs))[0];
  return row === undefined ? null : matches.read(row);
});

export const tokenById = read(function* (id: string): Steps<TokenRow | null> {
  const row = (yield step(byId, id))[0];
  return row === undefined ? null : tokens.read(row);
});

/** One letter for each part of a scope that is given, and their values in the same order. */
export function scopeMarks({ ownerId, seenBy, unitId }: TokenScope): { given: string; values: readonly string[] } {
  const marks = [
    ['o', ownerId],
    ['v', seenBy],
    ['u', unitId],
  ] as const;
  const present = marks.flatMap(([mark, value]) => (value === undefined ? [] : [{ mark, value }]));
  return { given: present.map(({ mark }) => mark).join(''), values: present.map(({ value }) => value) };
}

const listing = statementsBy((given: string) => {
  let place = 1;
  const next = (): string => `$${++place}`;
  const conditions = [
    ...(given.includes('o') ? [`owner_id = ${next()}`] : []),
    ...(given.includes('v') ? [`id IN (${tokensSeenSql(next())})`] : []),
    ...(given.includes('u') ? [`id IN (${tokensOfUnitsSql([next()])})`] : []),
    ...(given.includes('a') ? [`(created_at_ms, id) < (${next()}, ${next()})`] : []),
  ];
  const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
  return `SELECT ${tokens.list} FROM tokens ${where} ORDER BY created_at_ms DESC, id DESC LIMIT $1`;
});

/** Newest first. */
export const listTokens = read(function* (
  { limit, after }: PageRequest,
  scope: TokenScope,
): Steps<readonly TokenRow[]> {
  const { given, values } = scopeMarks(scope);
  const place = after === undefined ? [] : [after.atMs, after.id];
  const key = given + (after === undefined ? '' : 'a');
  return (yield step(listing(key), limit, ...values, ...place)).map((row) => tokens.read(row));
});

const moveCurrent = statement('UPDATE tokens SET digest = $2, digest_key = $3 WHERE digest = $1');
const movePrevious = statement(
  'UPDATE tokens SET previous_digest = $2, previous_digest_key = $3 WHERE previous_digest = $1',
);

/** What the token may do stays the same, so the revision does too. */
export const moveTokenDigest = transaction(function* (from: string, to: string): Steps<null> {
  const [old] = splitDigest(from);
  yield step(moveCurrent, old, ...splitDigest(to));
  yield step(movePrevious, old, ...splitDigest(to));
  return null;
});

/** The tables `jwt_subjects` and `jwt_revocations`, and the tokens of subjects. */

import { read, transaction } from '../sql/query.ts';
import { removal } from '../sql/removal.ts';
import { asNumber, type Row, type Steps, statement, step } from '../sql/statement.ts';
import { name, type RowIn, table, text, time } from '../sql/table.ts';
import {
  bumpRevision,
  insertNewToken,
  type NewTokenRow,
  newTokenValues,
  type TokenRow,
  tokens,
} from '../tokens/token-queries.ts';

const subjects = table('jwt_subjects', { tokenId: text, issuer: text, subject: name, createdAtMs: time });
const revocations = table('jwt_revocations', { issuer: text, jwtId: text, createdAtMs: time, expiresAtMs: time });
export type JwtRevocationRow = RowIn<typeof revocations>;

const byId = statement(`SELECT ${tokens.list} FROM tokens WHERE id = $1`);
/** Only a lock: two first requests of an issuer's subjects wait for one another. No cache has to be dropped for them. */
const lock = statement('UPDATE revisions SET value = value WHERE id = 1');
const countOf = statement('SELECT COUNT(*) FROM jwt_subjects WHERE issuer = $1');
const insertSubject = statement(subjects.insert);
const change = statement('UPDATE tokens SET name = $2, terms = $3, unit_id = $4 WHERE id = $1');

export interface JwtSight {
  readonly token: NewTokenRow;
  readonly issuer: string;
  readonly subject: string;
  /** How many subjects the issuer may have. */
  readonly most: number;
}

/**
 * The token of the subject, with the name, terms and unit of this sight; only whether it is disabled stays. It is made
 * where the subject is new. Null where the issuer has too many.
 */
export const meetSubject = transaction(function* ({ token, issuer, subject, most }: JwtSight): Steps<{
  readonly row: TokenRow;
  readonly isNew: boolean;
} | null> {
  const known = (yield step(byId, token.id))[0] ?? (yield* lockedRow(token.id));
  if (known !== undefined) {
    const row = tokens.read(known);
    const terms = keepDisabled(row.terms, token.terms);
    const unitId = token.unitId ?? undefined;
    if (terms !== row.terms || unitId !== row.unitId) yield step(change, token.id, token.name, terms, unitId ?? null);
    const { unitId: _, ...rest } = row;
    return { row: { ...rest, terms, ...(unitId !== undefined && { unitId }) }, isNew: false };
  }
  if (asNumber((yield step(countOf, issuer))[0]?.[0]) >= most) return null;
  yield step(insertNewToken, ...newTokenValues(token));
  yield step(insertSubject, ...subjects.values({ tokenId: token.id, issuer, subject, createdAtMs: token.createdAtMs }));
  const made = (yield step(byId, token.id))[0];
  return made === undefined ? null : { row: tokens.read(made), isNew: true };
});

function* lockedRow(id: string): Steps<Row | undefined> {
  yield step(lock);
  return (yield step(byId, id))[0];
}

/** Terms are JSON that only Weir writes. */
function keepDisabled(before: string, after: string): string {
  const { disabled } = JSON.parse(before) as { readonly disabled?: boolean };
  return disabled === true ? JSON.stringify({ ...(JSON.parse(after) as object), disabled }) : after;
}

const revoke = statement(
  `${revocations.insert} ON CONFLICT (issuer, jwt_id) DO UPDATE SET expires_at_ms = excluded.expires_at_ms`,
);
const isOn = statement('SELECT 1 FROM jwt_revocations WHERE issuer = $1 AND jwt_id = $2');
const listing = statement(
  `SELECT ${revocations.list} FROM jwt_revocations ORDER BY created_at_ms DESC, jwt_id LIMIT $1`,
);

export const revokeJwt = transaction(function* (row: JwtRevocationRow): Steps<null> {
  yield step(revoke, ...revocations.values(row));
  yield* bumpRevision();
  return null;
});

export const isJwtRevoked = read(function* (issuer: string, jwtId: string): Steps<boolean> {
  return (yield step(isOn, issuer, jwtId)).length > 0;
});

/** Newest first. */
export const listJwtRevocations = read(function* (limit: number): Steps<readonly JwtRevocationRow[]> {
  return (yield step(listing, limit)).map((row) => revocations.read(row));
});

export const expireJwtRevocations = removal('jwt_revocations', 'issuer, jwt_id', 'expires_at_ms');

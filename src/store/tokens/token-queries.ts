/** Tokens: only digests are kept, and every change bumps the revision that tells servers to drop their caches. */

import { bareDigest, splitDigest } from '../../secrets/digests.ts';
import {
  asNumber,
  asNumberOrNull,
  asText,
  asTextOrNull,
  type Operation,
  type Row,
  type Step,
  statement,
  step,
} from '../sql/statement.ts';

/** A token as it travels between threads: id, hint, terms as JSON, created, revoked, end of the secret that matched, owner. */
export type TokenCells = readonly [
  id: string,
  hint: string,
  terms: string,
  createdAtMs: number,
  revokedAtMs: number | null,
  secretValidUntilMs: number | null,
  ownerId: string | null,
];

const columns = 'id, hint, terms, created_at_ms, revoked_at_ms';
const bump = statement('UPDATE revisions SET value = value + 1 WHERE id = 1');
const insert = statement(
  `INSERT INTO tokens (id, digest, hint, name, terms, created_at_ms, owner_id, digest_key)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
);
const byDigest = statement(
  `SELECT ${columns}, NULL, owner_id FROM tokens WHERE digest = $1
   UNION ALL
   SELECT ${columns}, previous_valid_until_ms, owner_id FROM tokens WHERE previous_digest = $1 AND previous_valid_until_ms > $2`,
);
const byId = statement(`SELECT ${columns}, NULL, owner_id FROM tokens WHERE id = $1`);
const list = statement(`SELECT ${columns}, NULL, owner_id FROM tokens ORDER BY created_at_ms DESC, id DESC LIMIT $1`);
const listAfter = statement(
  `SELECT ${columns}, NULL, owner_id FROM tokens WHERE (created_at_ms, id) < ($2, $3) ORDER BY created_at_ms DESC, id DESC LIMIT $1`,
);
const listOwn = statement(
  `SELECT ${columns}, NULL, owner_id FROM tokens WHERE owner_id = $2 ORDER BY created_at_ms DESC, id DESC LIMIT $1`,
);
const listOwnAfter = statement(
  `SELECT ${columns}, NULL, owner_id FROM tokens WHERE owner_id = $2 AND (created_at_ms, id) < ($3, $4)
   ORDER BY created_at_ms DESC, id DESC LIMIT $1`,
);
/** The secret before it works on as long as it would have; one that was revoked stays so. */
const renew = statement(
  `INSERT INTO tokens (id, digest, hint, name, terms, created_at_ms, owner_id, digest_key)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $9)
   ON CONFLICT (id) DO UPDATE SET
     previous_digest = CASE WHEN tokens.revoked_at_ms IS NULL THEN tokens.digest ELSE NULL END,
     previous_digest_key = tokens.digest_key, previous_valid_until_ms = $8, revoked_at_ms = NULL,
     digest = excluded.digest, digest_key = excluded.digest_key, hint = excluded.hint, name = excluded.name, terms = excluded.terms
   WHERE tokens.owner_id = excluded.owner_id RETURNING id`,
);
const revokeOwn = statement(
  'UPDATE tokens SET revoked_at_ms = $2 WHERE owner_id = $1 AND revoked_at_ms IS NULL RETURNING id',
);
const updateTerms = statement('UPDATE tokens SET name = $2, terms = $3 WHERE id = $1 RETURNING id');
const revoke = statement('UPDATE tokens SET revoked_at_ms = $2 WHERE id = $1 AND revoked_at_ms IS NULL RETURNING id');
const rotate = statement(
  `UPDATE tokens SET previous_digest = digest, previous_digest_key = digest_key, previous_valid_until_ms = $4,
     digest = $2, digest_key = $5, hint = $3
   WHERE id = $1 AND revoked_at_ms IS NULL RETURNING id`,
);
const readRevision = statement('SELECT value FROM revisions WHERE id = 1');

export function tokenCells(row: Row): TokenCells {
  return [
    asText(row[0]),
    asText(row[1]),
    asText(row[2]),
    asNumber(row[3]),
    asNumberOrNull(row[4]),
    asNumberOrNull(row[5]),
    asTextOrNull(row[6]),
  ];
}

function first(rows: readonly Row[]): TokenCells | null {
  const row = rows[0];
  return row === undefined ? null : tokenCells(row);
}

export function* bumpRevision(): Operation<void> {
  yield step(bump);
}

export function* insertToken(
  id: string,
  digest: string,
  hint: string,
  name: string,
  terms: string,
  createdAtMs: number,
  ownerId: string | null,
): Operation<null> {
  const [bare, keyId] = splitDigest(digest);
  yield step(insert, id, bare, hint, name, terms, createdAtMs, ownerId, keyId);
  yield* bumpRevision();
  return null;
}

/** Also a lock: whoever makes a token for the same account at the same moment waits. */
const lockOwner = statement('UPDATE accounts SET role = role WHERE id = $1');
const countOwn = statement(
  'SELECT COUNT(*) FROM tokens WHERE owner_id = $1 AND id <> $2 AND (revoked_at_ms IS NULL OR revoked_at_ms >= $3)',
);

/** False where the account has so many already. Tokens that were revoked since that moment count, the excepted one does not. */
export function* insertTokenWithin(
  id: string,
  digest: string,
  hint: string,
  name: string,
  terms: string,
  createdAtMs: number,
  ownerId: string,
  most: number,
  revokedSinceMs: number,
  exceptId: string,
): Operation<boolean> {
  yield step(lockOwner, ownerId);
  const [row] = yield step(countOwn, ownerId, exceptId, revokedSinceMs);
  if (asNumber(row?.[0]) >= most) return false;
  yield* insertToken(id, digest, hint, name, terms, createdAtMs, ownerId);
  return true;
}

/** One token of an account that gets a new secret each time it is asked for. False where the id is another's. */
export function* renewToken(
  id: string,
  digest: string,
  hint: string,
  name: string,
  terms: string,
  nowMs: number,
  ownerId: string,
  previousValidUntilMs: number,
): Operation<boolean> {
  const [bare, keyId] = splitDigest(digest);
  const cells = [id, bare, hint, name, terms, nowMs, ownerId, previousValidUntilMs, keyId] as const;
  return yield* changed(yield step(renew, ...cells));
}

/** All tokens of an account: how many there were to revoke. */
export function* revokeTokensOf(ownerId: string, atMs: number): Operation<number> {
  const rows = yield step(revokeOwn, ownerId, atMs);
  yield* changed(rows);
  return rows.length;
}

export function* tokenByDigest(digest: string, nowMs: number): Operation<TokenCells | null> {
  return first(yield step(byDigest, bareDigest(digest), nowMs));
}

export function* tokenById(id: string): Operation<TokenCells | null> {
  return first(yield step(byId, id));
}

export function* listTokens(
  limit: number,
  afterMs: number | null,
  afterId: string | null,
  ownerId: string | null,
): Operation<readonly TokenCells[]> {
  return (yield listStep(limit, afterMs, afterId, ownerId)).map(tokenCells);
}

function listStep(limit: number, afterMs: number | null, afterId: string | null, ownerId: string | null): Step {
  if (ownerId === null) return afterMs === null ? step(list, limit) : step(listAfter, limit, afterMs, afterId);
  return afterMs === null ? step(listOwn, limit, ownerId) : step(listOwnAfter, limit, ownerId, afterMs, afterId);
}

function* changed(rows: readonly Row[]): Operation<boolean> {
  if (rows.length === 0) return false;
  yield* bumpRevision();
  return true;
}

export function* updateTokenTerms(id: string, name: string, terms: string): Operation<boolean> {
  return yield* changed(yield step(updateTerms, id, name, terms));
}

export function* revokeToken(id: string, atMs: number): Operation<boolean> {
  return yield* changed(yield step(revoke, id, atMs));
}

export function* rotateToken(
  id: string,
  digest: string,
  hint: string,
  previousValidUntilMs: number,
): Operation<boolean> {
  const [bare, keyId] = splitDigest(digest);
  return yield* changed(yield step(rotate, id, bare, hint, previousValidUntilMs, keyId));
}

export function* revision(): Operation<number> {
  return asNumber((yield step(readRevision))[0]?.[0]);
}

/** Short-lived credentials that a token's holder hands to a browser: only their digests are kept. */

import { bareDigest } from '../../secrets/digests.ts';
import { asNumber, asText, type Operation, statement, step } from '../sql/statement.ts';

export type ClientSecretCells = readonly [
  digest: string,
  tokenId: string,
  model: string,
  content: string,
  expiresAtMs: number,
];

/** How many may be alive, of one token and in all, at a time. */
export type SecretCeiling = readonly [nowMs: number, perTokenMax: number, max: number];

/** Nothing where the token, or Weir as a whole, has as many as it may. */
const put = statement(
  `INSERT INTO client_secrets (digest, token_id, model, content, expires_at_ms)
   SELECT CAST($1 AS TEXT), CAST($2 AS TEXT), CAST($3 AS TEXT), CAST($4 AS TEXT), CAST($5 AS BIGINT)
   WHERE (SELECT COUNT(*) FROM client_secrets WHERE token_id = $2 AND expires_at_ms > $6) < $7
     AND (SELECT COUNT(*) FROM client_secrets WHERE expires_at_ms > $6) < $8
   ON CONFLICT (digest) DO UPDATE SET token_id = excluded.token_id, model = excluded.model, content = excluded.content,
     expires_at_ms = excluded.expires_at_ms
   RETURNING digest`,
);
/** An expired one is still known for a while; its settings, which may be large, are not needed for that. */
const emptyExpired = statement(
  `UPDATE client_secrets SET content = '' WHERE token_id = $1 AND expires_at_ms <= $2 AND content <> ''`,
);
const get = statement(
  `SELECT digest, token_id, model, content, expires_at_ms FROM client_secrets WHERE digest = $1 AND expires_at_ms > $2`,
);
/** So many at a time: a long deletion would keep every other writer waiting. */
const expire = statement(
  `DELETE FROM client_secrets WHERE digest IN
     (SELECT digest FROM client_secrets WHERE expires_at_ms <= $1 ORDER BY expires_at_ms LIMIT $2) RETURNING digest`,
);

/** True where it was kept. */
export function* putClientSecret(cells: ClientSecretCells, ceiling: SecretCeiling): Operation<boolean> {
  const [digest, tokenId, ...rest] = cells;
  yield step(emptyExpired, tokenId, ceiling[0]);
  return (yield step(put, bareDigest(digest), tokenId, ...rest, ...ceiling)).length > 0;
}

export function* getClientSecret(digest: string, nowMs: number): Operation<ClientSecretCells | null> {
  const row = (yield step(get, bareDigest(digest), nowMs))[0];
  if (row === undefined) return null;
  return [asText(row[0]), asText(row[1]), asText(row[2]), asText(row[3]), asNumber(row[4])];
}

/** How many were removed. */
export function* expireClientSecrets(nowMs: number, most: number): Operation<number> {
  return (yield step(expire, nowMs, most)).length;
}

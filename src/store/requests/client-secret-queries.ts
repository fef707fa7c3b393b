/** The table `client_secrets`: short-lived credentials that a token's holder hands to a browser. Only their digests are kept. */

import { bareDigest } from '../../secrets/digests.ts';
import { read, transaction } from '../sql/query.ts';
import { removal } from '../sql/removal.ts';
import { type Steps, statement, step } from '../sql/statement.ts';
import { integer, type RowIn, table, text } from '../sql/table.ts';

const secrets = table('client_secrets', {
  digest: text,
  tokenId: text,
  model: text,
  content: text,
  expiresAtMs: integer,
});
export type ClientSecretRow = RowIn<typeof secrets>;

/** How many may be valid at a time, of one token and in all. */
export interface SecretCeiling {
  readonly nowMs: number;
  readonly perTokenMax: number;
  readonly max: number;
}

/** Writes nothing where the token, or Weir as a whole, has as many as it may. */
const put = statement(
  `INSERT INTO client_secrets (${secrets.list})
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
const get = statement(`SELECT ${secrets.list} FROM client_secrets WHERE digest = $1 AND expires_at_ms > $2`);

/** True where it was kept. */
export const putClientSecret = transaction(function* (
  row: ClientSecretRow,
  { nowMs, perTokenMax, max }: SecretCeiling,
): Steps<boolean> {
  yield step(emptyExpired, row.tokenId, nowMs);
  const values = secrets.values({ ...row, digest: bareDigest(row.digest) });
  return (yield step(put, ...values, nowMs, perTokenMax, max)).length > 0;
});

export const getClientSecret = read(function* (digest: string, nowMs: number): Steps<ClientSecretRow | null> {
  const row = (yield step(get, bareDigest(digest), nowMs))[0];
  return row === undefined ? null : { ...secrets.read(row), digest };
});

export const expireClientSecrets = removal('client_secrets', 'digest', 'expires_at_ms');

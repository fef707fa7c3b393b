/** Short-lived credentials that a token's holder hands to a browser: only their digests are kept. */

import { bareDigest } from '../../secrets/digests.ts';
import { asNumber, asText, type Operation, statement, step } from '../statement.ts';

export type ClientSecretCells = readonly [
  digest: string,
  tokenId: string,
  model: string,
  content: string,
  expiresAtMs: number,
];

const put = statement(
  `INSERT INTO client_secrets (digest, token_id, model, content, expires_at_ms) VALUES ($1, $2, $3, $4, $5)
   ON CONFLICT (digest) DO UPDATE SET token_id = excluded.token_id, model = excluded.model, content = excluded.content,
     expires_at_ms = excluded.expires_at_ms`,
);
const get = statement(
  `SELECT digest, token_id, model, content, expires_at_ms FROM client_secrets WHERE digest = $1 AND expires_at_ms > $2`,
);
/** So many at a time: a long deletion would keep every other writer waiting. */
const expire = statement(
  `DELETE FROM client_secrets WHERE digest IN
     (SELECT digest FROM client_secrets WHERE expires_at_ms <= $1 ORDER BY expires_at_ms LIMIT $2) RETURNING digest`,
);

export function* putClientSecret(...cells: ClientSecretCells): Operation<null> {
  const [digest, ...rest] = cells;
  yield step(put, bareDigest(digest), ...rest);
  return null;
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

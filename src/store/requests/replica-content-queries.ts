/** The rows of contents that replicas share for a short time. What is in them is opaque here. */

import { read, single } from '../sql/query.ts';
import { asText, type Steps, statement, statementsBy, step } from '../sql/statement.ts';

export type ReplicaContentCells = readonly [
  tokenId: string,
  id: string,
  kind: string,
  content: string,
  bytes: number,
  atMs: number,
  expiresAtMs: number,
];

const put = statement(
  `INSERT INTO replica_contents (token_id, id, kind, content, bytes, at_ms, expires_at_ms) VALUES ($1, $2, $3, $4, $5, $6, $7)
   ON CONFLICT (token_id, id) DO UPDATE SET kind = excluded.kind, content = excluded.content, bytes = excluded.bytes,
     at_ms = excluded.at_ms, expires_at_ms = excluded.expires_at_ms`,
);
const get = statementsBy((ids: number) => {
  const places = Array.from({ length: ids }, (_, index) => `$${index + 3}`).join(', ');
  return `SELECT id, content FROM replica_contents WHERE token_id = $1 AND expires_at_ms > $2 AND id IN (${places})`;
});
/** So many at a time: a long deletion would keep every other writer waiting. */
const expire = statement(
  `DELETE FROM replica_contents WHERE (token_id, id) IN
     (SELECT token_id, id FROM replica_contents WHERE expires_at_ms <= $1 ORDER BY expires_at_ms LIMIT $2) RETURNING id`,
);
/** Each row is summed up with all newer ones of its token, and with all newer ones of its kind. */
const trim = statement(
  `DELETE FROM replica_contents WHERE (token_id, id) IN
     (SELECT token_id, id FROM
       (SELECT token_id, id,
          SUM(bytes) OVER (PARTITION BY token_id ORDER BY at_ms DESC, id DESC) AS of_token,
          SUM(bytes) OVER (ORDER BY at_ms DESC, token_id DESC, id DESC) AS of_all
        FROM replica_contents WHERE kind = $1) AS summed
      WHERE of_token > $2 OR of_all > $3 LIMIT $4) RETURNING id`,
);

/** How many ids are looked for in one statement; every number of them is a statement of its own. */
export const idsMax = 32;

export const putReplicaContent = single(function* (...cells: ReplicaContentCells): Steps<null> {
  yield step(put, ...cells);
  return null;
});

/** Those that there are, in any order. */
export const getReplicaContents = read(function* (
  tokenId: string,
  ids: readonly string[],
  nowMs: number,
): Steps<readonly (readonly [id: string, content: string])[]> {
  const rows = yield step(get(ids.length), tokenId, nowMs, ...ids);
  return rows.map((row) => [asText(row[0]), asText(row[1])] as const);
});

/** How many were removed. */
export const expireReplicaContents = single(function* (nowMs: number, most: number): Steps<number> {
  return (yield step(expire, nowMs, most)).length;
});

/** Removes the oldest of a kind until each token's and all together are within their bytes; how many were removed. */
export const trimReplicaContents = single(function* (
  kind: string,
  tokenBytesMax: number,
  bytesMax: number,
  most: number,
): Steps<number> {
  return (yield step(trim, kind, tokenBytesMax, bytesMax, most)).length;
});

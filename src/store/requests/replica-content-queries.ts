/** The table `replica_contents`: what replicas share for a short time. The content is opaque here. */

import { read, single } from '../sql/query.ts';
import { removal } from '../sql/removal.ts';
import { type Steps, statement, statementsBy, step } from '../sql/statement.ts';
import { integer, placesFrom, type RowIn, table, text, time } from '../sql/table.ts';

const contents = table('replica_contents', {
  tokenId: text,
  id: text,
  kind: text,
  content: text,
  bytes: integer,
  atMs: time,
  expiresAtMs: time,
});
export type ReplicaContentRow = RowIn<typeof contents>;
const found = contents.pick('id', 'content');

const put = statement(contents.upsert('tokenId', 'id'));
const get = statementsBy(
  (ids: number) =>
    `SELECT ${found.list} FROM replica_contents WHERE token_id = $1 AND expires_at_ms > $2 AND id IN (${placesFrom(3, ids)})`,
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

/** How many ids one statement names; every number of them is a statement of its own. */
export const idsMax = 32;

export const putReplicaContent = single(function* (row: ReplicaContentRow): Steps<null> {
  yield step(put, ...contents.values(row));
  return null;
});

/** Those that there are, in any order. */
export const getReplicaContents = read(function* (
  tokenId: string,
  ids: readonly string[],
  nowMs: number,
): Steps<readonly RowIn<typeof found>[]> {
  const rows = yield step(get(ids.length), tokenId, nowMs, ...ids);
  return rows.map((row) => found.read(row));
});

export const expireReplicaContents = removal('replica_contents', 'token_id, id', 'expires_at_ms');

/** Removes the oldest of a kind until each token's and all together are within their bytes; how many were removed. */
export const trimReplicaContents = single(function* (
  kind: string,
  tokenBytesMax: number,
  bytesMax: number,
  most: number,
): Steps<number> {
  return (yield step(trim, kind, tokenBytesMax, bytesMax, most)).length;
});

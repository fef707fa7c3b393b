/** The table `kept_replies`: replies that later requests may continue. Their content is opaque here. */

import { read, single } from '../sql/query.ts';
import { removal } from '../sql/removal.ts';
import { type Steps, statement, step } from '../sql/statement.ts';
import { integer, type NewRowIn, optional, type RowIn, table, text, textOf } from '../sql/table.ts';

export type KeptReplyKind = 'content' | 'at-provider' | 'too-large';

const replies = table('kept_replies', {
  tokenId: text,
  id: text,
  kind: textOf<KeptReplyKind>(),
  provider: text,
  keyId: text,
  tokens: optional(integer),
  content: optional(text),
  expiresAtMs: integer,
});
/** `bytes` is what limits count. */
const sized = table('kept_replies', { ...replies.columns, bytes: integer });

const put = statement(sized.upsert('tokenId', 'id'));
const get = statement(
  `SELECT ${replies.list} FROM kept_replies WHERE token_id = $1 AND id = $2 AND expires_at_ms > $3`,
);
const ofAnyToken = statement('SELECT 1 FROM kept_replies WHERE id = $1 AND expires_at_ms > $2 LIMIT 1');
const remove = statement(
  'DELETE FROM kept_replies WHERE token_id = $1 AND id = $2 AND expires_at_ms > $3 RETURNING id',
);
/** The newest stay: so many, and as many as fit into so many bytes. */
const trim = statement(
  `DELETE FROM kept_replies WHERE token_id = $1 AND id IN
     (SELECT id FROM (SELECT id,
        ROW_NUMBER() OVER (ORDER BY expires_at_ms DESC, id) AS place,
        SUM(bytes) OVER (ORDER BY expires_at_ms DESC, id) AS total
      FROM kept_replies WHERE token_id = $1) AS ranked WHERE place > $2 OR total > $3)
   RETURNING id`,
);
/** Of the content of all tokens; what is only noted takes next to nothing. */
const trimAll = statement(
  `DELETE FROM kept_replies WHERE (token_id, id) IN
     (SELECT token_id, id FROM (SELECT token_id, id,
        SUM(bytes) OVER (ORDER BY expires_at_ms DESC, token_id, id) AS total
      FROM kept_replies WHERE bytes > 0) AS ranked WHERE total > $1)
   RETURNING id`,
);

export const putKeptReply = single(function* (row: NewRowIn<typeof replies>): Steps<null> {
  // Sealed content is ASCII.
  yield step(put, ...sized.values({ ...row, bytes: row.content?.length ?? 0 }));
  return null;
});

export const getKeptReply = read(function* (
  tokenId: string,
  id: string,
  nowMs: number,
): Steps<RowIn<typeof replies> | null> {
  const row = (yield step(get, tokenId, id, nowMs))[0];
  return row === undefined ? null : replies.read(row);
});

/** True where any token has it. */
export const hasKeptReply = read(function* (id: string, nowMs: number): Steps<boolean> {
  return (yield step(ofAnyToken, id, nowMs)).length > 0;
});

/** True where there was one. */
export const removeKeptReply = single(function* (tokenId: string, id: string, nowMs: number): Steps<boolean> {
  return (yield step(remove, tokenId, id, nowMs)).length > 0;
});

/** How many were removed. */
export const trimKeptReplies = single(function* (tokenId: string, most: number, bytesMax: number): Steps<number> {
  return (yield step(trim, tokenId, most, bytesMax)).length;
});

/** How many were removed. */
export const trimAllKeptReplies = single(function* (bytesMax: number): Steps<number> {
  return (yield step(trimAll, bytesMax)).length;
});

export const expireKeptReplies = removal('kept_replies', 'token_id, id', 'expires_at_ms');

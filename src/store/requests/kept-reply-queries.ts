/** The rows of replies that later requests may go on from. Their content is opaque here. */

import { asNumber, asNumberOrNull, asText, type Operation, statement, step } from '../sql/statement.ts';

export type KeptReplyCells = readonly [
  tokenId: string,
  id: string,
  kind: string,
  provider: string,
  keyId: string,
  tokens: number | null,
  content: string | null,
  expiresAtMs: number,
];

const put = statement(
  `INSERT INTO kept_replies (token_id, id, kind, provider, key_id, tokens, content, expires_at_ms, bytes)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, COALESCE(LENGTH(CAST($7 AS TEXT)), 0))
   ON CONFLICT (token_id, id) DO UPDATE SET kind = excluded.kind, provider = excluded.provider, key_id = excluded.key_id,
     tokens = excluded.tokens, content = excluded.content, expires_at_ms = excluded.expires_at_ms,
     bytes = excluded.bytes`,
);
const get = statement(
  `SELECT token_id, id, kind, provider, key_id, tokens, content, expires_at_ms FROM kept_replies
   WHERE token_id = $1 AND id = $2 AND expires_at_ms > $3`,
);
const anybodys = statement('SELECT 1 FROM kept_replies WHERE id = $1 AND expires_at_ms > $2 LIMIT 1');
const remove = statement(
  'DELETE FROM kept_replies WHERE token_id = $1 AND id = $2 AND expires_at_ms > $3 RETURNING id',
);
/** So many at a time: a long deletion would keep every other writer waiting. */
const expire = statement(
  `DELETE FROM kept_replies WHERE (token_id, id) IN
     (SELECT token_id, id FROM kept_replies WHERE expires_at_ms <= $1 ORDER BY expires_at_ms LIMIT $2) RETURNING id`,
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

/** How many were removed. */
export function* trimKeptReplies(tokenId: string, most: number, bytesMax: number): Operation<number> {
  return (yield step(trim, tokenId, most, bytesMax)).length;
}

/** How many were removed. */
export function* trimAllKeptReplies(bytesMax: number): Operation<number> {
  return (yield step(trimAll, bytesMax)).length;
}

export function* putKeptReply(...cells: KeptReplyCells): Operation<null> {
  yield step(put, ...cells);
  return null;
}

export function* getKeptReply(tokenId: string, id: string, nowMs: number): Operation<KeptReplyCells | null> {
  const row = (yield step(get, tokenId, id, nowMs))[0];
  if (row === undefined) return null;
  const content = row[6];
  return [
    asText(row[0]),
    asText(row[1]),
    asText(row[2]),
    asText(row[3]),
    asText(row[4]),
    asNumberOrNull(row[5]),
    content === null || content === undefined ? null : asText(content),
    asNumber(row[7]),
  ];
}

/** True where any token has it. */
export function* hasKeptReply(id: string, nowMs: number): Operation<boolean> {
  return (yield step(anybodys, id, nowMs)).length > 0;
}

/** True where there was one. */
export function* removeKeptReply(tokenId: string, id: string, nowMs: number): Operation<boolean> {
  return (yield step(remove, tokenId, id, nowMs)).length > 0;
}

/** How many were removed. */
export function* expireKeptReplies(nowMs: number, most: number): Operation<number> {
  return (yield step(expire, nowMs, most)).length;
}

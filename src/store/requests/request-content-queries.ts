/** The rows of what was said in requests. Their content is opaque here. */

import { read, single } from '../sql/query.ts';
import { asNumber, asText, type Steps, statement, step } from '../sql/statement.ts';

export type RequestContentCells = readonly [
  requestId: string,
  tokenId: string,
  content: string,
  atMs: number,
  expiresAtMs: number,
];

const put = statement(
  `INSERT INTO request_contents (request_id, token_id, content, at_ms, expires_at_ms) VALUES ($1, $2, $3, $4, $5)
   ON CONFLICT (request_id) DO NOTHING`,
);
const get = statement(
  `SELECT request_id, token_id, content, at_ms, expires_at_ms FROM request_contents
   WHERE request_id = $1 AND expires_at_ms > $2`,
);
const has = statement('SELECT 1 FROM request_contents WHERE request_id = $1 AND expires_at_ms > $2');
/** So many at a time: a long deletion would keep every other writer waiting. */
const expire = statement(
  `DELETE FROM request_contents WHERE request_id IN
     (SELECT request_id FROM request_contents WHERE expires_at_ms <= $1 ORDER BY expires_at_ms LIMIT $2)
   RETURNING request_id`,
);

export const putRequestContent = single(function* (...cells: RequestContentCells): Steps<null> {
  yield step(put, ...cells);
  return null;
});

export const getRequestContent = read(function* (requestId: string, nowMs: number): Steps<RequestContentCells | null> {
  const row = (yield step(get, requestId, nowMs))[0];
  if (row === undefined) return null;
  return [asText(row[0]), asText(row[1]), asText(row[2]), asNumber(row[3]), asNumber(row[4])];
});

export const hasRequestContent = read(function* (requestId: string, nowMs: number): Steps<boolean> {
  return (yield step(has, requestId, nowMs)).length > 0;
});

/** How many were removed. */
export const expireRequestContents = single(function* (nowMs: number, most: number): Steps<number> {
  return (yield step(expire, nowMs, most)).length;
});

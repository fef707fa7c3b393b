/** The table `request_contents`: contents of requests and replies. They are opaque here. */

import { read, single } from '../sql/query.ts';
import { removal } from '../sql/removal.ts';
import { asNumber, type Steps, statement, step } from '../sql/statement.ts';
import { type RowIn, table, text, time } from '../sql/table.ts';

const contents = table('request_contents', {
  requestId: text,
  tokenId: text,
  content: text,
  atMs: time,
  expiresAtMs: time,
});
export type RequestContentRow = RowIn<typeof contents>;

const put = statement(`${contents.insert} ON CONFLICT (request_id) DO NOTHING`);
const get = statement(`SELECT ${contents.list} FROM request_contents WHERE request_id = $1 AND expires_at_ms > $2`);
const has = statement('SELECT 1 FROM request_contents WHERE request_id = $1 AND expires_at_ms > $2');

export const putRequestContent = single(function* (row: RequestContentRow): Steps<null> {
  yield step(put, ...contents.values(row));
  return null;
});

export const getRequestContent = read(function* (requestId: string, nowMs: number): Steps<RequestContentRow | null> {
  const row = (yield step(get, requestId, nowMs))[0];
  return row === undefined ? null : contents.read(row);
});

export const hasRequestContent = read(function* (requestId: string, nowMs: number): Steps<boolean> {
  return (yield step(has, requestId, nowMs)).length > 0;
});

export const expireRequestContents = removal('request_contents', 'request_id', 'expires_at_ms');

const newest = statement('SELECT expires_at_ms FROM request_contents ORDER BY expires_at_ms DESC LIMIT 1 OFFSET $1');

/** When the first one expires that is one too many; null where there are no more than that. */
export const expiryBeyond = read(function* (most: number): Steps<number | null> {
  const found = (yield step(newest, most))[0]?.[0] ?? null;
  return found === null ? null : asNumber(found);
});

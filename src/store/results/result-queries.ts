/** The rows of kept results: the owner and the size of each, and the sealed parts of those in the database itself. */

import { longRead, read, single, transaction } from '../sql/query.ts';
import { asNumber, asText, type Steps, statement, step } from '../sql/statement.ts';
import { integer, type RowIn, table, text, textOf, time } from '../sql/table.ts';

export type ResultKind = 'image' | 'video';

const results = table('kept_results', {
  name: text,
  kind: textOf<ResultKind>(),
  tokenId: text,
  bytes: integer,
  atMs: time,
  expiresAtMs: time,
});
export type KeptResultRow = RowIn<typeof results>;

const put = statement(results.upsert('name'));
const get = statement(`SELECT ${results.list} FROM kept_results WHERE name = $1 AND expires_at_ms > $2`);
const remove = statement('DELETE FROM kept_results WHERE name = $1');
const expired = statement(
  'SELECT name FROM kept_results WHERE kind = $1 AND expires_at_ms <= $2 ORDER BY expires_at_ms LIMIT $3',
);
/** Each row is summed up with all newer ones of its token, and with all newer ones of its kind. */
const excess = statement(
  `SELECT name FROM
     (SELECT name, at_ms,
        SUM(bytes) OVER (PARTITION BY token_id ORDER BY at_ms DESC, name DESC) AS of_token,
        SUM(bytes) OVER (ORDER BY at_ms DESC, name DESC) AS of_all
      FROM kept_results WHERE kind = $1) AS summed
   WHERE of_token > $2 OR of_all > $3 ORDER BY at_ms LIMIT $4`,
);

export const putKeptResult = single(function* (row: KeptResultRow): Steps<null> {
  yield step(put, ...results.values(row));
  return null;
});

export const getKeptResult = read(function* (name: string, nowMs: number): Steps<KeptResultRow | null> {
  const row = (yield step(get, name, nowMs))[0];
  return row === undefined ? null : results.read(row);
});

export const removeKeptResult = single(function* (name: string): Steps<null> {
  yield step(remove, name);
  return null;
});

/** Some of those that have expired. */
export const expiredResults = read(function* (kind: string, nowMs: number, limit: number): Steps<readonly string[]> {
  return (yield step(expired, kind, nowMs, limit)).map((row) => asText(row[0]));
});

/** Some of the oldest that exceed the limit of their token or of all. */
export const excessResults = longRead(function* (
  kind: string,
  tokenBytesMax: number,
  bytesMax: number,
  limit: number,
): Steps<readonly string[]> {
  return (yield step(excess, kind, tokenBytesMax, bytesMax, limit)).map((row) => asText(row[0]));
});

const newParts = table('result_parts', { name: text, part: text, content: text, bytes: integer, atMs: time });
const putPart = statement(newParts.upsert('name', 'part'));
const removeBehind = statement('DELETE FROM result_parts WHERE name = $1 AND part > $2');
const size = statement('SELECT COUNT(*), COALESCE(SUM(bytes), 0) FROM result_parts WHERE name = $1');
const readPart = statement('SELECT content FROM result_parts WHERE name = $1 AND part = $2');
const removeParts = statement('DELETE FROM result_parts WHERE name = $1');
const removeOld = statement(
  `DELETE FROM result_parts WHERE name IN
     (SELECT DISTINCT name FROM result_parts WHERE at_ms < $1 LIMIT $2) RETURNING name`,
);

export interface ResultPart {
  readonly part: string;
  /** Opaque here: its writer encrypts it. */
  readonly content: string;
  readonly bytes: number;
}

/** All parts of a result, in the place of those that the name had. Two writers at once wait for each other at the first part. */
export const writeResultParts = transaction(function* (
  name: string,
  parts: readonly ResultPart[],
  atMs: number,
): Steps<null> {
  for (const part of parts) yield step(putPart, ...newParts.values({ name, ...part, atMs }));
  yield step(removeBehind, name, parts.at(-1)?.part ?? '');
  return null;
});

export const resultSize = read(function* (name: string): Steps<number | null> {
  const row = (yield step(size, name))[0];
  return asNumber(row?.[0]) === 0 ? null : asNumber(row?.[1]);
});

export const readResultPart = read(function* (name: string, part: string): Steps<string | null> {
  const row = (yield step(readPart, name, part))[0];
  return row === undefined ? null : asText(row[0]);
});

export const removeResultParts = single(function* (name: string): Steps<null> {
  yield step(removeParts, name);
  return null;
});

/** Removes results that were written before then; the names of their parts, one for each part. */
export const expireResultParts = single(function* (beforeMs: number, most: number): Steps<readonly string[]> {
  return (yield step(removeOld, beforeMs, most)).map((row) => asText(row[0]));
});

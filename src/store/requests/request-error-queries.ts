/** The rows that say why attempts failed and requests were refused. */

import { longRead, read, single } from '../sql/query.ts';
import { removal } from '../sql/removal.ts';
import { asText, type Steps, statement, statementsBy, step } from '../sql/statement.ts';
import {
  freeText,
  integer,
  type NewRowIn,
  name,
  optional,
  placesFrom,
  type RowIn,
  table,
  text,
  time,
} from '../sql/table.ts';

const errors = table('request_errors', {
  requestId: text,
  attempt: integer,
  atMs: time,
  provider: name,
  keyId: name,
  status: optional(integer),
  code: name,
  message: freeText,
});

/** The first one stays: a batch whose answer was lost is written again. */
const add = statementsBy((size: number) => {
  const tuples = Array.from({ length: size }, (_, row) => `(${errors.places(1 + errors.width * row)})`);
  return `INSERT INTO request_errors (${errors.list}) VALUES ${tuples.join(', ')}
    ON CONFLICT (request_id, attempt) DO NOTHING`;
});
const ofRequest = statement(`SELECT ${errors.list} FROM request_errors WHERE request_id = $1 ORDER BY attempt`);

export const addRequestErrors = single(function* (rows: readonly NewRowIn<typeof errors>[]): Steps<null> {
  yield { statement: add(rows.length), values: rows.flatMap((row) => errors.values(row)) };
  return null;
});

export const errorsOfRequest = read(function* (requestId: string): Steps<readonly RowIn<typeof errors>[]> {
  return (yield step(ofRequest, requestId)).map((row) => errors.read(row));
});

export const errorsPerReading = 256;
const sentTo = statement(
  `SELECT request_id, message FROM request_errors WHERE attempt = 0 AND request_id IN (${placesFrom(1, errorsPerReading)})`,
);

/** The errors that the clients of these requests were sent, at most `errorsPerReading`; requests without an error are left out. */
export const messagesSent = longRead(function* (
  requestIds: readonly string[],
): Steps<readonly (readonly [requestId: string, message: string])[]> {
  const last = requestIds.at(-1) ?? '';
  const padding = Array.from({ length: errorsPerReading - requestIds.length }, () => last);
  return (yield step(sentTo, ...requestIds, ...padding)).map((row) => [asText(row[0]), asText(row[1])] as const);
});

export const removeRequestErrors = removal('request_errors', 'request_id, attempt', 'at_ms', '<');

/**
 * How attempts ended: sums of each minute and the last end of each key and model. A reading costs what an hour has of minutes,
 * keys and models, however many attempts there were. The attempts themselves could not be read so: their ids are not in the order
 * of time, most successful ones are part of their request's row, and an index would be paid for by every attempt.
 */

import { binsSql } from '../analytics/duration-sums.ts';
import { longRead, single, transaction } from '../sql/query.ts';
import { removal } from '../sql/removal.ts';
import { type Steps, statement, step } from '../sql/statement.ts';
import {
  freeText,
  integer,
  type NewRowIn,
  name,
  optional,
  type RowIn,
  selection,
  table,
  text,
  time,
} from '../sql/table.ts';
import { sumSql } from '../usage/usage-sums.ts';

const minutes = table('attempt_minutes', {
  startMs: integer,
  instanceId: text,
  provider: name,
  keyId: name,
  model: name,
  attempts: integer,
  failed: integer,
  outputTokens: time,
  outputMs: time,
  firstTokens: text,
  totals: text,
});
export type AttemptMinuteRow = NewRowIn<typeof minutes>;

const ends = table('attempt_ends', {
  provider: name,
  keyId: name,
  model: name,
  atMs: time,
  servedAtMs: time,
  rejectedAtMs: time,
  forbiddenAtMs: time,
  failedAtMs: time,
  requestId: text,
  status: optional(integer),
  code: name,
  message: freeText,
});
export type AttemptEndRow = RowIn<typeof ends>;

const putMinute = statement(minutes.upsert('startMs', 'instanceId', 'provider', 'keyId', 'model'));

/** Of two replicas the later end counts. */
const later = (column: string): string =>
  `${column} = CASE WHEN excluded.${column} > attempt_ends.${column} THEN excluded.${column} ELSE attempt_ends.${column} END`;
const ofFailure = (column: string): string =>
  `${column} = CASE WHEN excluded.failed_at_ms >= attempt_ends.failed_at_ms AND excluded.failed_at_ms > 0
     THEN excluded.${column} ELSE attempt_ends.${column} END`;
const putEnd = statement(
  `${ends.insert} ON CONFLICT (provider, key_id, model) DO UPDATE SET
     ${['request_id', 'status', 'code', 'message'].map(ofFailure).join(', ')},
     ${['at_ms', 'served_at_ms', 'rejected_at_ms', 'forbidden_at_ms', 'failed_at_ms'].map(later).join(', ')}`,
);

/** Writing the same again changes nothing. */
export const putAttemptHealth = transaction(function* (
  minuteRows: readonly AttemptMinuteRow[],
  endRows: readonly AttemptEndRow[],
): Steps<null> {
  for (const row of minuteRows) yield step(putMinute, ...minutes.values(row));
  for (const row of endRows) yield step(putEnd, ...ends.values(row));
  return null;
});

const sums = selection({
  provider: ['provider', text],
  keyId: ['key_id', text],
  model: ['model', text],
  attempts: [`${sumSql('attempts')} AS all_attempts`, integer],
  failed: [sumSql('failed'), integer],
  outputTokens: [sumSql('output_tokens'), integer],
  outputMs: [sumSql('output_ms'), integer],
  firstTokens: [binsSql('first_tokens'), text],
  totals: [binsSql('totals'), text],
});
export type AttemptSumRow = RowIn<typeof sums>;

const perMinute = selection({
  provider: ['provider', text],
  startMs: ['start_ms', integer],
  attempts: [sumSql('attempts'), integer],
  failed: [sumSql('failed'), integer],
});

/** A caller may name models: beyond this many the least used are left out. */
const rowsMax = 5_000;

const readSums = statement(
  `SELECT ${sums.list} FROM attempt_minutes WHERE start_ms >= $1 GROUP BY provider, key_id, model
   ORDER BY all_attempts DESC, provider, key_id, model LIMIT ${rowsMax}`,
);
const readMinutes = statement(
  `SELECT ${perMinute.list} FROM attempt_minutes WHERE start_ms >= $1 GROUP BY provider, start_ms
   ORDER BY provider, start_ms`,
);
const readEnds = statement(`SELECT ${ends.list} FROM attempt_ends ORDER BY at_ms DESC LIMIT ${rowsMax}`);

interface AttemptHealthRows {
  readonly sums: readonly AttemptSumRow[];
  readonly minutes: readonly RowIn<typeof perMinute>[];
  readonly ends: readonly AttemptEndRow[];
}

export const readAttemptHealth = longRead(function* (fromMs: number): Steps<AttemptHealthRows> {
  return {
    sums: (yield step(readSums, fromMs)).map((row) => sums.read(row)),
    minutes: (yield step(readMinutes, fromMs)).map((row) => perMinute.read(row)),
    ends: (yield step(readEnds)).map((row) => ends.read(row)),
  };
});

const forgetKey = statement('DELETE FROM attempt_ends WHERE provider = $1 AND key_id = $2');

/** Another key has this id now: how the old one ended says nothing about it. */
export const forgetAttemptEnds = single(function* (provider: string, keyId: string): Steps<null> {
  yield step(forgetKey, provider, keyId);
  return null;
});

export const removeAttemptMinutes = removal(
  'attempt_minutes',
  'start_ms, instance_id, provider, key_id, model',
  'start_ms',
  '<',
);
export const removeAttemptEnds = removal('attempt_ends', 'provider, key_id, model', 'at_ms', '<');

/** How far usage is summed, what is to be summed next, and from when on rows are kept. */

import { longRead, read, single, transaction } from '../sql/query.ts';
import { asNumber, asText, type Steps, statement, statementsBy, step } from '../sql/statement.ts';
import { integer, type RowIn, table } from '../sql/table.ts';
import { claimTurnSql } from '../sql/turn.ts';
import { dayMs, finerThan, floorTo, type Grain, hourMs, weekMs } from '../usage/usage-grains.ts';

const states = table('usage_rollup', {
  /** Hours before this are summed. */
  hourUntilMs: integer,
  dayUntilMs: integer,
  weekUntilMs: integer,
  /** Rows before this were removed; their sums stay. */
  retainedFromMs: integer,
});
export type RollupState = RowIn<typeof states>;

export const untilColumns = {
  [hourMs]: 'hour_until_ms',
  [dayMs]: 'day_until_ms',
  [weekMs]: 'week_until_ms',
} as const satisfies Record<Grain, string>;

const readState = statement(`SELECT ${states.list} FROM usage_rollup WHERE id = 1`);

export const rollupState = read(function* (): Steps<RollupState> {
  return states.read((yield step(readState))[0] ?? []);
});

const claim = statement(claimTurnSql('usage_rollup'));

/** True for one of several replicas at a time; where it dies, the next one claims. Two at once would only repeat the work. */
export const claimRollup = single(function* (nowMs: number, nextMs: number): Steps<boolean> {
  return (yield step(claim, nowMs, nextMs)).length > 0;
});

const ahead = statement(
  `SELECT id FROM usage_rollup WHERE id = 1
   AND (hour_until_ms > $1 OR day_until_ms > $1 OR week_until_ms > $1 OR retained_from_ms > $1)`,
);
const markHoursWithRows = statement(
  `INSERT INTO usage_marks (grain_ms, start_ms, mark)
   SELECT DISTINCT ${hourMs}, at_ms - at_ms % ${hourMs}, CAST($2 AS TEXT) FROM usage_rows WHERE at_ms < $1`,
);
const least = (column: string, place: number): string =>
  `${column} = CASE WHEN ${column} > $${place} THEN $${place} ELSE ${column} END`;
const bringBackUntil = statement(
  `UPDATE usage_rollup SET ${least('hour_until_ms', 1)}, ${least('day_until_ms', 2)}, ${least('week_until_ms', 3)},
     retained_from_ms = CASE WHEN retained_from_ms > $1
       THEN COALESCE((SELECT MIN(at_ms - at_ms % ${hourMs}) FROM usage_rows WHERE at_ms < $1), $1)
       ELSE retained_from_ms END
   WHERE id = 1`,
);

/**
 * What was summed and removed up to a time that has not come was done by a wrong clock: from now on it is as of now, and every hour
 * that still has rows is summed again. True where that was so.
 */
export const bringBackRollup = transaction(function* (nowMs: number): Steps<boolean> {
  if ((yield step(ahead, nowMs)).length === 0) return false;
  const untilMs = [hourMs, dayMs, weekMs].map((grain) => floorTo(grain as Grain, nowMs));
  yield step(markHoursWithRows, untilMs[0] ?? 0, crypto.randomUUID());
  yield step(bringBackUntil, ...untilMs);
  return true;
});

const firstRow = statement('SELECT MIN(at_ms) FROM usage_rows WHERE at_ms >= $1 AND at_ms < $2');
const firstCell = statementsBy(
  (grain: Grain) =>
    `SELECT MIN(start_ms) FROM usage_cells WHERE view = 'all' AND grain_ms = ${grain} AND start_ms >= $1 AND start_ms < $2`,
);

/** The first period from `fromMs` on that holds anything; null where there is none before `toMs`. */
export const nextPeriod = read(function* (grain: Grain, fromMs: number, toMs: number): Steps<number | null> {
  const finer = finerThan(grain);
  const found = (yield step(finer === undefined ? firstRow : firstCell(finer), fromMs, toMs))[0]?.[0] ?? null;
  return found === null ? null : floorTo(grain, asNumber(found));
}, 'after-journal');

const skip = statementsBy(
  (grain: Grain) => `UPDATE usage_rollup SET ${untilColumns[grain]} = $2 WHERE id = 1 AND ${untilColumns[grain]} = $1`,
);

/** Periods without anything need no cells. */
export const skipPeriods = single(function* (grain: Grain, fromMs: number, toMs: number): Steps<null> {
  yield step(skip(grain), fromMs, toMs);
  return null;
});

const marked = statement(
  `SELECT DISTINCT start_ms FROM usage_marks WHERE grain_ms = $1 AND start_ms >= $2 AND start_ms < $3
   ORDER BY start_ms LIMIT $4`,
);

export const markedPeriods = read(function* (
  grain: Grain,
  fromMs: number,
  untilMs: number,
  limit: number,
): Steps<readonly number[]> {
  return (yield step(marked, grain, fromMs, untilMs, limit)).map((row) => asNumber(row[0]));
});

const dropMarks = statement(`DELETE FROM usage_marks WHERE grain_ms = ${hourMs} AND start_ms < $1`);

/** Rows that arrive for an hour whose rows were removed cannot be summed any more. */
export const dropOldMarks = single(function* (beforeMs: number): Steps<null> {
  yield step(dropMarks, beforeMs);
  return null;
});

/** Only rows that are summed, and summed again where they were marked, may be removed. */
const retain = statement(
  `UPDATE usage_rollup SET retained_from_ms = $1 WHERE id = 1 AND retained_from_ms < $1 AND hour_until_ms >= $1
   AND NOT EXISTS (SELECT 1 FROM usage_marks WHERE grain_ms = ${hourMs} AND start_ms < $1)`,
);
const removeRows = statement(
  `DELETE FROM usage_rows WHERE request_id IN (
     SELECT request_id FROM usage_rows WHERE at_ms < (SELECT retained_from_ms FROM usage_rollup WHERE id = 1)
     ORDER BY at_ms, request_id LIMIT $1)
   RETURNING 1`,
);

/** From now on nothing sums hours before this again, so that their rows can be removed bit by bit. */
export const retainFrom = single(function* (fromMs: number): Steps<null> {
  yield step(retain, fromMs);
  return null;
});

const lastBeyond = statement(
  `SELECT MAX(start_ms) FROM (
     SELECT start_ms, SUM(SUM(requests)) OVER (ORDER BY start_ms DESC) AS rows_since FROM usage_cells
     WHERE view = 'all' AND grain_ms = ${hourMs} AND start_ms >= (SELECT retained_from_ms FROM usage_rollup WHERE id = 1)
     GROUP BY start_ms) AS hours
   WHERE rows_since > $1`,
);

/** Of the hours that are summed: the newest one with which there are more rows than that; null where there are not. */
export const lastHourBeyond = longRead(function* (rowsMax: number): Steps<number | null> {
  const found = (yield step(lastBeyond, rowsMax))[0]?.[0] ?? null;
  return found === null ? null : asNumber(found);
});

/** Returns how many were removed. */
export const removeOldRows = single(function* (limit: number): Steps<number> {
  return (yield step(removeRows, limit)).length;
});

const attemptsUpTo = statement('SELECT id FROM attempt_rows WHERE id > $1 ORDER BY id LIMIT $2');
const removeAttempts = statement(
  `DELETE FROM attempt_rows WHERE id > $1 AND id <= $2 AND state = 'settled'
     AND at_ms < (SELECT retained_from_ms FROM usage_rollup WHERE id = 1)
   RETURNING 1`,
);

/**
 * Walks the attempts in the order of their key, so that removing them needs no index that every request would pay for. Returns
 * how many were removed and where to continue; null where that was the end.
 */
export const removeOldAttempts = transaction(function* (
  afterId: string,
  limit: number,
): Steps<{ readonly removed: number; readonly nextId: string | null }> {
  const page = yield step(attemptsUpTo, afterId, limit);
  const last = page.at(-1);
  if (last === undefined) return { removed: 0, nextId: null };
  const lastId = asText(last[0]);
  const removed = (yield step(removeAttempts, afterId, lastId)).length;
  return { removed, nextId: page.length < limit ? null : lastId };
});

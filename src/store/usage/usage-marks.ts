/** Marks on hours whose usage rows changed after they may have been summed, so that they are summed again. */

import { type SqlValue, type Steps, statement, statementsBy, step } from '../sql/statement.ts';
import { hourMs } from './usage-grains.ts';

/**
 * A row that is written later than this after its request began is late. Hours are summed a good while after their rows
 * stopped being in time (`sealLagMs`), so what is not late needs no mark, and almost no request pays for one.
 */
const lateAfterMs = 15 * 60_000;
/** Also covers transactions in flight and clocks of replicas that differ. */
export const sealLagMs = lateAfterMs + 5 * 60_000;

const addMarks = statementsBy(
  (size: number) =>
    `INSERT INTO usage_marks (grain_ms, start_ms, mark) VALUES ${Array.from(
      { length: size },
      (_, at) => `(${hourMs}, $${2 * at + 1}, $${2 * at + 2})`,
    ).join(', ')}`,
);
const markStored = statement(
  `INSERT INTO usage_marks (grain_ms, start_ms, mark)
   SELECT ${hourMs}, at_ms - at_ms % ${hourMs}, CAST($2 AS TEXT) FROM usage_rows WHERE request_id = $1`,
);
const marksPerStatement = 64;

/** One clock for the process, as it lives by it: rows are written by queries that are values, in many places. */
let timeMs: () => number = Date.now;

/** Replicas of one database live by its clock. A thread without this call uses the machine's. */
export function judgeLatenessBy(wallMs: () => number): void {
  timeMs = wallMs;
}

/** Marks the hours of those rows that are late: a mark too many costs nothing but a sum. */
export function* markLate(times: Iterable<number>): Steps<void> {
  const late = lateHours(times, timeMs());
  for (let from = 0; from < late.length; from += marksPerStatement) {
    const hours = late.slice(from, from + marksPerStatement);
    const values = hours.flatMap((hour): SqlValue[] => [hour, crypto.randomUUID()]);
    yield { statement: addMarks(hours.length), values };
  }
}

/** Is a row that is written now late? */
export const isLate = (atMs: number): boolean => atMs < timeMs() - lateAfterMs;

function lateHours(times: Iterable<number>, nowMs: number): readonly number[] {
  let hours: Set<number> | undefined;
  for (const atMs of times) {
    if (atMs >= nowMs - lateAfterMs) continue;
    hours ??= new Set();
    hours.add(Math.floor(atMs / hourMs) * hourMs);
  }
  return hours === undefined ? [] : [...hours];
}

/** Marks the hour of a request's stored row; nothing happens where it has none. */
export function* markStoredRow(requestId: string): Steps<void> {
  yield step(markStored, requestId, crypto.randomUUID());
}

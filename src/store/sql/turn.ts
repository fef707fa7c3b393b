/** Work that one of several processes does at a time: a row says when it is due, and who finds it due moves it on. */

/** Beyond the time that a turn is moved to, so much is not unusual; more was written by a clock that was wrong, and is taken back. */
const slackMs = 10 * 60_000;

/** `$1` is now, `$2` the next time. `furthest` is how much later than that the work may rightly be due. */
export function turnIsOurs(furthest = String(slackMs)): string {
  return `(due_at_ms <= $1 OR due_at_ms > $2 + ${furthest})`;
}

export const claimTurnSql = (table: string): string =>
  `UPDATE ${table} SET due_at_ms = $2 WHERE id = 1 AND ${turnIsOurs()} RETURNING id`;

/** What the database says about the time of day, and the time of the newest request. */

import { read } from './query.ts';
import { asNumber, asNumberOrNull, type Steps, statement, step } from './statement.ts';

const readClock = statement('SELECT now_ms FROM database_clock');
const readNewest = statement('SELECT MAX(at_ms) FROM usage_rows');

export const databaseClock = read(function* (): Steps<number> {
  return asNumber((yield step(readClock))[0]?.[0]);
});

export const newestRow = read(function* (): Steps<number | null> {
  return asNumberOrNull((yield step(readNewest))[0]?.[0]);
});

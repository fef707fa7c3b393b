/** What the database says about the time of day. */

import type { Driver } from '../sql/driver.ts';
import { read } from '../sql/query.ts';
import { asNumber, asNumberOrNull, type Steps, statement, step } from '../sql/statement.ts';

const readClock = statement('SELECT now_ms FROM database_clock');
const readNewest = statement('SELECT MAX(at_ms) FROM usage_rows');

const databaseClock = read(function* (): Steps<number> {
  return asNumber((yield step(readClock))[0]?.[0]);
});

const newestRow = read(function* (): Steps<number | null> {
  return asNumberOrNull((yield step(readNewest))[0]?.[0]);
});

export interface ClockReadings {
  /** Absent where the database has no other clock than this machine's. */
  readonly readDatabase: (() => Promise<number>) | undefined;
  newestRecordMs(): Promise<number | undefined>;
}

export function clockReadings(driver: Driver): ClockReadings {
  return {
    readDatabase: driver.engine === 'postgres' ? () => driver.run(databaseClock) : undefined,
    newestRecordMs: async () => (await driver.run(newestRow)) ?? undefined,
  };
}

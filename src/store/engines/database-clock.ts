/** The database's clock, where it is another one than this machine's. */

import { databaseClock, newestRow } from '../sql/clock-queries.ts';
import type { Driver } from '../sql/driver.ts';

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

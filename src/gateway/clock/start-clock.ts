/** The clock by which this process lives, and the list of what is wrong with it, before anything else is built. */

import { Conditions } from '../../observe/conditions.ts';
import { clockReadings } from '../../store/engines/database-clock.ts';
import type { Driver } from '../../store/sql/driver.ts';
import { judgeLatenessBy } from '../../store/usage/usage-marks.ts';
import { WallClock } from './wall-clock.ts';

interface StartedClock {
  readonly clock: WallClock;
  readonly conditions: Conditions;
}

export async function startClock(driver: Driver): Promise<StartedClock> {
  const conditions = new Conditions();
  const clock = new WallClock({ ...clockReadings(driver), conditions });
  await clock.start();
  judgeLatenessBy(clock.wallMs);
  return { clock, conditions };
}

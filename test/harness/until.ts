/** Waiting for a condition instead of a time: the suites' only clock is a bound after which the condition is a failure. */

import { fairNowMs } from './fair-clock.ts';

export async function until(
  condition: () => boolean | Promise<boolean>,
  boundMs = 10_000,
  what = 'the condition',
): Promise<void> {
  const deadline = fairNowMs() + boundMs;
  while (!(await condition())) {
    if (fairNowMs() > deadline) throw new Error(`${what} did not come true within ${boundMs} ms`);
    await Bun.sleep(20);
  }
}

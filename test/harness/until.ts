/** Waits for a condition instead of a time: the bound is only how long the condition may fail to come true before the test does. */

/** On a busy machine everything takes longer; a shorter bound would judge the machine. */
const boundMsMin = 240_000;
const pauseMsMin = 20;
const pauseMsMax = 500;
const pauseMsAfterLong = 100;

export async function until(
  condition: () => boolean | Promise<boolean>,
  boundMs = boundMsMin,
  what = 'the condition',
): Promise<void> {
  const beganMs = performance.now();
  const deadlineMs = beganMs + Math.max(boundMs, boundMsMin);
  for (;;) {
    const startedMs = performance.now();
    if (await condition()) return;
    const nowMs = performance.now();
    if (nowMs > deadlineMs) throw new Error(`${what} did not come true within ${boundMs} ms`);
    // An expensive condition is evaluated less often, so that waiting takes no time from what it waits for; so is one
    // that has not come true for seconds.
    const longMs = Math.min((nowMs - beganMs) / 20, pauseMsAfterLong);
    await Bun.sleep(Math.min(Math.max(pauseMsMin, 4 * (nowMs - startedMs), longMs), pauseMsMax));
  }
}

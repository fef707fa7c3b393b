/** Waits for a condition instead of a time: the bound is only how long the condition may fail to come true before the test does. */

/** On a busy machine everything takes longer; a shorter bound would judge the machine. */
const boundMsMin = 60_000;

export async function until(
  condition: () => boolean | Promise<boolean>,
  boundMs = boundMsMin,
  what = 'the condition',
): Promise<void> {
  const deadlineMs = performance.now() + Math.max(boundMs, boundMsMin);
  while (!(await condition())) {
    if (performance.now() > deadlineMs) throw new Error(`${what} did not come true within ${boundMs} ms`);
    await Bun.sleep(20);
  }
}

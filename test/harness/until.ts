/** Waiting for a condition instead of a time: the suites' only clock is a bound after which the condition is a failure. */

export async function until(
  condition: () => boolean | Promise<boolean>,
  boundMs = 10_000,
  what = 'the condition',
): Promise<void> {
  const deadline = performance.now() + boundMs;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`${what} did not come true within ${boundMs} ms`);
    await Bun.sleep(20);
  }
}

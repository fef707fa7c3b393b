/**
 * Requests a garbage collection when memory has grown and then stays level: without allocations the runtime would not
 * collect.
 */

const everyMs = 1_000;
const growthFactor = 1.5;
const bytesMin = 160 * 1024 * 1024;

/** Returns a function that stops it. */
export function tidyMemory(): () => void {
  let settledBytes = bytesMin / growthFactor;
  const timer = setInterval(() => {
    const bytes = process.memoryUsage.rss();
    if (bytes < bytesMin || bytes < settledBytes * growthFactor) return;
    Bun.gc(false);
    settledBytes = process.memoryUsage.rss();
  }, everyMs);
  timer.unref();
  return () => clearInterval(timer);
}

/** Asks for a collection when memory has grown and then stands still: without new allocations the runtime would never look. */

const everyMs = 1_000;
const growthFactor = 1.5;
const bytesMin = 160 * 1024 * 1024;

/** Returns what stops it. */
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

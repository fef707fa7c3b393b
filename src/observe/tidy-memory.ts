/**
 * Requests a garbage collection when memory has grown and then stays level: without allocations the runtime would not
 * collect.
 */

const everyMs = 1_000;
const growthFactor = 1.5;
const bytesMin = 160 * 1024 * 1024;

/** 0 where it cannot be read: a process that has no file descriptor left cannot ask for it. */
function residentBytes(): number {
  try {
    return process.memoryUsage.rss();
  } catch {
    return 0;
  }
}

/** Returns a function that stops it. */
export function tidyMemory(): () => void {
  let settledBytes = bytesMin / growthFactor;
  const timer = setInterval(() => {
    const bytes = residentBytes();
    if (bytes < bytesMin || bytes < settledBytes * growthFactor) return;
    Bun.gc(false);
    settledBytes = residentBytes();
  }, everyMs);
  timer.unref();
  return () => clearInterval(timer);
}

/** The limits of one worker over a table of the machine in this process; what they say to each other passes as JSON. */

import type { MachineLimits, WorkerLimits } from '../../src/access/limit-table.ts';
import { createWorkerLimiter } from '../../src/workers/worker-limits.ts';

export function workerLimiter(table: MachineLimits, nowMs: () => number) {
  const limits: WorkerLimits = table.of(crypto.randomUUID());
  let calls = 0;
  const limiter = createWorkerLimiter(async (name, ...values) => {
    calls += 1;
    const method = limits[name] as (...values: unknown[]) => unknown;
    return JSON.parse(JSON.stringify(method(...(JSON.parse(JSON.stringify(values)) as unknown[])) ?? null));
  }, nowMs);
  return Object.assign(limiter, { calls: () => calls });
}

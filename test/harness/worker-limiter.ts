/** The limits of one worker over a table of the machine in this process; what they say to each other passes as JSON. */

import type { Sleep } from '../../src/access/ahead-table.ts';
import type { MachineLimits, WorkerLimits } from '../../src/access/limit-table.ts';
import { createWorkerLimiter } from '../../src/workers/worker-limits.ts';

export function workerLimiter(table: MachineLimits, nowMs: () => number, sleep?: Sleep) {
  const limits: WorkerLimits = table.of(crypto.randomUUID());
  let calls = 0;
  const ask: Parameters<typeof createWorkerLimiter>[0] = async (name, ...values) => {
    calls += 1;
    const method = limits[name] as (...values: unknown[]) => unknown;
    return JSON.parse(JSON.stringify(method(...(JSON.parse(JSON.stringify(values)) as unknown[])) ?? null));
  };
  return Object.assign(createWorkerLimiter(ask, nowMs, sleep), { calls: () => calls });
}

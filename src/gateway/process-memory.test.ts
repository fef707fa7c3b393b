/** While memory is short, what waits for a client waits less. */

import { expect, test } from 'bun:test';
import type { MemoryGuard } from '../http/memory/memory-guard.ts';
import type { ClocksConfig } from '../settings/config.ts';
import { clocksWithin } from './process-memory.ts';

test('clients that do not read are waited for two seconds, and none that left is read on for, while memory is short', () => {
  const guard = { isShort: false };
  const given = { clientStallTimeoutMs: 30_000, readOnMs: 5_000, idleTimeoutMs: 60_000 };
  const clocks = clocksWithin({ guard: guard as MemoryGuard }, given as ClocksConfig);
  const seen = () => [clocks.clientStallTimeoutMs, clocks.readOnMs, clocks.idleTimeoutMs];
  expect(seen()).toEqual([30_000, 5_000, 60_000]);
  guard.isShort = true;
  expect(seen()).toEqual([2_000, 0, 60_000]);
  // A setting that changes while Weir runs.
  given.clientStallTimeoutMs = 1_000;
  expect(seen()).toEqual([1_000, 0, 60_000]);
  guard.isShort = false;
  given.readOnMs = 7_000;
  expect(seen()).toEqual([1_000, 7_000, 60_000]);
});

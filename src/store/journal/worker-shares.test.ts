/** A worker's share of a budget whose limit changes while an answer is on its way. */

import { expect, test } from 'bun:test';
import type { Amounts } from '../attempts/amounts.ts';
import type { ScopeRow } from '../attempts/scope-rows.ts';
import { BudgetMemory } from './budget-memory.ts';
import type { ShareReport } from './share-report.ts';
import { WorkerShares } from './worker-shares.ts';

const rowsOf = (limit: number): readonly ScopeRow[] => [
  { scope: 'token:t', unit: 'usd', windowStartMs: 0, limit, place: 0 },
];
const usd = (amount: number): Amounts => ({ usd: BigInt(amount), requests: 1n, tokens: 0n });

test('what was given under the old limit is no room under the new one, and is given back', async () => {
  let answer = Promise.resolve();
  const memory = new BudgetMemory({
    flush: () => Promise.resolve(),
    read: () => Promise.resolve({ spentNano: 10_000, heldNano: 0, generations: [] }),
    recall: (_journal, windows) => shares.giveBack(windows),
  });
  const shares = new WorkerShares({
    journal: 2,
    generation: () => 1,
    async send(report) {
      const grants = memory.report(JSON.parse(JSON.stringify(report)) as ShareReport, true);
      await answer;
      return grants;
    },
  });
  const [old, low] = [rowsOf(1_000_000), rowsOf(500)];
  await memory.load(old);
  expect(shares.admits(old, usd(100))).toBe(false);
  shares.report();
  await Bun.sleep(0);
  expect(shares.admits(old, usd(100))).toBe(true);
  const held = shares.hold(old, usd(400));
  shares.admits(old, usd(5_000));
  const late = Promise.withResolvers<void>();
  answer = late.promise;
  shares.report();
  expect(shares.admits(low, usd(100))).toBe(false);
  // The closing of a request that was admitted under the old limit changes nothing.
  shares.settle(held, usd(400));
  late.resolve();
  await Bun.sleep(0);
  expect(shares.admits(low, usd(100))).toBe(false);
  shares.report();
  expect(memory.isShared(old)).toBe(false);
  shares.close();
});

/** Random operations on the ledger beside a model that is too simple to be wrong: after each step both have equal balances. */

import { expect } from 'bun:test';
import type { AttemptOpening, BudgetScope } from '../../src/ledger/ledger.ts';
import { openLedger } from '../../src/ledger/open-ledger.ts';
import { windowStartMs } from '../../src/ledger/window.ts';
import { needing } from '../harness/needs.ts';
import { sized } from '../harness/size.ts';
import { anOpening, checkMoney, engines, type StorePlace } from '../harness/store-places.ts';

/** A small generator with a seed, so that a failure can be run again. */
function random(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

interface ModelAttempt {
  readonly opening: AttemptOpening;
  checkpointNano: bigint | undefined;
  open: boolean;
  /** What a sweeper charged, as long as no closing corrected it. */
  sweptNano: bigint | undefined;
}

/** Balances in a map, no transactions, no concurrency. */
function makeModel() {
  const balances = new Map<string, { spent: bigint; held: bigint }>();
  const attempts: ModelAttempt[] = [];
  const balanceOf = ({ scope, windowStartMs: start }: BudgetScope) => {
    const key = `${scope}@${start}`;
    const balance = balances.get(key) ?? { spent: 0n, held: 0n };
    balances.set(key, balance);
    return balance;
  };
  return {
    attempts,
    balances,
    open(opening: AttemptOpening): boolean {
      const fits = opening.scopes.every((scope) => {
        const { spent, held } = balanceOf(scope);
        return spent + held + opening.reserveNano <= scope.limitNano;
      });
      if (!fits) return false;
      for (const scope of opening.scopes) balanceOf(scope).held += opening.reserveNano;
      attempts.push({ opening, checkpointNano: undefined, open: true, sweptNano: undefined });
      return true;
    },
    close(attempt: ModelAttempt, costNano: bigint): void {
      const { open, sweptNano, opening } = attempt;
      if (!open && sweptNano === undefined) return;
      attempt.open = false;
      attempt.sweptNano = undefined;
      for (const scope of opening.scopes) {
        if (open) balanceOf(scope).held -= opening.reserveNano;
        balanceOf(scope).spent += costNano - (sweptNano ?? 0n);
      }
    },
    sweep(attempt: ModelAttempt): void {
      if (!attempt.open) return;
      const costNano = attempt.checkpointNano ?? attempt.opening.estimateNano;
      this.close(attempt, costNano);
      attempt.sweptNano = costNano;
    },
  };
}

const day = 86_400_000;

async function runModel(place: StorePlace, seed: number, operations: number): Promise<void> {
  const below = random(seed);
  let now = 100 * day;
  const store = await place.open(() => now);
  const never = 2_000_000_000;
  const ledger = openLedger({ store, nowMs: () => now, heartbeatMs: never, sweepMs: never, checkpointMs: never });
  await ledger.start();
  const model = makeModel();
  let sweeps = 0;
  const limits = [50_000n, 200_000n, 1_000_000n];

  const pick = (): ModelAttempt | undefined => model.attempts[below(Math.max(1, model.attempts.length))];

  const randomScopes = (): BudgetScope[] =>
    limits.flatMap((limitNano, index) => {
      if (below(3) === 0) return [];
      const start = index === 2 ? 0 : windowStartMs(index === 0 ? 'day' : 'week', now);
      return [{ scope: `scope:${index}`, limitNano, windowStartMs: start }];
    });

  async function step(): Promise<void> {
    const kind = below(100);
    if (kind < 45) {
      const reserveNano = BigInt(below(4_000));
      const opening = anOpening({ scopes: randomScopes(), reserveNano, estimateNano: reserveNano / 2n, atMs: now });
      const verdict = await ledger.open(opening);
      expect(verdict.admitted).toBe(model.open(opening));
    } else if (kind < 85) {
      // Any attempt, also one that has ended: repeating a closing is one of the operations.
      const attempt = pick();
      if (attempt === undefined) return;
      const cost = BigInt(below(Number(attempt.opening.reserveNano) + 1));
      await ledger.close({ attemptId: attempt.opening.attemptId, costNano: cost, estimated: false, atMs: now });
      model.close(attempt, cost);
    } else if (kind < 93) {
      const attempt = pick();
      if (attempt === undefined || !attempt.open) return;
      attempt.checkpointNano = BigInt(below(1_000));
      ledger.checkpoint(attempt.opening.attemptId, attempt.checkpointNano);
      await ledger.flush();
    } else if (kind < 96) {
      limits[below(3)] = BigInt(below(1_500_000));
    } else if (kind < 98) {
      now += below(2 * day);
    } else if (kind === 99 && below(8) === 0) {
      await store.attempts.sweep(store.instanceId, now);
      for (const attempt of model.attempts) model.sweep(attempt);
      sweeps += 1;
    }
  }

  async function compare(): Promise<void> {
    for (const [key, balance] of model.balances) {
      const at = key.lastIndexOf('@');
      const { spentNano, heldNano } = await store.budgets.read(key.slice(0, at), Number(key.slice(at + 1)));
      expect({ key, spent: spentNano, held: heldNano }).toEqual({ key, ...balance });
    }
  }

  for (let done = 0; done < operations; done += 1) {
    await step();
    if (done % 500 === 0) await compare();
  }
  await compare();
  expect(model.attempts.length).toBeGreaterThan(operations / 10);
  expect(sweeps).toBeGreaterThan(0);
  expect((await checkMoney(place)).differing).toEqual([]);
  await ledger.stop();
}

const sizes = { sqlite: sized(3_000, 12_000), postgres: sized(600, 1_000) };

for (const engine of engines) {
  const { test } = needing(engine.name);
  test(`${sizes[engine.name]} random operations leave equal balances on ${engine.name}`, async () => {
    const place = await engine.place();
    try {
      await runModel(place, 20_261_115, sizes[engine.name]);
    } finally {
      await place.dispose();
    }
  }, 300_000);
}

/** Random operations on the ledger beside a model that is too simple to be wrong: after each step both have equal balances. */

import { expect } from 'bun:test';
import type { BudgetPeriod } from '../../src/access/caller.ts';
import { type BudgetUnit, budgetUnits } from '../../src/access/organization.ts';
import type { AttemptClosing, AttemptOpening, BudgetScope, OpeningVerdict } from '../../src/ledger/ledger.ts';
import { openLedger } from '../../src/ledger/open-ledger.ts';
import { windowStartMs } from '../../src/ledger/window.ts';
import { chargedIn, lostIn, refusingScope, reservedIn } from '../harness/budget-amounts.ts';
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
    open(opening: AttemptOpening): OpeningVerdict {
      const refusing = refusingScope(opening, (scope) => balanceOf(scope).spent + balanceOf(scope).held);
      if (refusing !== undefined) return { admitted: false, scope: refusing };
      for (const scope of opening.scopes) balanceOf(scope).held += reservedIn(scope.unit, opening);
      attempts.push({ opening, checkpointNano: undefined, open: true, sweptNano: undefined });
      return { admitted: true };
    },
    close(attempt: ModelAttempt, closing: AttemptClosing): void {
      const { open, sweptNano, opening } = attempt;
      if (!open && sweptNano === undefined) return;
      attempt.open = false;
      attempt.sweptNano = undefined;
      for (const scope of opening.scopes) {
        if (open) balanceOf(scope).held -= reservedIn(scope.unit, opening);
        balanceOf(scope).spent += chargedIn(scope.unit, opening, closing);
        if (sweptNano !== undefined) balanceOf(scope).spent -= lostIn(scope.unit, opening, sweptNano);
      }
    },
    sweep(attempt: ModelAttempt): void {
      if (!attempt.open) return;
      const { opening } = attempt;
      attempt.open = false;
      attempt.sweptNano = attempt.checkpointNano ?? opening.estimateNano;
      for (const scope of opening.scopes) {
        balanceOf(scope).held -= reservedIn(scope.unit, opening);
        balanceOf(scope).spent += lostIn(scope.unit, opening, attempt.sweptNano);
      }
    },
  };
}

const day = 86_400_000;

/** The scopes of the levels in the order in which they are checked, which is not the order of their names. */
const levels: readonly { scope: string; unit: BudgetUnit; period: BudgetPeriod; limitsBelow: number }[] = [
  { scope: 'team:t#day', unit: 'usd', period: 'day', limitsBelow: 60_000 },
  { scope: 'project:p#week', unit: 'tokens', period: 'week', limitsBelow: 12_000 },
  { scope: 'org:org#total', unit: 'usd', period: 'total', limitsBelow: 900_000 },
  { scope: 'token:x', unit: 'usd', period: 'week', limitsBelow: 200_000 },
  { scope: 'person:a#day', unit: 'requests', period: 'day', limitsBelow: 30 },
];
const verdicts = ['', '', '', 'refused', 'uncertain', 'unused'];

async function runModel(place: StorePlace, seed: number, operations: number): Promise<void> {
  const below = random(seed);
  let now = 100 * day;
  const store = await place.open(() => now);
  const never = 2_000_000_000;
  const ledger = openLedger({ store, nowMs: () => now, heartbeatMs: never, sweepMs: never, checkpointMs: never });
  await ledger.start();
  const model = makeModel();
  let sweeps = 0;
  const limits = levels.map(({ limitsBelow }) => BigInt(limitsBelow) / 3n);
  const refusing = new Set<string>();

  const pick = (): ModelAttempt | undefined => model.attempts[below(Math.max(1, model.attempts.length))];

  const randomScopes = (): BudgetScope[] =>
    levels.flatMap(({ scope, unit, period }, index) => {
      if (below(3) === 0) return [];
      return [{ scope, unit, limit: limits[index] ?? 0n, windowStartMs: windowStartMs(period, now) }];
    });

  const randomClosing = ({ opening }: ModelAttempt): AttemptClosing => ({
    attemptId: opening.attemptId,
    costNano: below(4) === 0 ? 0n : BigInt(below(Number(opening.reserveNano) + 1)),
    estimated: false,
    atMs: now,
    verdict: verdicts[below(verdicts.length)],
    // Some used more than was reserved.
    ...(below(3) > 0 && { tokens: below(opening.reserveTokens + 20) }),
  });

  async function step(): Promise<void> {
    const kind = below(100);
    if (kind < 45) {
      const reserveNano = BigInt(below(4_000));
      const reserve = { reserveNano, estimateNano: reserveNano / 2n, reserveTokens: below(300) };
      const opening = anOpening({ scopes: randomScopes(), ...reserve, atMs: now });
      const verdict = await ledger.open(opening);
      expect(verdict).toEqual(model.open(opening));
      if (!verdict.admitted) refusing.add(verdict.scope);
    } else if (kind < 85) {
      // Any attempt, also one that has ended: repeating a closing is one of the operations.
      const attempt = pick();
      if (attempt === undefined) return;
      const closing = randomClosing(attempt);
      await ledger.close(closing);
      model.close(attempt, closing);
    } else if (kind < 93) {
      const attempt = pick();
      if (attempt === undefined || !attempt.open) return;
      attempt.checkpointNano = BigInt(below(1_000));
      ledger.checkpoint(attempt.opening.attemptId, attempt.checkpointNano);
      await ledger.flush();
    } else if (kind < 96) {
      const index = below(levels.length);
      limits[index] = BigInt(below(levels[index]?.limitsBelow ?? 1));
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
  const units = levels.filter(({ scope }) => refusing.has(scope)).map(({ unit }) => unit);
  expect(new Set(units)).toEqual(new Set(budgetUnits));
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

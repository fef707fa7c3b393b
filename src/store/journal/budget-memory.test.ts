import { describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ScopeRow } from '../attempts/attempt-table.ts';
import { BudgetMemory } from './budget-memory.ts';

const scope = (limitNano: number, name = 'token:t'): ScopeRow => ({ scope: name, limitNano, windowStartMs: 0 });

/** Tables whose reading the test can delay. */
function memory(stored = { spentNano: 0, heldNano: 0 }) {
  const tables = { ...stored, generation: 1 };
  const state = { generation: 2, reads: 0, hold: Promise.resolve() };
  const budgets = new BudgetMemory({
    generation: () => state.generation,
    flush: () => Promise.resolve(),
    async read() {
      state.reads += 1;
      await state.hold;
      return { ...tables };
    },
  });
  return { budgets, tables, state };
}

describe('decisions', () => {
  test('not before the window is known, and then exactly to the limit', async () => {
    const { budgets } = memory({ spentNano: 400, heldNano: 100 });
    expect(budgets.decide([scope(1_000)], 500n)).toBeUndefined();
    await budgets.load([scope(1_000)]);
    expect(budgets.decide([scope(1_000)], 501n)).toBe('token:t');
    expect(budgets.decide([scope(1_000)], 500n)).toBeNull();
    const held = budgets.hold([scope(1_000)], 500n);
    expect(budgets.decide([scope(1_000)], 1n)).toBe('token:t');
    budgets.settle(held, 450n);
    expect(budgets.decide([scope(1_000)], 50n)).toBeNull();
    expect(budgets.decide([scope(1_000)], 51n)).toBe('token:t');
  });

  test('the first budget without room is named, and all must be known', async () => {
    const { budgets } = memory();
    await budgets.load([scope(10), scope(10, 'user:u')]);
    expect(budgets.decide([scope(10), scope(5, 'user:u')], 6n)).toBe('user:u');
    expect(budgets.decide([scope(10), scope(10, 'user:other')], 6n)).toBeUndefined();
  });

  test('one reading for all who wait', async () => {
    const { budgets, state } = memory();
    await Promise.all(Array.from({ length: 20 }, () => budgets.load([scope(10)])));
    expect(state.reads).toBe(1);
  });
});

describe('while a window is read', () => {
  test('what was recorded meanwhile counts once, whether the figures include it or not', async () => {
    for (const included of [true, false]) {
      const { budgets, tables, state } = memory({ spentNano: 0, heldNano: 300 });
      const { promise, resolve } = Promise.withResolvers<void>();
      state.hold = promise;
      const loading = budgets.load([scope(1_000)]);
      // The closing of an attempt that was opened before.
      budgets.settle({ keys: ['0 token:t'], reserveNano: 300n }, 200n);
      if (included) Object.assign(tables, { spentNano: 200, heldNano: 0, generation: 2 });
      resolve();
      await loading;
      expect(budgets.decide([scope(1_000)], 800n)).toBeNull();
      expect(budgets.decide([scope(1_000)], 801n)).toBe('token:t');
    }
  });

  test('it is read again where something else wrote budgets', async () => {
    const { budgets, tables, state } = memory();
    const { promise, resolve } = Promise.withResolvers<void>();
    state.hold = promise;
    const loading = budgets.load([scope(1_000)]);
    await Bun.sleep(0);
    budgets.forget();
    tables.spentNano = 900;
    resolve();
    await loading;
    expect(state.reads).toBe(2);
    expect(budgets.decide([scope(1_000)], 101n)).toBe('token:t');
  });
});

test('after something else wrote budgets, nothing is known', async () => {
  const { budgets } = memory();
  await budgets.load([scope(10)]);
  budgets.forget();
  expect(budgets.decide([scope(10)], 1n)).toBeUndefined();
});

/** `movingBudgets` of the driver must name every module whose queries write budgets. */
test('budgets are written by the queries of attempts and tasks alone', () => {
  const store = join(import.meta.dir, '..');
  const writers = readdirSync(store, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .filter((name) => {
      const text = readFileSync(join(store, name), 'utf8');
      const writes = /(INSERT INTO|UPDATE|DELETE FROM) budgets/.test(text);
      const callsWriters =
        /\b(closeAttempt|closeLostAttempt|openAttemptWithin|rechargeAttempt)\.steps\(|yield\* rechargeAttempt/;
      return writes || callsWriters.test(text);
    });
  expect(writers.sort()).toEqual([
    'attempts/attempt-queries.ts',
    // PostgreSQL alone.
    'attempts/batches/ledger-function.ts',
    // What the memory knows already.
    'journal/fold.ts',
    'tasks/task-ends.ts',
    'tasks/task-queries.ts',
  ]);
});

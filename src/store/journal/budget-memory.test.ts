import { describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BudgetUnit } from '../../access/organization.ts';
import type { Amounts } from '../attempts/amounts.ts';
import type { ScopeRow } from '../attempts/scope-rows.ts';
import { BudgetMemory } from './budget-memory.ts';

const scope = (limit: number, name = 'token:t', place = 0, unit: BudgetUnit = 'usd'): ScopeRow => ({
  ...{ scope: name, unit, limit, windowStartMs: 0, place },
});
const usd = (amount: bigint): Amounts => ({ usd: amount, requests: 1n, tokens: 0n });

/** Tables whose reading the test can delay. */
function memory(stored = { spentNano: 0, heldNano: 0 }) {
  const tables = { ...stored, generation: 1 };
  const state = { generation: 2, reads: 0, hold: Promise.resolve() };
  const budgets = new BudgetMemory({
    flush: () => Promise.resolve(),
    async read() {
      state.reads += 1;
      await state.hold;
      const { generation, ...figures } = tables;
      return { ...figures, generations: [[1, generation]] };
    },
    recall: () => Promise.resolve(),
  });
  return { budgets, tables, state };
}

describe('decisions', () => {
  test('not before the window is known, and then exactly to the limit', async () => {
    const { budgets } = memory({ spentNano: 400, heldNano: 100 });
    expect(budgets.decide([scope(1_000)], usd(500n))).toBeUndefined();
    await budgets.load([scope(1_000)]);
    expect(budgets.decide([scope(1_000)], usd(501n))).toBe('token:t');
    expect(budgets.decide([scope(1_000)], usd(500n))).toBeNull();
    const held = budgets.hold([scope(1_000)], usd(500n), 2);
    expect(budgets.decide([scope(1_000)], usd(1n))).toBe('token:t');
    budgets.settle(held, usd(450n), 2);
    expect(budgets.decide([scope(1_000)], usd(50n))).toBeNull();
    expect(budgets.decide([scope(1_000)], usd(51n))).toBe('token:t');
  });

  test('the first budget without room is named, and all must be known', async () => {
    const { budgets } = memory();
    await budgets.load([scope(10), scope(10, 'user:u')]);
    expect(budgets.decide([scope(10), scope(5, 'user:u')], usd(6n))).toBe('user:u');
    expect(budgets.decide([scope(10), scope(10, 'user:other')], usd(6n))).toBeUndefined();
  });

  test('of several without room the first in the order of the caller is named', async () => {
    const { budgets } = memory();
    const rows = [scope(5, 'org:org#b', 2), scope(5, 'team:t#b', 0), scope(9, 'token:t', 1)];
    await budgets.load(rows);
    expect(budgets.decide(rows, usd(6n))).toBe('team:t#b');
    expect(budgets.decide(rows, usd(5n))).toBeNull();
    expect(budgets.decide([scope(5, 'org:org#b', 1), scope(5, 'team:t#b', 0)], usd(6n))).toBe('team:t#b');
    expect(budgets.decide([scope(5, 'org:org#b', 0), scope(5, 'team:t#b', 1)], usd(6n))).toBe('org:org#b');
  });

  test('each budget counts in its unit', async () => {
    const { budgets } = memory();
    const rows = [
      scope(1_000, 'org:org#money', 0),
      scope(2, 'team:t#requests', 1, 'requests'),
      scope(500, 'token:t#tokens', 2, 'tokens'),
    ];
    await budgets.load(rows);
    const reserved: Amounts = { usd: 600n, requests: 1n, tokens: 200n };
    expect(budgets.decide(rows, reserved)).toBeNull();
    const first = budgets.hold(rows, reserved, 2);
    expect(budgets.decide(rows, reserved)).toBe('org:org#money');
    expect(budgets.decide(rows, { ...reserved, usd: 400n })).toBeNull();
    const second = budgets.hold(rows, { ...reserved, usd: 400n }, 2);
    expect(budgets.decide(rows, { usd: 0n, requests: 1n, tokens: 0n })).toBe('team:t#requests');
    // The first failed after some tokens: it is no request.
    budgets.settle(first, { usd: 10n, requests: 0n, tokens: 30n }, 2);
    expect(budgets.decide(rows, { usd: 590n, requests: 1n, tokens: 270n })).toBeNull();
    expect(budgets.decide(rows, { usd: 591n, requests: 1n, tokens: 271n })).toBe('org:org#money');
    expect(budgets.decide(rows, { usd: 590n, requests: 1n, tokens: 271n })).toBe('token:t#tokens');
    budgets.settle(second, { usd: 400n, requests: 1n, tokens: 470n }, 2);
    expect(budgets.decide(rows, { usd: 590n, requests: 1n, tokens: 0n })).toBeNull();
    expect(budgets.decide(rows, { usd: 590n, requests: 1n, tokens: 1n })).toBe('token:t#tokens');
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
      const window = { key: '0 token:t', scope: 'token:t', windowStartMs: 0 };
      const held = { ...window, unit: 'usd', limit: 1_000n, place: 0 } as const;
      budgets.settle({ scopes: [held], reserved: usd(300n) }, usd(200n), 2);
      if (included) Object.assign(tables, { spentNano: 200, heldNano: 0, generation: 2 });
      resolve();
      await loading;
      expect(budgets.decide([scope(1_000)], usd(800n))).toBeNull();
      expect(budgets.decide([scope(1_000)], usd(801n))).toBe('token:t');
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
    expect(budgets.decide([scope(1_000)], usd(101n))).toBe('token:t');
  });
});

test('what a worker recorded counts until all figures that are being read include it', async () => {
  const reads = new Map<string, PromiseWithResolvers<void>>();
  let folded = 0;
  const budgets = new BudgetMemory({
    flush: () => Promise.resolve(),
    async read(name) {
      // As the tables were when it was asked.
      const read = { spentNano: 0, heldNano: folded * 100, generations: [[2, folded]] as const };
      const held = Promise.withResolvers<void>();
      reads.set(name, held);
      await held.promise;
      return read;
    },
    recall: () => Promise.resolve(),
  });
  const record = (generation: number) =>
    budgets.report({ journal: 2, generation, rows: [['token:t', 0, 1_000, 0, 100, 0, 0]] }, true);
  const asked = async (name: string) => {
    const loading = budgets.load([scope(1_000, name)]);
    while (!reads.has(name)) await Bun.sleep(0);
    return loading;
  };
  record(1);
  const first = budgets.load([scope(1_000)]);
  while (!reads.has('token:t')) await Bun.sleep(0);
  // While its figures are on their way, the generation is folded, and another window is read.
  folded = 1;
  budgets.folded({ journal: 2, generation: 1 });
  const second = asked('token:other');
  while (!reads.has('token:other')) await Bun.sleep(0);
  reads.get('token:other')?.resolve();
  await second;
  reads.get('token:t')?.resolve();
  await first;
  expect(budgets.decide([scope(1_000)], usd(900n))).toBeNull();
  expect(budgets.decide([scope(1_000)], usd(901n))).toBe('token:t');
});

test('after something else wrote budgets, nothing is known', async () => {
  const { budgets } = memory();
  await budgets.load([scope(10)]);
  budgets.forget();
  expect(budgets.decide([scope(10)], usd(1n))).toBeUndefined();
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
    'attempts/recovered-attempts.ts',
    // What the memory knows already.
    'journal/fold.ts',
    'tasks/task-ends.ts',
    'tasks/task-queries.ts',
  ]);
});

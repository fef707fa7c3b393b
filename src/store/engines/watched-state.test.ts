import { expect, test } from 'bun:test';
import { runLedgerBatch } from '../attempts/batches/batch-query.ts';
import { beatInstance } from '../configuration/server-state-queries.ts';
import type { Driver } from '../sql/driver.ts';
import { type AnyQuery, single } from '../sql/query.ts';
import type { Steps } from '../sql/statement.ts';
import { claimCallbacks } from '../tasks/task-callbacks.ts';
import { dueProviders } from '../tasks/task-work.ts';
import { revision } from '../tokens/token-queries.ts';
import { watchedDriver, watchedState } from './watched-state.ts';

const write = single(function* (): Steps<null> {
  yield* [];
  return null;
});

/** A driver that counts what it is asked for. */
function counted() {
  const asked: AnyQuery[] = [];
  const state = {
    tokens: 1,
    configuration: 1,
    prices: 1,
    fleetState: 1,
    priceFetchDueMs: null,
    taskDueMs: 500,
    callbackDueMs: null,
  };
  const run = async (query: AnyQuery): Promise<unknown> => {
    asked.push(query);
    if (query === (runLedgerBatch as unknown)) return { verdicts: '', revisions: `${state.tokens} 1 1` };
    return query === (watchedState as unknown) ? { ...state } : query === (dueProviders as unknown) ? ['one'] : null;
  };
  const clock = { nowMs: 0 };
  const driver = watchedDriver({ run, engine: 'postgres' } as unknown as Driver, () => clock.nowMs);
  const count = (query: unknown): number => asked.filter((each) => each === query).length;
  return { driver, state, count, clock };
}

test('polls of all parts share one statement', async () => {
  const { driver, count } = counted();
  const answers = await Promise.all([
    driver.run(revision),
    driver.run(revision),
    driver.run(claimCallbacks, 900, 1, 1),
  ]);
  expect(answers).toEqual([1, 1, []]);
  expect(count(watchedState)).toBe(1);
  expect(count(claimCallbacks)).toBe(0);
});

test('work is looked for once it is due, and not before', async () => {
  const { driver, count } = counted();
  expect(await driver.run(dueProviders, 499)).toEqual([]);
  expect(count(dueProviders)).toBe(0);
  expect(await driver.run(dueProviders, 500)).toEqual(['one']);
  expect(count(dueProviders)).toBe(1);
});

test('an own write is seen by the next poll', async () => {
  const { driver, state, count } = counted();
  expect(await driver.run(revision)).toBe(1);
  state.tokens = 2;
  expect(await driver.run(revision)).toBe(1);
  await driver.run(write);
  expect(await driver.run(revision)).toBe(2);
  expect(count(watchedState)).toBe(2);
});

test('a batch of requests asks again only where it finds another revision', async () => {
  const { driver, state, count } = counted();
  await driver.run(runLedgerBatch, 1, 0, []);
  expect(await driver.run(revision)).toBe(1);
  await driver.run(runLedgerBatch, 1, 0, []);
  expect(await driver.run(revision)).toBe(1);
  expect(count(watchedState)).toBe(1);
  state.tokens = 2;
  await driver.run(runLedgerBatch, 1, 0, []);
  expect(await driver.run(revision)).toBe(2);
  expect(count(watchedState)).toBe(2);
});

test('a poll that failed is repeated by the next', async () => {
  let fails = true;
  const run = async (): Promise<unknown> => {
    if (fails) throw new Error('away');
    return { tokens: 3 };
  };
  const driver = watchedDriver({ run } as unknown as Driver);
  await expect(driver.run(revision)).rejects.toThrow('away');
  fails = false;
  expect(await driver.run(revision)).toBe(3);
});

test('a replica without requests asks less often, and one with them at once as often as before', async () => {
  const { driver, count, clock } = counted();
  const askFor = async (ms: number): Promise<number> => {
    const before = count(watchedState);
    for (const endMs = clock.nowMs + ms; clock.nowMs < endMs; clock.nowMs += 50) await driver.run(revision);
    return count(watchedState) - before;
  };
  await askFor(10_050);
  expect(await askFor(18_000)).toBe(10);
  await driver.run(runLedgerBatch, 1, 0, []);
  expect(await askFor(7_500)).toBe(10);
});

test('a heartbeat is no reason to ask again', async () => {
  const { driver, count } = counted();
  await driver.run(revision);
  await driver.run(beatInstance, { id: 'one', pid: 1, startedAtMs: 1, heartbeatMs: 1 });
  await driver.run(revision);
  expect(count(watchedState)).toBe(1);
});

test('what changes in the driver changes in the watched one', () => {
  const inner = { run: async () => null, isFaulted: false, held: false };
  const driver = watchedDriver({
    ...inner,
    get faulted() {
      return inner.isFaulted;
    },
    get alone() {
      return inner.held;
    },
  } as unknown as Driver);
  inner.isFaulted = true;
  inner.held = true;
  expect([driver.faulted, driver.alone]).toEqual([true, true]);
});

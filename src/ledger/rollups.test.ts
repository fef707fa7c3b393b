import { expect, test } from 'bun:test';
import type { RollupStore } from '../store/analytics-store.ts';
import { createRollups } from './rollups.ts';

const day = 86_400_000;

/** A store that has so much to sum and to remove, and writes down what it was asked. */
function scripted(toSum: number, toRemove: number) {
  const asked: string[] = [];
  let dueAtMs = 0;
  const store: RollupStore = {
    claim: async (nowMs, nextMs) => {
      if (dueAtMs > nowMs) return false;
      dueAtMs = nextMs;
      asked.push('claim');
      return true;
    },
    step: async () => {
      toSum -= 1;
      return toSum >= 0;
    },
    retainFrom: async (fromMs) => {
      asked.push(`retain ${fromMs / day}`);
    },
    removeRows: async (limit) => {
      const gone = Math.min(limit, toRemove);
      toRemove -= gone;
      return gone;
    },
  };
  return { store, asked };
}

const fail = (error: unknown): never => {
  throw error;
};

test('a pass sums all there is and removes what is too old, and the next one waits for its turn', async () => {
  const { store, asked } = scripted(7, 1_201);
  let now = 100 * day;
  const rollups = createRollups({ store, nowMs: () => now, retentionDays: 30, onFault: fail });
  expect(await rollups.pass()).toEqual({ summed: 7, removed: 1_201 });
  expect(asked).toEqual(['claim', 'retain 70', 'claim']);
  expect(await rollups.pass()).toBeUndefined();
  now += 60_000;
  expect(await rollups.pass()).toEqual({ summed: 0, removed: 0 });
});

test('without a retention no row is ever removed', async () => {
  const { store, asked } = scripted(1, 10);
  const rollups = createRollups({ store, nowMs: () => day, retentionDays: undefined, onFault: fail });
  expect(await rollups.pass()).toEqual({ summed: 1, removed: 0 });
  expect(asked).toEqual(['claim']);
});

test('a long pass keeps its appointment, and stopping ends it after the step that is under way', async () => {
  const { store, asked } = scripted(Number.POSITIVE_INFINITY, 0);
  const reached = Promise.withResolvers<void>();
  let steps = 0;
  const counted: RollupStore = {
    ...store,
    step: (nowMs) => {
      steps += 1;
      if (steps === 350) reached.resolve();
      return store.step(nowMs);
    },
  };
  const rollups = createRollups({ store: counted, nowMs: () => day, retentionDays: undefined, onFault: fail });
  rollups.start();
  await reached.promise;
  await rollups.stop();
  expect(asked.length).toBeGreaterThanOrEqual(4);
  const after = steps;
  await Promise.resolve();
  expect(steps).toBe(after);
});

test('a fault is told and does not end the passes', async () => {
  const heard = Promise.withResolvers<unknown>();
  const { store } = scripted(0, 0);
  let broken = true;
  const mended: RollupStore = {
    ...store,
    step: (nowMs) => (broken ? Promise.reject(new Error('away')) : store.step(nowMs)),
  };
  let now = 0;
  const rollups = createRollups({
    store: mended,
    nowMs: () => now,
    retentionDays: undefined,
    onFault: (error) => heard.resolve(error),
  });
  rollups.start();
  expect(await heard.promise).toEqual(new Error('away'));
  await rollups.stop();
  broken = false;
  now = 60_000;
  const next = createRollups({ store: mended, nowMs: () => now, retentionDays: undefined, onFault: fail });
  expect(await next.pass()).toEqual({ summed: 0, removed: 0 });
});

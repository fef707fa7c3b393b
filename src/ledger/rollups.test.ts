import { expect, test } from 'bun:test';
import type { RollupStore } from './ledger-store.ts';
import { createRollups } from './rollups.ts';

const day = 86_400_000;

/** A store that has so much to sum and to remove, and writes down what it was asked. */
function scripted(toSum: number, toRemove: number) {
  const asked: string[] = [];
  const pages: number[] = [];
  let dueAtMs = 0;
  const store: RollupStore = {
    claim: async (nowMs, nextMs) => {
      if (dueAtMs > nowMs) return false;
      dueAtMs = nextMs;
      asked.push('claim');
      return true;
    },
    bringBack: async () => false,
    step: async () => {
      toSum -= 1;
      return toSum >= 0;
    },
    retainFrom: async (fromMs) => {
      asked.push(`retain ${fromMs / day}`);
    },
    hourOfNewest: async (rowsMax) => {
      asked.push(`count ${rowsMax}`);
      return toRemove > rowsMax ? 90 * day : undefined;
    },
    removeRows: async (limit) => {
      const gone = Math.min(limit, toRemove);
      toRemove -= gone;
      return gone;
    },
    removeErrors: async () => 0,
    // 100,000 attempts, of which every second page has some that may go.
    removeAttempts: async (afterId, limit) => {
      const page = afterId === '' ? 0 : Number(afterId);
      pages.push(page);
      return { removed: page % 2 === 0 ? limit : 0, nextId: page === 199 ? undefined : `${page + 1}` };
    },
  };
  return { store, asked, pages };
}

const fail = (error: unknown): never => {
  throw error;
};

test('a pass sums all there is and removes what is too old, and the next one waits for its turn', async () => {
  const { store, asked } = scripted(7, 1_201);
  let now = 100 * day;
  const rollups = createRollups({ store, nowMs: () => now, retentionDays: 30, onFault: fail });
  expect(await rollups.pass()).toEqual({ summed: 7, removed: 1_201, attemptsRemoved: 20_000 });
  expect(asked).toEqual(['claim', 'retain 70']);
  expect(await rollups.pass()).toBeUndefined();
  now += 60_000;
  expect(await rollups.pass()).toMatchObject({ summed: 0, removed: 0 });
});

test('attempts are walked through pass by pass: so many idle pages in each, and from the beginning after the end', async () => {
  const { store, pages } = scripted(0, 0);
  let now = 100 * day;
  const rollups = createRollups({ store, nowMs: () => now, retentionDays: 30, onFault: fail });
  const lengths: number[] = [];
  for (let pass = 0; pass < 4; pass += 1) {
    const before = pages.length;
    await rollups.pass();
    lengths.push(pages.length - before);
    now += 60_000;
  }
  expect(lengths).toEqual([80, 80, 40, 80]);
  expect(pages.slice(0, 200)).toEqual(Array.from({ length: 200 }, (_, page) => page));
  expect(pages[200]).toBe(0);
});

test('without a retention no row is ever removed', async () => {
  const { store, asked, pages } = scripted(1, 10);
  const rollups = createRollups({ store, nowMs: () => day, retentionDays: undefined, onFault: fail });
  expect(await rollups.pass()).toEqual({ summed: 1, removed: 0, attemptsRemoved: 0 });
  expect(pages).toEqual([]);
  expect(asked).toEqual(['claim']);
});

test('a long pass keeps its schedule, and stopping ends it after the step that is running', async () => {
  const { store, asked } = scripted(Number.POSITIVE_INFINITY, 0);
  const reached = Promise.withResolvers<void>();
  let steps = 0;
  let now = day;
  const counted: RollupStore = {
    ...store,
    step: (nowMs) => {
      steps += 1;
      now += 1_000;
      if (steps === 350) reached.resolve();
      return store.step(nowMs);
    },
  };
  const rollups = createRollups({ store: counted, nowMs: () => now, retentionDays: undefined, onFault: fail });
  rollups.start();
  await reached.promise;
  await rollups.stop();
  // 350 seconds of steps, and a claim that is prolonged before its 54 seconds are over.
  expect(asked.length).toBeGreaterThanOrEqual(350 / 54);
  expect(asked.length).toBeLessThan(350 / 10);
  const after = steps;
  await Promise.resolve();
  expect(steps).toBe(after);
});

test('a fault is reported and does not end the passes', async () => {
  const reported = Promise.withResolvers<unknown>();
  const { store } = scripted(0, 0);
  let broken = true;
  const flaky: RollupStore = {
    ...store,
    step: (nowMs) => (broken ? Promise.reject(new Error('away')) : store.step(nowMs)),
  };
  let now = 0;
  const rollups = createRollups({
    store: flaky,
    nowMs: () => now,
    retentionDays: undefined,
    onFault: (error) => reported.resolve(error),
  });
  rollups.start();
  expect(await reported.promise).toEqual(new Error('away'));
  await rollups.stop();
  broken = false;
  now = 60_000;
  const next = createRollups({ store: flaky, nowMs: () => now, retentionDays: undefined, onFault: fail });
  expect(await next.pass()).toMatchObject({ summed: 0, removed: 0 });
});

test('beyond a number of rows the oldest are removed, and they are counted only when another hour was summed', async () => {
  const { store, asked } = scripted(0, 1_201);
  let now = 100 * day;
  const rollups = createRollups({ store, nowMs: () => now, retentionDays: undefined, rowsMax: 1_000, onFault: fail });
  expect(await rollups.pass()).toMatchObject({ removed: 1_201 });
  now += 60_000;
  await rollups.pass();
  expect(asked.filter((each) => each !== 'claim')).toEqual(['count 1000', 'retain 90']);
  const { store: small, asked: askedSmall } = scripted(0, 1_000);
  const within = createRollups({ store: small, nowMs: () => now, retentionDays: 30, rowsMax: 1_000, onFault: fail });
  await within.pass();
  expect(askedSmall.filter((each) => each.startsWith('retain'))).toHaveLength(1);
  const { store: none } = scripted(0, 1_000);
  const bound = createRollups({
    store: none,
    nowMs: () => now,
    retentionDays: undefined,
    rowsMax: 1_000,
    onFault: fail,
  });
  expect(await bound.pass()).toMatchObject({ removed: 0, attemptsRemoved: 0 });
});

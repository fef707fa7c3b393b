import { describe, expect, test } from 'bun:test';
import { Conditions } from '../../observe/conditions.ts';
import { WallClock } from './wall-clock.ts';

const second = 1_000;
const hour = 3_600 * second;
const day = 24 * hour;
const trueMs = Date.UTC(2026, 10, 19, 12);

/** The true time passes by `pass`; the machine's clock is wrong by `offMs`, which may change. */
function machine(offMs = 0) {
  const state = { offMs, ranMs: 0 };
  return {
    state,
    pass(ms: number) {
      state.ranMs += ms;
    },
    trueMs: () => trueMs + state.ranMs,
    nowMs: () => 500 + state.ranMs,
    dateMs: () => trueMs + state.ranMs + state.offMs,
  };
}

describe.each([
  0,
  2 * hour,
  -2 * hour,
  day,
  -day,
  31 * day,
  -400 * day,
])('a replica whose machine is off by %p ms', (offMs) => {
  const { trueMs: readTrue, ...clocks } = machine(offMs);
  const conditions = new Conditions();
  const parts = { ...clocks, conditions, readDatabase: async () => readTrue(), newestRecordMs: async () => 0 };

  test('lives by the database and says so', async () => {
    const clock = new WallClock(parts);
    await clock.start();
    clock.stop();
    expect(Math.abs(clock.wallMs() - readTrue())).toBeLessThan(2);
    expect(clock.settledMs()).toBe(clock.wallMs());
    expect(conditions.all.map(({ kind }) => kind)).toEqual(offMs === 0 ? [] : ['clock']);
  });
});

test('a clock that is set while Weir runs changes nothing, and is over once it is right again', async () => {
  const { state, pass, trueMs: readTrue, ...clocks } = machine();
  const conditions = new Conditions();
  const lines: string[] = [];
  conditions.tell({ warn: (line) => lines.push(line), info: (line) => lines.push(line) });
  const clock = new WallClock({
    ...clocks,
    conditions,
    readDatabase: async () => readTrue(),
    newestRecordMs: async () => undefined,
  });
  await clock.sync();
  for (const offMs of [31 * day, -day, 3 * second, 0, -2 * hour, 0]) {
    state.offMs = offMs;
    pass(7 * second);
    expect(clock.wallMs()).toBe(readTrue());
    await clock.sync();
    expect(clock.wallMs()).toBe(readTrue());
    expect(conditions.all.length).toBe(Math.abs(offMs) > 5 * second ? 1 : 0);
  }
  // The second jump came while the first lasted: it is the same condition.
  expect(lines.map((line) => line.split(' is ').at(1) ?? line).map((line) => line.split('.')[0])).toEqual([
    "31 days ahead of the database's",
    'over',
    "2 hours behind the database's",
    'over',
  ]);
});

test('a database that does not answer leaves the time as it was counted', async () => {
  const { state, pass, trueMs: readTrue, ...clocks } = machine();
  let isAway = false;
  const clock = new WallClock({
    ...clocks,
    conditions: new Conditions(),
    readDatabase: () => (isAway ? Promise.reject(new Error('away')) : Promise.resolve(readTrue())),
    newestRecordMs: async () => undefined,
  });
  await clock.sync();
  isAway = true;
  state.offMs = 31 * day;
  pass(hour);
  await clock.sync().catch(() => undefined);
  expect(clock.wallMs()).toBe(readTrue());
});

describe('one machine with its own database', () => {
  const started = async (offMs: number, newestMs: number | undefined) => {
    const { trueMs: readTrue, ...rest } = machine(offMs);
    const conditions = new Conditions();
    const clock = new WallClock({ ...rest, conditions, newestRecordMs: async () => newestMs });
    await clock.start();
    clock.stop();
    return { clock, conditions, readTrue, ...rest };
  };

  test('believes a clock that fits its records, or has none', async () => {
    for (const newestMs of [undefined, trueMs, trueMs - 20 * hour, trueMs + 31 * day]) {
      const { clock, conditions, readTrue } = await started(0, newestMs);
      expect([clock.settledMs(), conditions.all]).toEqual([readTrue(), []]);
    }
  });

  test('removes nothing by one that is far ahead of them, for an hour', async () => {
    const { clock, conditions, pass } = await started(31 * day, trueMs - hour);
    expect(clock.wallMs()).toBe(trueMs + 31 * day);
    expect(clock.settledMs()).toBe(trueMs - hour);
    expect(conditions.all).toEqual([]);
    pass(59 * 60 * second);
    await clock.sync();
    expect(clock.settledMs()).toBe(trueMs - 60 * second);
    pass(61 * second);
    expect(clock.settledMs()).toBe(clock.wallMs());
    expect(conditions.all).toEqual([]);
  });

  test('believes it at once when it is set right, and doubts a jump while it runs', async () => {
    const { clock, conditions, state, pass, readTrue } = await started(31 * day, trueMs - hour);
    state.offMs = 0;
    pass(10 * second);
    await clock.sync();
    expect([clock.settledMs(), clock.wallMs(), conditions.all]).toEqual([readTrue(), readTrue(), []]);
    state.offMs = 2 * day;
    pass(10 * second);
    await clock.sync();
    expect(clock.settledMs()).toBe(readTrue());
    expect(conditions.all.length).toBe(1);
    state.offMs = 5 * hour;
    await clock.sync();
    expect([clock.settledMs(), conditions.all]).toEqual([clock.wallMs(), []]);
  });
});

import { describe, expect, test } from 'bun:test';
import { batchLimits } from '../src/store/batching/batch-queue.ts';
import { type Comparison, compareAll, comparisonTable, predict, type Scenario, simulationReport } from './fleet-sim.ts';
import { type FleetOptions, simulateFleet, simulateToTheEnd } from './simulation/fleet.ts';
import { fitLine } from './statistics.ts';

/** Weir and its event loop cost nearly nothing, so that the database alone is seen. */
const plain: FleetOptions = {
  processes: 1,
  roundTripMs: 10,
  budgets: 1,
  spread: 'by turns',
  load: { clients: 400 },
  costs: { weirMicros: 1, offLoopShare: 0, weirBatchMicros: 0, postgres: { fixedMicros: 500, itemMicros: 40 } },
  databaseCores: 8,
  connections: 100,
  lockedShare: 0.75,
  flushMs: 1,
  timeoutMs: 5_000,
  durationMs: 1_000,
  seed: 1,
};

const small: Scenario = {
  ...{ replicas: 4, roundTripMs: 0.5, budgets: 64, load: { perSecond: 200 }, limits: true, sticky: false },
  ...{ databaseCores: 8, connections: 100, seconds: 1 },
};

describe('the simulation', () => {
  test('gives the same result for the same seed', () => {
    const load = { perSecond: 500 };
    expect(simulateFleet({ ...plain, load })).toEqual(simulateFleet({ ...plain, load }));
    expect(simulateFleet({ ...plain, load, seed: 2 })).not.toEqual(simulateFleet({ ...plain, load }));
  });

  test('one replica: a batch for each round trip and its service', () => {
    const { perSecond, itemsPerBatch, refused } = simulateFleet(plain);
    const cycleMs = 10 + 0.5 + 0.04 * itemsPerBatch + 1;
    expect(itemsPerBatch).toBeGreaterThan(190);
    expect(perSecond / ((itemsPerBatch / 2 / cycleMs) * 1_000)).toBeCloseTo(1, 1);
    expect(refused).toBe(0);
  });

  test('many replicas on one budget: one batch after another, whatever the number of replicas', () => {
    const ten = simulateFleet({ ...plain, processes: 10, load: { clients: 1_000 } });
    const lockedMs = 0.75 * (0.5 + 0.04 * ten.itemsPerBatch) + 1;
    expect(ten.perSecond / ((ten.itemsPerBatch / 2 / lockedMs) * 1_000)).toBeCloseTo(1, 1);
    expect(ten.bottleneck).toBe('budget rows');
    const spread = simulateFleet({ ...plain, processes: 10, budgets: 10, load: { clients: 1_000 }, durationMs: 500 });
    expect(spread.perSecond).toBeGreaterThan(ten.perSecond * 2);
  });

  test('requests of a budget at one replica wait for no other replica', () => {
    const fleet = { ...plain, processes: 10, budgets: 200, load: { clients: 1_000 }, durationMs: 1_000 };
    const sticky = simulateFleet({ ...fleet, spread: 'by budget' });
    expect(sticky.perSecond).toBeGreaterThan(simulateFleet({ ...fleet, spread: 'at random' }).perSecond * 1.5);
  });

  test('without budgets the cores of the database are the limit', () => {
    const load = { clients: 2_000 };
    const result = simulateFleet({ ...plain, processes: 20, budgets: 0, load, databaseCores: 2 });
    expect(result.bottleneck).toBe('CPU of PostgreSQL');
    expect(result.coresUsed.postgres).toBeCloseTo(2, 0);
    expect(result.itemsPerBatch).toBeLessThanOrEqual(batchLimits.itemsMax);
  });

  test('every request is served or refused', () => {
    const calm = simulateToTheEnd({ ...plain, load: { perSecond: 1_000 } });
    expect(calm).toEqual({ started: calm.started, served: calm.started, refused: 0 });
    // A second of locks for each batch: those that wait behind five others are given up.
    const slow = { ...plain.costs, postgres: { fixedMicros: 1_000_000, itemMicros: 0 } };
    const late = simulateToTheEnd({
      ...plain,
      processes: 20,
      costs: slow,
      load: { perSecond: 500 },
      durationMs: 20_000,
    });
    expect(late.refused).toBeGreaterThan(0);
    expect(late.served).toBeGreaterThan(0);
    expect(late.served + late.refused).toBe(late.started);
  });

  test('a database beyond the timeout refuses all', () => {
    const result = simulateFleet({ ...plain, roundTripMs: 6_000, load: { perSecond: 100 }, durationMs: 20_000 });
    expect(result).toMatchObject({ served: 0, bottleneck: 'database timeout' });
    expect(result.refused).toBeGreaterThan(500);
  });

  test('a process refuses more requests in flight than its limit', () => {
    const result = simulateFleet({ ...plain, roundTripMs: 1_000, load: { perSecond: 50_000 }, durationMs: 1_000 });
    expect(result.started - result.refused).toBeLessThanOrEqual(20_000);
    expect(result.refused).toBeGreaterThan(20_000);
  });
});

describe('predictions', () => {
  test('are those of the scenario', () => {
    const result = predict(small);
    expect(Math.abs(result.perSecond - 800)).toBeLessThan(80);
    expect(result.redisTrips).toBeGreaterThan(0);
    const table = simulationReport({
      ...{
        check: false,
        replicas: '1,2',
        'round-trip-ms': '0.5',
        budgets: '0,1',
        rate: '50',
        limits: false,
        sticky: false,
      },
      ...{ 'database-cores': '8', 'database-connections': '100', seconds: '0.5' },
    });
    expect(
      table
        .split('\n')
        .slice(2)
        .map((line) => line.split(' | ').slice(0, 3).join()),
    ).toEqual(['| 1,0.5,0', '| 1,0.5,1', '| 2,0.5,0', '| 2,0.5,1']);
  });

  test('agree with what was measured: requests a second by 45 %, round trips by 50 %', () => {
    const comparisons = compareAll();
    console.log(comparisonTable(comparisons));
    const toleranceOf = ({ what }: Comparison): number => (what === 'requests/s' ? 0.45 : 0.5);
    const wrong = comparisons.filter((one) => Math.abs(one.ratio - 1) > toleranceOf(one));
    expect(wrong).toEqual([]);
  });
});

test('a line through exact points is found', () => {
  const { fixed, slope } = fitLine([1, 4, 64].map((x) => [x, 500 + 30 * x] as const));
  expect([fixed, slope].map(Math.round)).toEqual([500, 30]);
});

/** Proves that charts show what was counted: failures beside successes, money to the cent, and gaps as gaps. */

import { expect, test } from 'bun:test';
import type { BucketView } from '../../admin/contracts/analytics-contract.ts';
import { overviewSeries } from './chart-series.ts';

const bucket = (minute: number, more: Partial<BucketView>): BucketView => ({
  at: new Date(Date.UTC(2030, 0, 1, 0, minute)).toISOString(),
  requests: 0,
  failures: 0,
  inputTokens: 0,
  cacheReadTokens: 0,
  outputTokens: 0,
  costUsd: '0',
  costNano: '0',
  unpriced: 0,
  ...more,
});

test('an overview as lines', () => {
  const buckets = [bucket(0, { requests: 5, failures: 2, costNano: '250000000', totalP50Ms: 90 }), bucket(1, {})];
  const dark = bucket(2, { requests: 1, costUsd: null, costNano: null, unpriced: 1 });
  const names = { succeeded: 'ok', failed: 'bad', spent: 'spent', p50: 'p50', p95: 'p95' };
  const series = overviewSeries({ buckets }, names);
  expect(series.timesS).toEqual([Date.UTC(2030, 0, 1) / 1_000, Date.UTC(2030, 0, 1, 0, 1) / 1_000]);
  expect(series.requests.map(({ name, values }) => [name, values])).toEqual([
    ['ok', [3, 0]],
    ['bad', [2, 0]],
  ]);
  expect(series.spend[0]?.values).toEqual([0.25, 0]);
  expect(overviewSeries({ buckets: [...buckets, dark] }, names).spend[0]?.values).toEqual([0.25, 0, undefined]);
  expect(series.total.map(({ values }) => values)).toEqual([
    [90, undefined],
    [undefined, undefined],
  ]);
});

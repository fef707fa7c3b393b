/** How often the spend of the running hour is summed: less often the more requests there are to sum. */

import { expect, test } from 'bun:test';
import type { AnalyticsStore, UsageBucket } from '../store/analytics/analytics-store.ts';
import { createSpendReader } from './spend-history.ts';

const hourMs = 3_600_000;
const startMs = 500_000 * hourMs;

function readerOf(requests: number, costNano: bigint) {
  const readings = { series: 0, groups: 0 };
  const analytics: Pick<AnalyticsStore, 'series' | 'groups'> = {
    series: async ({ toMs }) => {
      readings.series++;
      return toMs > startMs ? [{ startMs, requests, costNano } as UsageBucket] : [];
    },
    groups: async () => {
      readings.groups++;
      return [[]];
    },
  };
  return { readings, read: createSpendReader({ analytics, tokens: { byId: async () => undefined } }) };
}

test('few requests are summed at every reading', async () => {
  const { readings, read } = readerOf(50, 7n);
  const [first] = await read(startMs + 1_000, 5n);
  expect(first).toMatchObject({ subject: 'all', spentNano: 7n, earlierNano: [] });
  const { series } = readings;
  await read(startMs + 1_020, 5n);
  expect(readings.series).toBeGreaterThan(series);
});

test('many requests are summed again after a while, at another least amount, and where the clock was set back', async () => {
  const { readings, read } = readerOf(1_000_000, 7n);
  const facts = await read(startMs, 5n);
  const { series } = readings;
  expect(await read(startMs + 299_999, 5n)).toBe(facts);
  expect(readings.series).toBe(series);
  await read(startMs + 300_000, 5n);
  expect(readings.series).toBe(series + 1);
  await read(startMs + 300_001, 6n);
  expect(readings.series).toBe(series + 2);
  await read(startMs + 200_000, 6n);
  expect(readings.series).toBe(series + 3);
});

test('ten minutes are the most', async () => {
  const { readings, read } = readerOf(100_000_000, 7n);
  await read(startMs, 5n);
  const { series } = readings;
  await read(startMs + 600_000, 5n);
  expect(readings.series).toBe(series + 1);
});

test('tokens are not summed where all requests together cost less than the least amount', async () => {
  const { readings, read } = readerOf(50, 7n);
  expect(await read(startMs, 8n)).toEqual([]);
  expect(readings).toEqual({ series: 1, groups: 0 });
});

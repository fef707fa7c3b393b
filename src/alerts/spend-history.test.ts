/** How often the spend of the running hour is summed: less often the more requests there are to sum. */

import { expect, test } from 'bun:test';
import type { AnalyticsStore, UsageBucket } from '../store/analytics/analytics-store.ts';
import { createSpendReader } from './spend-history.ts';

const hourMs = 3_600_000;
const weekMs = 7 * 24 * hourMs;
const startMs = 500_000 * hourMs;

/** `weeks` of history before the hour; readings of it are not counted. */
function readerOf(requests: number, costNano: bigint, weeks = 3) {
  const readings = { series: 0, groups: 0 };
  const bucket = { startMs, requests, costNano } as UsageBucket;
  const analytics: Pick<AnalyticsStore, 'series' | 'groups'> = {
    series: async ({ toMs }) => {
      if (toMs > startMs) readings.series++;
      return toMs > startMs - weeks * weekMs ? [bucket] : [];
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
  expect(first).toMatchObject({ subject: 'all', spentNano: 7n, earlierNano: [0n, 0n, 0n] });
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

test('nothing is summed where too few weeks are there to compare with', async () => {
  const { readings, read } = readerOf(50, 7n, 2);
  expect(await read(startMs, 5n)).toEqual([]);
  expect(readings).toEqual({ series: 0, groups: 0 });
});

/** Proves that bars lie where attempts lay, and never outside their track. */

import { expect, test } from 'bun:test';
import type { RequestDetailView } from '../../../admin/contracts/analytics-contract.ts';
import type { AttemptView, UsageRowView } from '../../../admin/contracts/contract.ts';
import { waterfallOf } from './waterfall.ts';

const beginMs = Date.UTC(2030, 0, 1);
const at = (ms: number) => new Date(beginMs + ms).toISOString();

const row: UsageRowView = {
  requestId: 'req_1',
  at: at(0),
  tokenId: 'tok_1',
  endpoint: 'chat',
  model: 'm',
  provider: 'b',
  upstreamModel: 'm',
  stream: true,
  attempts: 2,
  status: 200,
  code: '',
  costUsd: '0',
  costNano: '0',
  estimated: false,
  firstEventMs: 600,
  totalMs: 1_000,
};

const attempt = (
  id: string,
  startMs: number,
  totalMs: number | undefined,
  verdict: string | undefined,
): AttemptView => ({
  id,
  at: at(startMs),
  provider: id,
  model: 'm',
  estimated: false,
  ...(totalMs !== undefined && { totalMs }),
  ...(verdict !== undefined && { verdict }),
});

const story = (attempts: readonly AttemptView[], withRow = true): RequestDetailView => ({
  requestId: 'req_1',
  attempts,
  hasContent: false,
  ...(withRow && { row }),
});

test('a failed attempt and the one that served it', () => {
  const { spanMs, bars } = waterfallOf(story([attempt('a', 0, 250, 'target-down'), attempt('b', 250, 750, '')]), 0);
  expect(spanMs).toBe(1_000);
  expect(bars.map(({ left, width }) => [left, width])).toEqual([
    [0, 0.25],
    [0.25, 0.75],
  ]);
  expect(bars.map(({ firstEvent }) => firstEvent?.left)).toEqual([undefined, 0.6]);
});

test('one that still runs reaches until now', () => {
  const { spanMs, bars } = waterfallOf(story([attempt('a', 0, undefined, undefined)], false), beginMs + 500);
  expect([spanMs, bars[0]?.width, bars[0]?.totalMs]).toEqual([500, 1, undefined]);
});

test('a clock that was set back draws nothing outside the track', () => {
  const { bars } = waterfallOf(story([attempt('a', -5_000, 100, 'uncertain'), attempt('b', 5_000, 100, '')]), 0);
  for (const { left, width } of bars) {
    expect(left).toBeGreaterThanOrEqual(0);
    expect(left).toBeLessThan(1);
    expect(width).toBeGreaterThan(0);
  }
});

test('a request that was refused before any attempt has no bars', () => {
  expect(waterfallOf(story([]), 0)).toEqual({ spanMs: 1_000, bars: [] });
});

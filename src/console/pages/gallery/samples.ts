/** Made-up facts for the gallery, the same at every visit, so that a picture of it can be compared with the last. */

import type { Series } from '../../charts/chart-data.ts';

export interface SampleRequest {
  readonly id: string;
  readonly at: number;
  readonly model: string;
  readonly token: string;
  readonly status: number;
  readonly code: string;
  readonly tokens: number | undefined;
  readonly totalMs: number;
  readonly costNano: string;
}

const models = ['sandbox-chat', 'sandbox-reasoner', 'sandbox-embed', 'sandbox-image'] as const;
const tokens = ['laptop', 'ci', 'support bot'] as const;
const openedAtMs = Date.now();

export const sampleRequests: readonly SampleRequest[] = Array.from({ length: 14 }, (_, index) => {
  const status = index === 3 ? 429 : index === 8 ? 502 : 200;
  return {
    id: `req_AZqH5u0GcAC0m2i8cVb${String(index).padStart(2, '0')}`,
    at: openedAtMs - index * index * 4_000 - 1_000,
    model: models[(index * 7) % models.length] ?? models[0],
    token: tokens[(index * 5) % tokens.length] ?? tokens[0],
    status,
    code: status === 429 ? 'rate_limited' : status === 502 ? 'upstream_broke' : '',
    tokens: status === 200 ? 37 + index * index * 193 : undefined,
    totalMs: 84 + ((index * 7_919) % 4_300),
    costNano: status === 200 ? String(42_000 + index * index * 1_713_000) : '0',
  };
});

const stepS = 300;
const moments = 96;
/** A fixed day: the axis must not depend on when the picture was taken. */
const startS = Date.UTC(2026, 10, 14, 8) / 1_000;

export const chartTimesS: readonly number[] = Array.from({ length: moments }, (_, index) => startS + index * stepS);

const wave = (index: number, pace: number, height: number, ground: number): number =>
  Math.round((ground + height * (Math.sin(index / pace) + 0.4 * Math.sin(index / 2.3) + 1.4)) * 10) / 10;

/** Nothing was measured for half an hour, and the charts must show that. */
const isGap = (index: number): boolean => index >= 60 && index < 66;

const line = (name: string, colour: number, pace: number, height: number, ground: number): Series => ({
  name,
  colour,
  values: chartTimesS.map((_, index) => (isGap(index) ? undefined : wave(index, pace, height, ground))),
});

export const chartSeries = {
  requests: [
    line('sandbox-chat', 1, 14, 18, 22),
    line('sandbox-reasoner', 2, 9, 8, 6),
    line('sandbox-embed', 3, 20, 10, 4),
  ],
  latency: [line('p50', 1, 14, 60, 180), line('p95', 4, 11, 240, 520)],
} as const;

import { expect, test } from 'bun:test';
import { dayMs, floorTo, grains, hourMs, weekMs } from '../usage/usage-grains.ts';
import { segmentsOf } from './usage-segments.ts';

/** A Wednesday, 10:37. */
const now = Date.UTC(2026, 9, 14, 10, 37);
const hourUntil = floorTo(hourMs, now) - hourMs;
const dayUntil = floorTo(dayMs, hourUntil);
const weekUntil = floorTo(weekMs, dayUntil);
const state = { hourUntilMs: hourUntil, dayUntilMs: dayUntil, weekUntilMs: weekUntil, retainedFromMs: 0 };
const buckets = ['minute', 'hour', 'day', 'week', 'none'] as const;

test('segments lie one behind the other, fill the range, and are whole periods that were summed', () => {
  let seed = 1;
  const chance = (below: number): number => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % below;
  };
  for (let round = 0; round < 5_000; round += 1) {
    const edge = chance(3) === 0 ? hourMs : 1;
    const from = Math.floor((now - chance(60 * dayMs)) / edge) * edge;
    const to = from + Math.floor(chance(70 * dayMs) / edge) * edge;
    const segments = segmentsOf(from, to, buckets[round % buckets.length] ?? 'none', state);
    let at = from;
    for (const { grain, fromMs, toMs } of segments) {
      expect(fromMs).toBe(at);
      at = toMs;
      if (grain === 'row') continue;
      expect([floorTo(grain, fromMs), floorTo(grain, toMs)]).toEqual([fromMs, toMs]);
      expect(toMs).toBeLessThanOrEqual([hourUntil, dayUntil, weekUntil][grains.indexOf(grain)] ?? 0);
    }
    if (from < to) expect(at).toBe(to);
    expect(segments.filter(({ grain }) => grain === 'row').length).toBeLessThanOrEqual(2);
  }
});

test('a year is read from whole weeks, with days, hours and rows only at its ends', () => {
  const grainsOf = (from: number, bucket: (typeof buckets)[number]) =>
    segmentsOf(from, now, bucket, state).map(({ grain }) => grain);
  expect(grainsOf(now - 365 * dayMs, 'week')).toEqual(['row', hourMs, dayMs, weekMs, dayMs, hourMs, 'row']);
  expect(grainsOf(now - 365 * dayMs, 'day')).toEqual(['row', hourMs, dayMs, hourMs, 'row']);
  expect(grainsOf(now - dayMs, 'hour')).toEqual(['row', hourMs, 'row']);
  expect(grainsOf(now - hourMs, 'minute')).toEqual(['row']);
});

test('where rows are gone an hour counts where it begins', () => {
  const retained = { ...state, retainedFromMs: dayUntil };
  const from = dayUntil - 5 * hourMs + 60_000;
  expect(segmentsOf(from, from + 2 * hourMs, 'minute', retained)).toEqual([
    { grain: hourMs, fromMs: dayUntil - 4 * hourMs, toMs: dayUntil - 2 * hourMs },
  ]);
});

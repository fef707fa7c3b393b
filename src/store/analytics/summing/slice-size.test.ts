/** Slices are as large as the database sums in a moment. */

import { expect, test } from 'bun:test';
import { createSliceSize } from './slice-size.ts';

test('a slow slice halves the next ones, a fast one doubles them, within bounds', async () => {
  let nowMs = 0;
  const size = createSliceSize(10_000, [1_000, 50_000], () => nowMs);
  const after = async (tookMs: number): Promise<number> => {
    const work = Promise.withResolvers<void>();
    const measured = size.measured(work.promise);
    nowMs += tookMs;
    work.resolve();
    await measured;
    return size.rows;
  };
  expect([await after(700), await after(300), await after(100), await after(100)]).toEqual([
    5_000, 5_000, 10_000, 20_000,
  ]);
  for (let count = 0; count < 9; count += 1) await after(5);
  expect(size.rows).toBe(50_000);
  for (let count = 0; count < 9; count += 1) await after(5_000);
  expect(size.rows).toBe(1_000);
});

test('what fails halves them too, and what is only watched does not make them larger', async () => {
  const size = createSliceSize(8_000);
  expect(await size.watched(Promise.resolve(7))).toBe(7);
  expect(size.rows).toBe(8_000);
  for (const waiting of [size.watched, size.measured]) {
    expect(waiting(Promise.reject(new Error('away')))).rejects.toThrow('away');
    await Promise.resolve();
  }
  await new Promise((resolve) => setImmediate(resolve));
  expect(size.rows).toBe(2_000);
});

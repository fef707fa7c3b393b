/** Counts the last minute in slices of a second, so that no 60 seconds ever hold more than a limit. */

import { sliceCount, sliceMs } from './limits.ts';

export interface SlidingWindow {
  /** What counts at this instant. */
  used(atMs: number): number;
  /** Adds to the current slice and returns it, for a later correction. */
  add(atMs: number, amount: number): number;
  /** Changes what an earlier `add` counted, unless its slice has already left the window. */
  correct(atMs: number, slice: number, difference: number): void;
  /** How long until `amount` more fits under `limit`; the whole window if it never would. */
  waitMs(atMs: number, amount: number, limit: number): number;
  /** The slice that last counted something. */
  newestSlice(): number;
}

export function createSlidingWindow(): SlidingWindow {
  const amounts = new Float64Array(sliceCount);
  let total = 0;
  let current = 0;
  let newest = 0;

  /** Drops the slices that left. A clock that steps back stays in the newest slice: it must not free anything. */
  const advance = (atMs: number): void => {
    const slice = Math.floor(atMs / sliceMs);
    if (slice <= current) return;
    if (slice - current >= sliceCount) {
      amounts.fill(0);
      total = 0;
    } else {
      for (let passed = current + 1; passed <= slice; passed++) {
        total -= amounts[passed % sliceCount] ?? 0;
        amounts[passed % sliceCount] = 0;
      }
    }
    current = slice;
  };

  const change = (slice: number, difference: number): void => {
    const index = slice % sliceCount;
    const before = amounts[index] ?? 0;
    const after = Math.max(0, before + difference);
    amounts[index] = after;
    total += after - before;
    if (after > 0 && slice > newest) newest = slice;
  };

  return {
    used(atMs) {
      advance(atMs);
      return total;
    },
    add(atMs, amount) {
      advance(atMs);
      change(current, amount);
      return current;
    },
    correct(atMs, slice, difference) {
      advance(atMs);
      if (current - slice < sliceCount) change(slice, difference);
    },
    waitMs(atMs, amount, limit) {
      advance(atMs);
      let left = total;
      for (let slice = current - sliceCount + 1; slice <= current; slice++) {
        if (slice >= 0) left -= amounts[slice % sliceCount] ?? 0;
        if (left + amount <= limit) return (slice + sliceCount) * sliceMs - atMs;
      }
      return sliceCount * sliceMs;
    },
    newestSlice: () => newest,
  };
}

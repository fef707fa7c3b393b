/** The window against a plain list of the same events, and the memory limiter against its bounds. */

import { describe, expect, setSystemTime, test } from 'bun:test';
import type { Caller } from './caller.ts';
import { callerOf } from './levels/caller-of.ts';
import { durationText, sliceCount, sliceMs } from './limits.ts';
import { createMemoryLimiter } from './memory-limiter.ts';
import { createSlidingWindow } from './sliding-window.ts';

/** A small generator with a fixed seed, so that a failure repeats. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

describe('sliding window', () => {
  test('equals a plain list of everything that was counted', () => {
    for (let seed = 1; seed <= 20; seed++) {
      const random = randomFrom(seed);
      const window = createSlidingWindow();
      const plain: { slice: number; amount: number }[] = [];
      let atMs = 1_700_000_000_000;
      for (let step = 0; step < 500; step++) {
        atMs += random(10) === 0 ? random(90_000) : random(2_500);
        const current = Math.floor(atMs / sliceMs);
        const amount = random(100);
        if (random(3) > 0) plain.push({ slice: window.add(atMs, amount), amount });
        const earlier = plain.at(-1 - random(5));
        if (random(4) === 0 && earlier !== undefined) {
          const after = random(200);
          window.correct(atMs, earlier.slice, after - earlier.amount);
          earlier.amount = after;
        }
        const living = plain.filter(({ slice }) => current - slice < sliceCount);
        expect(window.used(atMs)).toBe(living.reduce((sum, entry) => sum + entry.amount, 0));
      }
    }
  });

  test('waitMs is the first instant at which it fits', () => {
    const random = randomFrom(7);
    const window = createSlidingWindow();
    let atMs = 1_700_000_000_000;
    for (let step = 0; step < 200; step++) {
      atMs += random(3_000);
      window.add(atMs, random(10));
    }
    const limit = Math.floor(window.used(atMs) / 2);
    const waitMs = window.waitMs(atMs, 1, limit);
    expect(window.used(atMs + waitMs - 1) + 1).toBeGreaterThan(limit);
    expect(window.used(atMs + waitMs) + 1).toBeLessThanOrEqual(limit);
  });

  test('a clock that steps back frees nothing', () => {
    const window = createSlidingWindow();
    window.add(1_000_000, 5);
    expect(window.used(0)).toBe(5);
    window.add(500_000, 1);
    expect(window.used(1_000_000)).toBe(6);
    expect(window.used(1_061_000)).toBe(0);
  });
});

describe('memory limiter', () => {
  const callerNamed = (id: string, rpm: number): Caller =>
    callerOf({ id, hint: '', createdAtMs: 0, terms: { name: id, rpm } });

  test('never counts more tokens than it may', () => {
    const limiter = createMemoryLimiter({ nowMs: () => 1_000_000, tokensMax: 100 });
    for (let index = 0; index < 5_000; index++) limiter.enter(callerNamed(`t${index}`, 5), 0, 'r').leave();
    expect(limiter.size).toBe(100);
  });

  test('forgets idle tokens as new ones come, and none that still counts', () => {
    let clockMs = 1_000_000;
    const limiter = createMemoryLimiter({ nowMs: () => clockMs });
    for (let index = 0; index < 1_000; index++) limiter.enter(callerNamed(`old${index}`, 5), 0, 'r').leave();
    limiter.enter(callerNamed('streaming', 5), 0, 'r');
    clockMs += 62_000;
    const busy = callerNamed('busy', 1);
    limiter.enter(busy, 0, 'r').leave();
    for (let index = 0; index < 1_000; index++) limiter.enter(callerNamed(`new${index}`, 5), 0, 'r').leave();
    expect(limiter.size).toBe(1_002);
    expect(() => limiter.enter(busy, 0, 'r')).toThrow('requests per minute');
  });
});

test.each([
  [0, '0ms'],
  [0.2, '1ms'],
  [999, '999ms'],
  [1_000, '1s'],
  [8_640, '8.64s'],
  [59_999, '59.999s'],
  [60_000, '1m0s'],
  [60_250, '1m0.25s'],
  [-5, '0ms'],
])('%p ms is written %p', (ms, text) => {
  expect(durationText(ms)).toBe(text);
});

test('a wall clock that is set back blocks no token: the limiter uses the injected clock', () => {
  let nowMs = 5_000;
  const limiter = createMemoryLimiter({ nowMs: () => nowMs });
  const caller = callerOf({ id: 'clock', hint: '', createdAtMs: 0, terms: { name: 'clock', rpm: 1 } });
  setSystemTime(new Date('2026-11-15T12:00:00Z'));
  try {
    limiter.enter(caller, 0, 'first').leave(0);
    setSystemTime(new Date('2026-11-15T11:00:00Z'));
    expect(() => limiter.enter(caller, 0, 'second')).toThrow('requests per minute');
    nowMs += sliceCount * sliceMs;
    limiter.enter(caller, 0, 'third').leave(0);
  } finally {
    setSystemTime();
  }
});

/** Another process's time, as a process knows it from answers. */

import { expect, test } from 'bun:test';
import { UpperClock } from './limits-ahead.ts';

test('a clock from answers does not run backwards, except to another server', () => {
  let ownMs = 100;
  const clock = new UpperClock(() => ownMs);
  expect(clock.nowMs()).toBeUndefined();
  clock.was(50_000, 80);
  expect(clock.nowMs()).toBe(50_020);
  clock.was(50_000, 95);
  expect(clock.nowMs()).toBe(50_020);
  ownMs += 30;
  expect(clock.nowMs()).toBe(50_035);
  clock.was(20_000, 130);
  expect(clock.nowMs()).toBe(20_000);
});

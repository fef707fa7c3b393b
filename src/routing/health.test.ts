/** How long a target cools down that asks to wait without saying how long. */

import { expect, test } from 'bun:test';
import { Health } from './health.ts';

test('the cooldown doubles each time it asks again without having served in between', () => {
  const health = new Health();
  health.coolFor(0, 1_000, 30_000);
  expect(health.coolsUntilMs).toBe(1_000);
  health.coolFor(1_000, 1_000, 30_000);
  expect(health.coolsUntilMs).toBe(3_000);
  health.succeeded(health.enter(3_500), 3_500);
  health.coolFor(4_000, 1_000, 30_000);
  expect(health.coolsUntilMs).toBe(5_000);
});

test('many requests in flight that were all asked to wait count once', () => {
  const health = new Health();
  for (let count = 0; count < 20; count++) health.coolFor(count, 1_000, 30_000);
  expect(health.coolsUntilMs).toBe(1_000);
});

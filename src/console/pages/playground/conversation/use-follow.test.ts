/** Proves that only scrolling up stops following a reply, however fast it grows. */

import { expect, test } from 'bun:test';
import { isFollowingAt } from './use-follow.ts';

test('a reply that grows far below what is seen is still followed', () => {
  expect(isFollowingAt(true, 1_000, { top: 1_000, leftPx: 50_000 })).toBe(true);
  expect(isFollowingAt(true, 1_000, { top: 9_000, leftPx: 2_000 })).toBe(true);
});

test('who scrolls up is left there, until they are at the end again', () => {
  expect(isFollowingAt(true, 1_000, { top: 900, leftPx: 400 })).toBe(false);
  expect(isFollowingAt(false, 900, { top: 950, leftPx: 300 })).toBe(false);
  expect(isFollowingAt(false, 950, { top: 1_240, leftPx: 10 })).toBe(true);
});

test('a page that became shorter is still at its end', () => {
  expect(isFollowingAt(true, 1_000, { top: 700, leftPx: 0 })).toBe(true);
});

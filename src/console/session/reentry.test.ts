/** Proves that calls wait together for one sign-in, and what they hear of it. */

import { expect, test } from 'bun:test';
import { createReentry } from './reentry.ts';

test('several calls wait for one sign-in, and the next end of a session is asked for anew', async () => {
  const reentry = createReentry();
  const heard: boolean[] = [];
  reentry.subscribe(() => heard.push(reentry.isAsked()));
  const waiting = [reentry.ended(), reentry.ended()];
  expect(heard).toEqual([true]);
  reentry.settle(true);
  expect(await Promise.all(waiting)).toEqual([true, true]);
  const later = reentry.ended();
  reentry.settle(false);
  expect(await later).toBe(false);
  expect(heard).toEqual([true, false, true, false]);
});

test('a sign-in that nobody waits for changes nothing', () => {
  const reentry = createReentry();
  reentry.settle(true);
  expect(reentry.isAsked()).toBe(false);
});

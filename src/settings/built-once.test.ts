/** A value that is made when it is first asked for. */

import { expect, test } from 'bun:test';
import { builtOnce } from './built-once.ts';

test('builds once, and not before it is asked', () => {
  let built = 0;
  const value = builtOnce(() => {
    built += 1;
    return undefined;
  });
  expect(built).toBe(0);
  expect([value(), value()]).toEqual([undefined, undefined]);
  expect(built).toBe(1);
});

test('tries again after a failure', () => {
  let isReady = false;
  const value = builtOnce(() => {
    if (!isReady) throw new Error('not yet');
    return 7;
  });
  expect(value).toThrow('not yet');
  isReady = true;
  expect(value()).toBe(7);
});

/** The cache keeps its bound and what is in use. */

import { expect, test } from 'bun:test';
import { createBoundedCache } from './bounded-cache.ts';

test('never holds more than its maximum', () => {
  const cache = createBoundedCache<number>(100);
  for (let index = 0; index < 10_000; index++) {
    cache.set(`key ${index}`, index);
    expect(cache.size).toBeLessThanOrEqual(100);
  }
  expect(cache.get('key 9999')).toBe(9_999);
  expect(cache.get('key 0')).toBeUndefined();
});

test('keeps what is asked for while others come and go', () => {
  const cache = createBoundedCache<number>(10);
  cache.set('hot', 1);
  for (let index = 0; index < 1_000; index++) {
    cache.set(`cold ${index}`, index);
    expect(cache.get('hot')).toBe(1);
  }
});

test('replaces, deletes and clears', () => {
  const cache = createBoundedCache<number>(4);
  for (const value of [1, 2, 3]) cache.set('a', value);
  expect(cache.get('a')).toBe(3);
  expect(cache.size).toBe(1);
  for (const key of ['b', 'c', 'd']) cache.set(key, 0);
  cache.delete('b');
  expect(cache.get('b')).toBeUndefined();
  cache.clear();
  expect(cache.size).toBe(0);
});

test('a maximum of one still works', () => {
  const cache = createBoundedCache<number>(1);
  cache.set('a', 1);
  cache.set('b', 2);
  expect(cache.get('b')).toBe(2);
});

/** A connection's memory stays within its own bounds and within what all connections share. */

import { expect, test } from 'bun:test';
import { BoundedConnectionMemory } from './connection-memory.ts';

const limits = { repliesMax: 2, conversationBytesMax: 100 };
const turns = (bytes: number) => ({ turns: { items: [bytes], bytes }, keeper: undefined });
const keeper = { provider: 'up', keyId: 'k', tokens: 1 };

test('the latest replies are remembered, the oldest forgotten', () => {
  const memory = new BoundedConnectionMemory({ freeBytes: 1_000 }, limits);
  for (const id of ['a', 'b', 'a', 'c']) memory.keep(id, turns(10));
  expect(['a', 'b', 'c'].map((id) => memory.find(id) !== undefined)).toEqual([true, false, true]);
});

test('what is too large is not remembered, but who keeps it is', () => {
  const memory = new BoundedConnectionMemory({ freeBytes: 1_000 }, limits);
  memory.keep('fits', turns(100));
  memory.keep('large', turns(101));
  memory.keep('kept', { ...turns(101), keeper });
  expect(memory.find('large')).toBeUndefined();
  expect(memory.find('kept')).toEqual({ turns: undefined, keeper });
});

test('connections share one bound and give back what they held', () => {
  const budget = { freeBytes: 150 };
  const [one, two] = [new BoundedConnectionMemory(budget, limits), new BoundedConnectionMemory(budget, limits)];
  one.keep('a', turns(60));
  one.keep('b', turns(90));
  expect(budget.freeBytes).toBe(60);
  two.keep('c', turns(61));
  expect(two.find('c')).toBeUndefined();
  one.forget();
  expect(budget.freeBytes).toBe(150);
  expect(one.find('b')).toBeUndefined();
  one.keep('late', turns(60));
  expect([one.find('late'), budget.freeBytes]).toEqual([undefined, 150]);
  two.keep('c', turns(61));
  expect(two.find('c')).toBeDefined();
});

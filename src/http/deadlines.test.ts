/**
 * Proves that one ticker serves all watched requests, passes them the injected time, and stops while there are none.
 */

import { afterEach, beforeEach, expect, jest, test } from 'bun:test';
import { Deadlines, type Watched } from './deadlines.ts';

const tickMs = 250;

beforeEach(() => {
  jest.useFakeTimers();
});

afterEach(() => {
  jest.clearAllTimers();
  jest.useRealTimers();
});

class Recorder implements Watched {
  readonly ticks: number[] = [];

  tick(nowMs: number): void {
    this.ticks.push(nowMs);
  }
}

test('all are ticked four times a second with the time that was handed in, by one timer', () => {
  let readings = 0;
  const deadlines = new Deadlines(() => ++readings);
  const watched = [new Recorder(), new Recorder(), new Recorder()];
  for (const one of watched) deadlines.add(one);
  expect(jest.getTimerCount()).toBe(1);
  jest.advanceTimersByTime(1_000);
  // One reading of the clock per tick, however many are watched.
  for (const { ticks } of watched) expect(ticks).toEqual([1, 2, 3, 4]);
});

test('nothing is ticked after it was removed, also not in the tick that removes it', () => {
  const deadlines = new Deadlines(() => 0);
  const later = new Recorder();
  const stays = new Recorder();
  const remover: Watched = { tick: () => deadlines.delete(later) };
  deadlines.add(remover);
  deadlines.add(later);
  deadlines.add(stays);
  jest.advanceTimersByTime(2 * tickMs);
  expect(later.ticks).toEqual([]);
  expect(stays.ticks).toEqual([0, 0]);
});

test('the timer ends a tick after the last one left, and starts again with the next', () => {
  const deadlines = new Deadlines(() => 7);
  const first = new Recorder();
  deadlines.add(first);
  deadlines.delete(first);
  jest.advanceTimersByTime(tickMs);
  expect(jest.getTimerCount()).toBe(0);
  expect(first.ticks).toEqual([]);
  const second = new Recorder();
  deadlines.add(second);
  jest.advanceTimersByTime(tickMs);
  expect(second.ticks).toEqual([7]);
});

/**
 * Slices on a clock and a loop of the test's own: what runs when, and that no other work waits for more than one slice.
 */

import { expect, test } from 'bun:test';
import { type SlicedWork, Slices } from './in-slices.ts';

function make() {
  let nowMs = 0;
  const turns: (() => void)[] = [];
  const slices = new Slices({ nowMs: () => nowMs, sliceMs: 4, nextTurn: (work) => void turns.push(work) });
  const seen: string[] = [];
  /** Each step takes a millisecond. */
  const work = (name: string, steps: number): SlicedWork => ({
    step() {
      nowMs++;
      seen.push(name);
      return --steps === 0;
    },
  });
  const turn = (): string => {
    seen.length = 0;
    turns.shift()?.();
    return seen.join('');
  };
  return { slices, work, turn, turns };
}

test('a turn of the loop gets one slice of one piece of work, in turns', async () => {
  const { slices, work, turn, turns } = make();
  const first = slices.run(work('a', 6));
  const second = slices.run(work('b', 5));
  expect([turn(), turn(), turn(), turn()]).toEqual(['aaaa', 'bbbb', 'aa', 'b']);
  await Promise.all([first, second]);
  expect(turns).toHaveLength(0);
});

test('what fails fails alone', async () => {
  const { slices, work, turn } = make();
  const failing = slices.run({
    step() {
      throw new Error('no');
    },
  });
  const other = slices.run(work('b', 1));
  turn();
  await expect(failing).rejects.toThrow('no');
  expect(turn()).toBe('b');
  await other;
});

test('after a step that took longer than a slice, all that waits has as long without one', async () => {
  let nowMs = 0;
  const turns: (() => void)[] = [];
  const rests: (readonly [work: () => void, ms: number])[] = [];
  const slices = new Slices({
    nowMs: () => nowMs,
    sliceMs: 4,
    nextTurn: (work) => void turns.push(work),
    afterMs: (work, ms) => void rests.push([work, ms]),
  });
  const taking = (ms: number) =>
    slices.alone(() => {
      nowMs += ms;
      return ms;
    });
  const all = Promise.all([8, 9, 30, 1_000, 1].map(taking));
  turns.shift()?.();
  expect(rests).toEqual([]);
  turns.shift()?.();
  for (const ms of [9, 30, 50]) {
    expect(turns).toEqual([]);
    const [rest] = rests.splice(0);
    expect(rest?.[1]).toBe(ms);
    rest?.[0]();
  }
  expect(rests).toEqual([]);
  expect(await all).toEqual([8, 9, 30, 1_000, 1]);
});

test('work alone that fails, at once or later, fails alone', async () => {
  const slices = new Slices({ nowMs: () => 0 });
  const fails = (): never => {
    throw new Error('at once');
  };
  const [one, other, good] = await Promise.allSettled([
    slices.alone(fails),
    slices.alone(() => Promise.reject(new Error('later'))),
    slices.alone(() => Promise.resolve('good')),
  ]);
  expect([one, other].map((each) => each?.status === 'rejected' && String(each.reason))).toEqual([
    'Error: at once',
    'Error: later',
  ]);
  expect(good).toEqual({ status: 'fulfilled', value: 'good' });
});

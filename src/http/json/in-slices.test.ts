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

import { expect, test } from 'bun:test';
import { runAtOnce, runInSlices, type Slices } from './time-slices.ts';

function* busyUntil(isOver: () => boolean): Slices<string> {
  while (!isOver()) yield;
  return 'done';
}

test('both come to the same result', async () => {
  const soon = () => {
    let steps = 0;
    return () => ++steps > 100;
  };
  expect(runAtOnce(busyUntil(soon()))).toBe('done');
  expect(await runInSlices(busyUntil(soon()), new AbortController().signal)).toBe('done');
});

test('others go first, again and again', async () => {
  let others = 0;
  const timer = setInterval(() => {
    others += 1;
  }, 1);
  // Work that never let others go first would never end.
  expect(
    await runInSlices(
      busyUntil(() => others >= 3),
      new AbortController().signal,
    ),
  ).toBe('done');
  clearInterval(timer);
});

test('aborted work ends', async () => {
  const leaving = new AbortController();
  const left = runInSlices(
    busyUntil(() => false),
    leaving.signal,
  );
  leaving.abort(new Error('gone'));
  await expect(left).rejects.toThrow('gone');
});

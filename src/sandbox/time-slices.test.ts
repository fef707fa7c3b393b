import { expect, test } from 'bun:test';
import { runAtOnce, runInSlices, type Slices } from './time-slices.ts';

function* busy(milliseconds: number): Slices<string> {
  const endMs = performance.now() + milliseconds;
  while (performance.now() < endMs) yield;
  return 'done';
}

test('both ways come to the same result', async () => {
  expect(runAtOnce(busy(0))).toBe('done');
  expect(await runInSlices(busy(0), new AbortController().signal)).toBe('done');
});

test('others go first, again and again', async () => {
  let others = 0;
  const timer = setInterval(() => {
    others += 1;
  }, 1);
  await runInSlices(busy(100), new AbortController().signal);
  clearInterval(timer);
  expect(others).toBeGreaterThan(1);
});

test('work that nobody wants is left', async () => {
  const leaving = new AbortController();
  const left = runInSlices(busy(60_000), leaving.signal);
  leaving.abort(new Error('gone'));
  expect(left).rejects.toThrow('gone');
});

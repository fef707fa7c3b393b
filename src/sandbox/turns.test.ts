import { expect, test } from 'bun:test';
import { atOnce, inTurns, type Turns } from './turns.ts';

function* busy(milliseconds: number): Turns<string> {
  const endMs = performance.now() + milliseconds;
  while (performance.now() < endMs) yield;
  return 'done';
}

test('both ways come to the same result', async () => {
  expect(atOnce(busy(0))).toBe('done');
  expect(await inTurns(busy(0), new AbortController().signal)).toBe('done');
});

test('others go first, again and again', async () => {
  let others = 0;
  const timer = setInterval(() => {
    others += 1;
  }, 1);
  await inTurns(busy(100), new AbortController().signal);
  clearInterval(timer);
  expect(others).toBeGreaterThan(1);
});

test('work that nobody wants is left', async () => {
  const leaving = new AbortController();
  const left = inTurns(busy(60_000), leaving.signal);
  leaving.abort(new Error('gone'));
  expect(left).rejects.toThrow('gone');
});

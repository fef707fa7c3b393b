/** Proves that a video's story is read whatever the gateway says of it, and that the tab's memory stays small. */

import { describe, expect, test } from 'bun:test';
import { finishedOf, isOver, type OrderedVideo, remembersMax, taskOf, withOrder } from './video-task.ts';

describe('a task', () => {
  for (const [answer, state, share] of [
    [{ status: 'queued', progress: 0 }, 'queued', 0],
    [{ status: 'in_progress', progress: 42 }, 'in_progress', 0.42],
    [{ status: 'in_progress', progress: 400 }, 'in_progress', 1],
    [{ status: 'completed' }, 'completed', 1],
    [{ status: 'paused' }, 'in_progress', 0],
    [{}, 'in_progress', 0],
  ] as const) {
    test(`${JSON.stringify(answer)} is ${state} at ${share}`, () =>
      expect(taskOf(answer)).toMatchObject({ state, share }));
  }
  test('that failed says why, and is over', () => {
    const task = taskOf({ status: 'failed', error: { code: 'x', message: 'No luck.' } });
    expect(task.failure).toBe('No luck.');
    expect(isOver(task)).toBe(true);
    expect(isOver(taskOf({ status: 'queued' }))).toBe(false);
  });
});

test('a finished video has its place and its facts', () => {
  const answer = { url: 'http://w/v1/x', format: 'mp4', metadata: { duration: 2, width: 640, height: 360 } };
  expect(finishedOf(answer)).toEqual({ url: 'http://w/v1/x', format: 'mp4', seconds: 2, width: 640, height: 360 });
  expect(finishedOf({})).toMatchObject({ url: '', format: 'mp4', seconds: undefined });
});

test('the latest order is first, none is there twice, and the oldest are forgotten', () => {
  const order = (id: string): OrderedVideo => ({ id, model: 'm', prompt: 'p', orderedAtMs: 0 });
  const many = Array.from({ length: 20 }, (_, index) => order(`v${index}`));
  const kept = many.reduce(withOrder, [] as readonly OrderedVideo[]);
  expect(kept.length).toBe(remembersMax);
  expect(kept[0]?.id).toBe('v19');
  expect(withOrder(kept, order('v18')).filter(({ id }) => id === 'v18').length).toBe(1);
});

/** The video thread: one video at a time, aborted ones end at once. */

import { afterEach, expect, setDefaultTimeout, test } from 'bun:test';
import type { ThreadOptions } from '../../audio/worker-thread.ts';
import type { VideoPlan } from './video-plan.ts';
import { createVideoThread, type VideoThread } from './video-thread.ts';

setDefaultTimeout(300_000);

const none = new Uint8Array(0);
const short: VideoPlan = {
  prompt: 'a boat',
  negativePrompt: '',
  seed: 1,
  width: 64,
  height: 36,
  fps: 10,
  frames: 10,
  first: none,
  last: none,
};
const long: VideoPlan = { ...short, width: 640, height: 360, frames: 600 };

let thread: VideoThread;
const start = (options: Partial<ThreadOptions> = {}): VideoThread => {
  thread = createVideoThread(options);
  return thread;
};
afterEach(() => thread.stop());

const failure = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error) => error,
  );

test('videos are rendered in order, equal ones equally', async () => {
  start();
  const [one, other] = await Promise.all([thread.run(short), thread.run(short)]);
  expect(one.length).toBeGreaterThan(500);
  expect(Buffer.compare(one, other)).toBe(0);
});

test('an aborted video in flight ends at once, a waiting one leaves the queue', async () => {
  start({ waitingMax: 2 });
  const controllers = Array.from({ length: 3 }, () => new AbortController());
  const videos = controllers.map(({ signal }) => failure(thread.run(long, { signal })));
  expect(thread.hasRoom).toBe(false);
  expect(await failure(thread.run(short))).toMatchObject({ code: 'gateway_overloaded' });
  controllers[1]?.abort(new Error('second'));
  expect(thread.hasRoom).toBe(true);
  const after = thread.run(short);
  controllers[0]?.abort(new Error('first'));
  controllers[2]?.abort(new Error('third'));
  expect((await after).length).toBeGreaterThan(500);
  const messages = (await Promise.all(videos)).map((error) => (error as Error).message);
  expect(messages).toEqual(['first', 'second', 'third']);
});

test('progress is reported in order', async () => {
  const percents: number[] = [];
  const controller = new AbortController();
  const onProgress = (percent: number): void => {
    percents.push(percent);
    if (percents.length === 3) controller.abort(new Error('seen'));
  };
  const video = start().run(long, { signal: controller.signal, onProgress });
  expect(await failure(video)).toMatchObject({ message: 'seen' });
  expect(percents).toEqual([...percents].sort((one, other) => one - other));
});

/** Videos that are shared, kept and let go. */

import { expect, test } from 'bun:test';
import type { VideoPlan } from './video-plan.ts';
import { VideoRenderer } from './video-renderer.ts';
import type { VideoThread } from './video-thread.ts';

const plan = {} as VideoPlan;

interface Order {
  readonly signal: AbortSignal;
  percent(percent: number): void;
  done(bytes: number): Promise<void>;
  fail(): Promise<void>;
}

/** A thread that does what the test says. */
function scripted() {
  const orders: Order[] = [];
  const thread: VideoThread = {
    get hasRoom() {
      return orders.length < 3;
    },
    run(_plan, { signal = AbortSignal.abort(), onProgress: percent = () => undefined } = {}) {
      const { promise, resolve, reject } = Promise.withResolvers<Uint8Array<ArrayBuffer>>();
      signal.addEventListener('abort', () => reject(signal.reason));
      const settled = async (): Promise<void> => {
        await promise.catch(() => undefined);
        await Bun.sleep(0);
      };
      orders.push({
        signal,
        percent,
        done(bytes) {
          resolve(new Uint8Array(bytes));
          return settled();
        },
        fail() {
          reject(new Error('broken'));
          return settled();
        },
      });
      return promise;
    },
    stop: () => undefined,
  };
  return { orders, renderer: new VideoRenderer(thread, 100) };
}

test('a video that is wanted twice is drawn once', async () => {
  const { orders, renderer } = scripted();
  const videos = [renderer.render('a', plan, 'one'), renderer.render('a', plan, 'two')];
  expect(orders).toHaveLength(1);
  orders[0]?.percent(40);
  expect(renderer.stateOf('a')).toEqual({ finished: false, percent: 40 });
  await orders[0]?.done(10);
  expect((await Promise.all(videos)).map(({ length }) => length)).toEqual([10, 10]);
  expect(renderer.stateOf('a')).toEqual({ finished: true });
  expect((await renderer.render('a', plan, 'three')).length).toBe(10);
  expect(orders).toHaveLength(1);
});

test('it is stopped when the last one withdraws, and not before', async () => {
  const { orders, renderer } = scripted();
  const videos = [renderer.render('a', plan, 'one'), renderer.render('a', plan, 'two')];
  renderer.withdraw('a', 'one');
  renderer.withdraw('a', 'one');
  renderer.withdraw('a', 'stranger');
  expect(orders[0]?.signal.aborted).toBe(false);
  renderer.withdraw('a', 'two');
  expect(orders[0]?.signal.aborted).toBe(true);
  for (const video of videos) await expect(video).rejects.toThrow('no longer needed');
  expect(renderer.stateOf('a')).toBeUndefined();
  renderer.render('a', plan, 'three');
  expect(orders).toHaveLength(2);
});

test('the least recently asked for goes first when the memory is full; it stays finished and is drawn again', async () => {
  const { orders, renderer } = scripted();
  for (const [index, key] of ['a', 'b'].entries()) {
    renderer.render(key, plan, key);
    await orders[index]?.done(45);
  }
  await renderer.render('a', plan, 'again');
  renderer.render('c', plan, 'c');
  await orders[2]?.done(45);
  await renderer.render('a', plan, 'again');
  await renderer.render('c', plan, 'again');
  expect(orders).toHaveLength(3);
  expect(renderer.hasRoom('a')).toBe(true);
  expect(renderer.hasRoom('b')).toBe(false);
  expect(renderer.stateOf('b')).toEqual({ finished: true });
  renderer.render('b', plan, 'b');
  expect(orders).toHaveLength(4);
  await orders[3]?.done(1_000);
  // One that is larger than all the memory is still handed out.
  expect((await renderer.render('b', plan, 'b')).length).toBe(1_000);
  expect(orders).toHaveLength(4);
});

test('a failed video may be ordered again', async () => {
  const { orders, renderer } = scripted();
  const video = renderer.render('a', plan, 'one').catch((error: Error) => error.message);
  await orders[0]?.fail();
  expect(await video).toBe('broken');
  expect(renderer.stateOf('a')).toBeUndefined();
});

test('a dropped file is drawn again', async () => {
  const { orders, renderer } = scripted();
  renderer.render('a', plan, 'one');
  await orders[0]?.done(10);
  renderer.drop('a');
  expect(renderer.stateOf('a')).toEqual({ finished: true });
  renderer.render('a', plan, 'one');
  expect(orders).toHaveLength(2);
});

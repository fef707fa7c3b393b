/** Films that are shared, kept and let go. */

import { expect, test } from 'bun:test';
import type { FilmPlan } from './film.ts';
import { createFilmStudio } from './film-studio.ts';
import type { FilmThread } from './film-thread.ts';

const plan = {} as FilmPlan;

interface Order {
  readonly signal: AbortSignal;
  percent(percent: number): void;
  done(bytes: number): Promise<void>;
  fail(): Promise<void>;
}

/** A thread that does what the test says. */
function scripted() {
  const orders: Order[] = [];
  const thread: FilmThread = {
    hasRoom: () => orders.length < 3,
    render(_plan, percent, signal) {
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
    shrink: () => Promise.reject(new Error('not here')),
    stop: () => undefined,
  };
  return { orders, studio: createFilmStudio(thread, 100) };
}

test('a film that is wanted twice is drawn once', async () => {
  const { orders, studio } = scripted();
  const films = [studio.order('a', plan, 'one'), studio.order('a', plan, 'two')];
  expect(orders).toHaveLength(1);
  orders[0]?.percent(40);
  expect(studio.stateOf('a')).toEqual({ finished: false, percent: 40 });
  await orders[0]?.done(10);
  expect((await Promise.all(films)).map(({ length }) => length)).toEqual([10, 10]);
  expect(studio.stateOf('a')).toEqual({ finished: true });
  expect((await studio.order('a', plan, 'three')).length).toBe(10);
  expect(orders).toHaveLength(1);
});

test('it is stopped when the last one withdraws, and not before', async () => {
  const { orders, studio } = scripted();
  const films = [studio.order('a', plan, 'one'), studio.order('a', plan, 'two')];
  studio.withdraw('a', 'one');
  studio.withdraw('a', 'one');
  studio.withdraw('a', 'stranger');
  expect(orders[0]?.signal.aborted).toBe(false);
  studio.withdraw('a', 'two');
  expect(orders[0]?.signal.aborted).toBe(true);
  for (const film of films) await expect(film).rejects.toThrow('Nobody wants');
  expect(studio.stateOf('a')).toBeUndefined();
  studio.order('a', plan, 'three');
  expect(orders).toHaveLength(2);
});

test('the least recently asked for goes first when the memory is full; it stays finished and is drawn again', async () => {
  const { orders, studio } = scripted();
  for (const [index, key] of ['a', 'b'].entries()) {
    studio.order(key, plan, key);
    await orders[index]?.done(45);
  }
  await studio.order('a', plan, 'again');
  studio.order('c', plan, 'c');
  await orders[2]?.done(45);
  await studio.order('a', plan, 'again');
  await studio.order('c', plan, 'again');
  expect(orders).toHaveLength(3);
  expect(studio.hasRoom('a')).toBe(true);
  expect(studio.hasRoom('b')).toBe(false);
  expect(studio.stateOf('b')).toEqual({ finished: true });
  studio.order('b', plan, 'b');
  expect(orders).toHaveLength(4);
  await orders[3]?.done(1_000);
  // One that is larger than all the memory is still handed out.
  expect((await studio.order('b', plan, 'b')).length).toBe(1_000);
  expect(orders).toHaveLength(4);
});

test('a failed film may be ordered again', async () => {
  const { orders, studio } = scripted();
  const film = studio.order('a', plan, 'one').catch((error: Error) => error.message);
  await orders[0]?.fail();
  expect(await film).toBe('broken');
  expect(studio.stateOf('a')).toBeUndefined();
});

test('a dropped file is drawn again', async () => {
  const { orders, studio } = scripted();
  studio.order('a', plan, 'one');
  await orders[0]?.done(10);
  studio.drop('a');
  expect(studio.stateOf('a')).toEqual({ finished: true });
  studio.order('a', plan, 'one');
  expect(orders).toHaveLength(2);
});

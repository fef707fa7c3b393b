/** In one turn only so many bytes are read at once; the others follow in their order, in the next turns. */

import { expect, test } from 'bun:test';
import { TurnBytes } from './turn-bytes.ts';

function scene() {
  let next: (() => void) | undefined;
  const turns = new TurnBytes((work) => {
    expect(next).toBeUndefined();
    next = work;
  });
  const turn = async (): Promise<boolean> => {
    const work = next;
    next = undefined;
    work?.();
    await Promise.resolve();
    return work !== undefined;
  };
  return { turns, turn };
}

test('two hundred bodies of 127 KB take a hundred turns, in their order', async () => {
  const { turns, turn } = scene();
  const read: number[][] = [[]];
  for (let index = 0; index < 200; index++) {
    const waiting = turns.take(130_000);
    if (waiting === undefined) read.at(-1)?.push(index);
    else void waiting.then(() => read.at(-1)?.push(index));
  }
  for (read.push([]); await turn(); read.push([]));
  const busy = read.filter((each) => each.length > 0);
  expect(busy).toHaveLength(100);
  expect(busy.flat()).toEqual(Array.from({ length: 200 }, (_, index) => index));
});

test('one that comes while others wait does not overtake them, and the next turn is free again', async () => {
  const { turns, turn } = scene();
  expect(turns.take(262_144)).toBeUndefined();
  const second = turns.take(262_144);
  const third = turns.take(5_000);
  expect([second, third].every((each) => each instanceof Promise)).toBe(true);
  await turn();
  await turn();
  await turn();
  expect(turns.take(262_144)).toBeUndefined();
});

test('a larger one has a turn for itself, and small ones never wait', async () => {
  const { turns } = scene();
  expect(turns.take(1_000_000)).toBeUndefined();
  expect(turns.take(4_095)).toBeUndefined();
  expect(turns.take(4_096)).toBeInstanceOf(Promise);
});

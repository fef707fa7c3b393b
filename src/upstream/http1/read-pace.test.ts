/** A turn of the event loop reads so much from providers; who had no turn is the first in the next one. */

import { expect, test } from 'bun:test';
import { type PacedReader, ReadPace } from './read-pace.ts';

const megabyte = 1_048_576;

/** Connections that are read as the runtime reads: in their order, half a megabyte each, unless reading has stopped. */
function runtime(count: number) {
  const turns: (() => void)[] = [];
  const order: string[] = [];
  const seen: number[] = [];
  const pace = new ReadPace(
    (bytes) => seen.push(bytes),
    (work) => turns.push(work),
  );
  const readers = Array.from({ length: count }, (_, at) => {
    const reader: PacedReader & { isStopped: boolean; readonly name: string } = {
      name: `${at}`,
      wasRead: false,
      isStopped: false,
      stopReading: () => {
        reader.isStopped = true;
      },
      continueReading: () => {
        reader.isStopped = false;
        order.push(reader.name);
      },
    };
    pace.begin(reader);
    return reader;
  });
  return {
    ...{ pace, readers, order, seen, turns },
    /** The names of those that were read. */
    turn(bytes = megabyte / 2, among = readers): readonly string[] {
      const read: string[] = [];
      for (const reader of among) {
        if (reader.isStopped) continue;
        reader.wasRead = true;
        read.push(reader.name);
        pace.read(bytes);
      }
      return read;
    },
    endTurn: () => {
      for (const work of turns.splice(0)) work();
    },
  };
}

test('a turn reads eight megabytes, and the next one begins with those that had none', () => {
  const { turn, endTurn, order, readers, seen } = runtime(20);
  expect(turn()).toEqual(readers.slice(0, 16).map(({ name }) => name));
  expect(readers.every(({ isStopped }) => isStopped)).toBe(true);
  endTurn();
  expect(order.slice(0, 5)).toEqual(['16', '17', '18', '19', '0']);
  expect(readers.some(({ isStopped }) => isStopped)).toBe(false);
  expect(seen).toHaveLength(16);
});

test('streams of small pieces are never stopped, and their turns are hardly timed', () => {
  const { turn, endTurn, turns, order } = runtime(100);
  for (let count = 0; count < 50; count += 1) {
    expect(turn(200)).toHaveLength(100);
    expect(turns.length).toBeLessThanOrEqual(1);
    if (count % 10 === 0) endTurn();
  }
  expect(order).toEqual([]);
});

test('a reply that begins or ends while reading is stopped', () => {
  const { turn, endTurn, pace, readers, order } = runtime(17);
  turn();
  const [first, second] = readers;
  if (first === undefined || second === undefined) throw new Error('no readers');
  pace.end(first);
  expect([first.isStopped, second.isStopped]).toEqual([false, true]);
  pace.begin(first);
  expect(first.isStopped).toBe(true);
  endTurn();
  expect(order.length).toBe(1 + 17);
  expect(readers.some(({ isStopped }) => isStopped)).toBe(false);
});

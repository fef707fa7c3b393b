import { expect, test } from 'bun:test';
import { ReplyRoom } from './reply-room.ts';

const settled = (promise: Promise<void> | undefined) =>
  promise === undefined || Bun.peek.status(promise) === 'fulfilled';

test('what fits is taken at once, what does not waits for room', () => {
  const room = new ReplyRoom(10);
  const [one, two, three] = [room.enter(), room.enter(), room.enter()];
  expect([settled(one.grow(6)), settled(two.grow(4))]).toEqual([true, true]);
  const waiting = three.grow(3);
  expect(settled(waiting)).toBe(false);
  two.release();
  expect([settled(waiting), room.bytes]).toEqual([true, 9]);
});

test('the oldest always continues, so that replies that all need more cannot hold each other up', async () => {
  const room = new ReplyRoom(10);
  const tickets = Array.from({ length: 5 }, () => room.enter());
  for (const ticket of tickets) ticket.grow(2);
  const grown = tickets.map((ticket) => ticket.grow(20));
  expect(grown.map(settled)).toEqual([true, false, false, false, false]);
  for (const [index, ticket] of tickets.entries()) {
    expect(settled(grown[index])).toBe(true);
    ticket.release();
  }
  expect(room.bytes).toBe(0);
});

test('a ticket that is given back while it waits, or twice, gives back what it took and no more', () => {
  const room = new ReplyRoom(4);
  const [one, two] = [room.enter(), room.enter()];
  one.grow(4);
  const waiting = two.grow(4);
  two.release();
  two.release();
  expect([settled(waiting), room.bytes]).toEqual([true, 4]);
  one.release();
  one.release();
  expect(room.bytes).toBe(0);
});

/** A client that sends faster than it is served, or that does not read: its frames wait, in order. */

import { describe, expect, test } from 'bun:test';
import { connected, from, pongsOf, text } from '../../../test/harness/client-sockets.ts';
import { closing } from '../../../test/harness/scripted-peer.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));
const framesPerTurn = 32;

/** Numbered messages, from the first to before the last. */
const texts = (first: number, last: number) =>
  Array.from({ length: last - first }, (_, index) => text(String(first + index)));
const calledWith = (first: number, last: number) =>
  Array.from({ length: last - first }, (_, index) => ['message', String(first + index)] as const);

describe('many frames in one read', () => {
  test('are handled in turns, while nothing more is read', async () => {
    const { say, calls, raw } = connected();
    say(...texts(0, 100));
    for (const handled of [32, 64, 96]) {
      expect(calls).toEqual(calledWith(0, handled));
      expect(raw.isPaused).toBe(true);
      await turn();
    }
    expect(calls).toEqual(calledWith(0, 100));
    expect(raw.isPaused).toBe(false);
    say(text('100'));
    expect(calls).toEqual(calledWith(0, 101));
  });

  test('as many as there are for one turn need no other', () => {
    const { say, calls, raw } = connected();
    say(...texts(0, framesPerTurn));
    expect(calls).toHaveLength(framesPerTurn);
    expect(raw.isPaused).toBe(false);
  });

  test('have one pong in each turn', async () => {
    const { say, raw } = connected();
    say(...Array.from({ length: 70 }, (_, index) => from(9, String(index))));
    expect(pongsOf(raw)).toEqual(['31']);
    await turn();
    await turn();
    expect(pongsOf(raw)).toEqual(['31', '63', '69']);
    expect(raw.sent).toHaveLength(3);
  });

  test('come before what is read after them all the same, also in the middle of a frame', async () => {
    const { say, calls } = connected();
    const whole = Buffer.concat(texts(0, 150));
    say(whole.subarray(0, 700));
    say(whole.subarray(700, 703));
    say(whole.subarray(703));
    while (calls.length < 150) await turn();
    expect(calls).toEqual(calledWith(0, 150));
  });

  test('are as much of a sign of life as others', async () => {
    const { say, calls, raw, ticks } = connected();
    say(...texts(0, 5 * framesPerTurn));
    for (let turns = 0; turns < 4; turns += 1) {
      ticks(59);
      await turn();
    }
    expect(calls).toEqual(calledWith(0, 5 * framesPerTurn));
    expect(raw.frames).toEqual([]);
  });

  const ends = [
    ['the client’s close', from(8, closing(4_000, 'bye')), ['closed', 4_000, 'bye'], ['close', 4_000, 'bye']],
    ['a fault', from(3), ['closed', 1002, expect.any(String)], ['close', 1002, expect.any(String)]],
    [
      'a message that is too large',
      text('x'.repeat(1_001)),
      ['closed', 1009, expect.any(String)],
      ['close', 1009, expect.any(String)],
    ],
  ] as const;
  test.each(ends)('end with %s, when its turn comes', async (_name, last, call, sent) => {
    const { say, calls, raw, socket } = connected();
    say(...texts(0, 40), last, text('late'), ...texts(0, 100));
    expect(calls).toEqual(calledWith(0, framesPerTurn));
    await turn();
    expect(calls).toEqual([...calledWith(0, 40), [...call]]);
    expect(raw.frames).toEqual([[...sent]]);
    expect(raw.calls).toEqual(['shutdown']);
    // Otherwise the client’s hang-up would not be noticed.
    expect(raw.isPaused).toBe(false);
    say(text('later'));
    socket.drained();
    await turn();
    expect(calls).toHaveLength(41);
  });

  test('are not delivered when the client has left', async () => {
    const { say, calls, raw, ends: ended, socket } = connected();
    say(...texts(0, 100));
    raw.close();
    await turn();
    await turn();
    expect(calls).toEqual([...calledWith(0, framesPerTurn), ['closed', 1006, '']]);
    expect(ended).toEqual([socket]);
  });

  test('are not delivered behind a close of Weir’s, and the answer to that is found among them', async () => {
    const { say, calls, raw, socket } = connected();
    say(...texts(0, 100), from(8, closing(1001)));
    socket.close(1001, 'Weir is shutting down.');
    for (let turns = 0; turns < 4; turns += 1) await turn();
    expect(calls).toEqual([...calledWith(0, framesPerTurn), ['closed', 1001, 'Weir is shutting down.']]);
    expect(raw.frames).toEqual([['close', 1001, 'Weir is shutting down.']]);
    expect(raw.calls).toEqual(['shutdown']);
    expect(raw.isPaused).toBe(false);
  });

  test('end with a failure of the handler, which is reported', async () => {
    const failure = new Error('a bug');
    let handled = 0;
    const message = () => {
      handled += 1;
      if (handled > framesPerTurn) throw failure;
    };
    const { say, calls, raw, reported } = connected({ on: { message } });
    say(...texts(0, 100));
    await turn();
    await turn();
    expect(reported).toEqual([failure]);
    expect(raw.calls).toEqual(['terminate']);
    expect(calls.at(-1)).toEqual(['closed', 1006, '']);
    expect(handled).toBe(framesPerTurn + 1);
  });
});

describe('a client that sends and does not read', () => {
  const reply = 'x'.repeat(200_000);
  const flooded = () => {
    const one = connected({ on: { message: (socket) => void socket.send(reply) }, backlogBytesMax: 100_000_000 });
    one.raw.roomBytes = 0;
    one.say(...texts(0, 100));
    return one;
  };
  const settle = async () => {
    for (let turns = 0; turns < 10; turns += 1) await turn();
  };

  test('is not read until it takes what waits for it', async () => {
    const { say, calls, raw, socket, drain } = flooded();
    expect(raw.isPaused).toBe(true);
    await settle();
    expect(calls).toEqual(calledWith(0, framesPerTurn));
    // What the runtime had read already.
    say(...texts(100, 110));
    drain(3_000_000);
    await settle();
    expect(socket.bufferedBytes).toBeGreaterThan(2_097_152);
    expect(calls.filter(([name]) => name === 'message')).toHaveLength(framesPerTurn);
    for (let drains = 0; drains < 20 && raw.isPaused; drains += 1) {
      drain();
      await settle();
    }
    expect(raw.isPaused).toBe(false);
    expect(calls.filter(([name]) => name === 'message')).toEqual(calledWith(0, 110));
    expect(raw.frames).toHaveLength(110);
  });

  test('is ended when it stays so', () => {
    const { raw, ticks } = flooded();
    ticks(119);
    expect(raw.calls).toEqual([]);
    ticks(1);
    expect(raw.calls).toEqual(['terminate']);
  });

  test('is read again once it was sent a close frame', async () => {
    const { calls, raw, socket, drain } = flooded();
    socket.close(1000, 'done');
    drain(1);
    await settle();
    expect(raw.isPaused).toBe(false);
    expect(calls).toEqual([...calledWith(0, framesPerTurn), ['closed', 1000, 'done']]);
  });
});

/** Every state of a connection ends by its clock, whatever little the client still sends; only work of Weir's own has none. */

import { describe, expect, test } from 'bun:test';
import type { Handle } from '../../../test/harness/http-server.ts';
import { openConnection, silentTicksMax } from '../../../test/harness/scripted-connection.ts';
import { type Reply, WholeReply } from '../reply.ts';
import { type ConnectionState, connectionClocks, discardedBytesMax } from './connection-clocks.ts';

const never: Handle = () => new Promise<Reply>(() => undefined);
const answer: Handle = () => new WholeReply('ok', {});
const head = 'POST /a HTTP/1.1\r\nhost: h\r\n';
const body = `${head}content-length: 999999999999\r\n\r\n`;

interface Case {
  readonly handle: Handle;
  /** What brings a new connection into the state. */
  readonly reads: readonly string[];
  /** How much of a reply the socket takes. */
  readonly room?: number;
  /** What the client sends there, byte by byte. */
  readonly drip: string;
}

/** The type checker names a state that is missing here. */
const cases: Readonly<Record<ConnectionState, Case>> = {
  new: { handle: answer, reads: [], drip: 'GET /aaaaaaa' },
  head: { handle: answer, reads: [`${head}\r\n`, 'GET /'], drip: 'a' },
  idle: { handle: answer, reads: [`${head}\r\n`], drip: '\r\n' },
  body: { handle: never, reads: [body, 'a'], drip: 'a' },
  work: { handle: never, reads: [`${head}\r\n`], drip: 'a' },
  unread: { handle: answer, reads: [`${head}\r\n`], room: 5, drip: 'a' },
  answered: { handle: answer, reads: [body, 'a'], drip: 'a' },
  linger: { handle: answer, reads: ['nonsense\r\n\r\n'], drip: 'a' },
};

const habits: Readonly<Record<string, (given: Case, second: number) => string>> = {
  silence: () => '',
  drip: ({ drip }, second) => drip[second % drip.length] ?? '',
  'empty lines': () => '\r\n',
  'halves of empty lines': (_, second) => '\r\n'[second % 2] ?? '',
};

/** Longer than any clock. */
const secondsMax = 2 * 3_600;

function secondsUntilClosed(given: Case, habit: (given: Case, second: number) => string): number {
  const { read, tick, socket } = openConnection(given.handle);
  socket.room = given.room ?? Number.POSITIVE_INFINITY;
  for (const each of given.reads) read(each);
  for (let second = 0; second < secondsMax; second += 1) {
    if (socket.calls.includes('terminate') || socket.calls.includes('end')) return second;
    const text = habit(given, second);
    if (text !== '' && !socket.isPaused) read(text);
    tick(1);
  }
  return Number.POSITIVE_INFINITY;
}

describe.each(Object.entries(cases) as [ConnectionState, Case][])('a connection in the state "%s"', (state, given) => {
  test('is in it', () => {
    const { read, socket, connection } = openConnection(given.handle);
    socket.room = given.room ?? Number.POSITIVE_INFINITY;
    for (const each of given.reads) read(each);
    expect(connection.state).toBe(state);
  });

  const { silentTicksMax: silent, totalTicksMax: total } = connectionClocks[state];
  for (const [name, habit] of Object.entries(habits)) {
    if (state === 'work') continue;
    test(`is closed in spite of ${name}`, () => {
      // Behind the last reply there is a farewell, which has its own clock.
      const farewell = connectionClocks.linger.totalTicksMax ?? 0;
      const most = name === 'silence' ? (silent ?? silentTicksMax) : (total ?? silentTicksMax);
      expect(secondsUntilClosed(given, habit)).toBeLessThanOrEqual(most + farewell + 2);
    });
  }
});

test('only work of its own has no clock', () => {
  const endless = Object.entries(connectionClocks).filter(([, clock]) => clock.silentTicksMax === Infinity);
  expect(endless.map(([state]) => state)).toEqual(['work']);
});

test('the body of an answered request is discarded up to a bound of bytes', () => {
  const { read, socket, connection } = openConnection(answer);
  read(body);
  // A part of a larger memory, which is not given back.
  const piece = Buffer.alloc(16_777_217).subarray(1);
  let bytes = 0;
  for (; bytes < 2 * discardedBytesMax && !socket.calls.includes('terminate'); bytes += piece.length) {
    connection.received(piece);
  }
  expect(socket.calls).toContain('terminate');
  expect(bytes).toBeLessThanOrEqual(discardedBytesMax + piece.length);
  expect(connection.isIdle).toBe(true);
});

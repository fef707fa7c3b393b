/** What goes out: right lengths, masked with a key of its own each time, in order, and kept while the socket takes nothing. */

import { describe, expect, test } from 'bun:test';
import { writeBytesMax } from '../writable.ts';
import { closePayload, sendableCode } from './close-codes.ts';
import { FrameWriter } from './frame-writer.ts';

const ignore = (): void => undefined;

/** A socket that takes as much as it is allowed to. */
function slowSocket(roomBytes: number) {
  const pieces: Buffer[] = [];
  const socket = {
    room: roomBytes,
    writes: 0,
    write(data: Uint8Array, from: number, length: number): number {
      socket.writes += 1;
      const taken = Math.min(length, socket.room);
      socket.room -= taken;
      pieces.push(Buffer.from(data.subarray(from, from + taken)));
      return taken;
    },
    get sent(): Buffer {
      return Buffer.concat(pieces);
    },
  };
  return socket;
}

/** Takes one masked frame of a client apart in the plainest way. */
function unmask(bytes: Buffer) {
  const short = bytes.readUInt8(1) & 0x7f;
  const header = short === 126 ? 4 : short === 127 ? 10 : 2;
  const length = header === 2 ? short : header === 4 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2));
  const key = bytes.subarray(header, header + 4);
  const payload = bytes.subarray(header + 4, header + 4 + length).map((byte, at) => byte ^ (key[at % 4] ?? 0));
  return {
    first: bytes.readUInt8(0),
    masked: bytes.readUInt8(1) >= 0x80,
    header,
    key: Buffer.from(key),
    payload: Buffer.from(payload),
    rest: bytes.subarray(header + 4 + length),
  };
}

describe('a frame', () => {
  test.each([
    0, 1, 2, 3, 4, 5, 125, 126, 127, 65_515, 65_520, 65_521, 65_535, 65_536, 65_537, 1_000_003,
  ])('of %d bytes', (length) => {
    const socket = slowSocket(Number.POSITIVE_INFINITY);
    const text = 'abcdefg'.repeat(Math.ceil(length / 7)).slice(0, length);
    new FrameWriter(socket, 'client', ignore).send(1, text);
    const { first, masked, header, payload, rest } = unmask(socket.sent);
    expect(first).toBe(0x81);
    expect(masked).toBe(true);
    expect(header).toBe(length < 126 ? 2 : length < 65_536 ? 4 : 10);
    expect(payload.equals(Buffer.from(text))).toBe(true);
    expect(rest).toHaveLength(0);
  });

  test('counts bytes, not characters, and replaces half a character', () => {
    const socket = slowSocket(1_000);
    new FrameWriter(socket, 'client', ignore).send(1, '€🙂\ud800');
    expect(unmask(socket.sent).payload.toString()).toBe('€🙂\ufffd');
  });

  test('has a key of its own', () => {
    const socket = slowSocket(Number.POSITIVE_INFINITY);
    const writer = new FrameWriter(socket, 'client', ignore);
    for (let count = 0; count < 1_000; count += 1) writer.send(1, 'same');
    const keys = new Set<string>();
    for (let rest = socket.sent; rest.length > 0; rest = unmask(rest).rest) keys.add(unmask(rest).key.toString('hex'));
    expect(keys.size).toBeGreaterThan(990);
  });
});

/** Takes one frame of a server apart. */
function unframe(bytes: Buffer) {
  const short = bytes.readUInt8(1);
  const header = short === 126 ? 4 : short === 127 ? 10 : 2;
  const length = header === 2 ? short : header === 4 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2));
  const payload = bytes.subarray(header, header + length);
  return { first: bytes.readUInt8(0), header, payload, rest: bytes.subarray(header + length) };
}

describe('a frame of a server', () => {
  test.each([
    0, 1, 2, 3, 125, 126, 127, 65_519, 65_520, 65_521, 65_535, 65_536, 65_537, 1_000_003,
  ])('of %d bytes is not masked', (length) => {
    const socket = slowSocket(Number.POSITIVE_INFINITY);
    const payload = 'abcdefg'.repeat(Math.ceil(length / 7)).slice(0, length);
    const writer = new FrameWriter(socket, 'server', ignore);
    writer.send(1, payload);
    writer.send(2, Buffer.from(payload));
    const text = unframe(socket.sent);
    const binary = unframe(text.rest);
    expect([text.first, binary.first]).toEqual([0x81, 0x82]);
    for (const one of [text, binary]) {
      expect(one.header).toBe(length < 126 ? 2 : length < 65_536 ? 4 : 10);
      expect(one.payload.equals(Buffer.from(payload))).toBe(true);
    }
    expect(binary.rest).toHaveLength(0);
  });

  test('waits whole, between others, for a socket that takes a few bytes', () => {
    const socket = slowSocket(1);
    const writer = new FrameWriter(socket, 'server', ignore);
    const texts = ['a', 'é'.repeat(100), '', 'y'.repeat(200_000), '🙂'];
    for (const text of texts) writer.send(1, text);
    writer.send(9, 'ping');
    const total = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 2 + 4 + 2 + 10 + 2 + 2 + 4);
    expect(writer.bufferedBytes).toBe(total - 1);
    for (let done = false; !done; ) {
      socket.room = 1_777;
      done = writer.drained();
    }
    let { sent: rest } = socket;
    for (const text of [...texts, 'ping']) {
      const taken = unframe(rest);
      expect(taken.payload.toString()).toBe(text);
      rest = taken.rest;
    }
    expect(rest).toHaveLength(0);
  });
});

describe('a socket that takes little', () => {
  test('gets everything in order, a few bytes at a time', () => {
    const socket = slowSocket(10);
    const writer = new FrameWriter(socket, 'client', ignore);
    const texts = Array.from({ length: 500 }, (_, index) => `${index} ${'x'.repeat((index * 37) % 400)}`);
    texts[250] = 'y'.repeat(200_000);
    for (const text of texts) writer.send(1, text);
    const total = texts.reduce(
      (sum, text) => sum + text.length + 6 + (text.length > 65_535 ? 8 : text.length > 125 ? 2 : 0),
      0,
    );
    expect(writer.bufferedBytes).toBe(total - 10);
    let turns = 0;
    for (let done = false; !done; turns += 1) {
      socket.room = 777;
      done = writer.drained();
      expect(writer.bufferedBytes).toBe(total - socket.sent.length);
    }
    expect(turns).toBeGreaterThan(300);
    let rest = socket.sent;
    for (const text of texts) {
      const taken = unmask(rest);
      expect(taken.payload.toString()).toBe(text);
      rest = taken.rest;
    }
    expect(rest).toHaveLength(0);
    expect(writer.drained()).toBe(false);
  });

  test('takes small frames that waited in few writes', () => {
    const socket = slowSocket(0);
    const writer = new FrameWriter(socket, 'client', ignore);
    for (let count = 0; count < 1_000; count += 1) writer.send(1, 'small');
    socket.writes = 0;
    socket.room = Number.POSITIVE_INFINITY;
    expect(writer.drained()).toBe(true);
    expect(socket.writes).toBeLessThan(3);
    expect(writer.bufferedBytes).toBe(0);
  });

  test('that is closed keeps nothing after forget()', () => {
    const writer = new FrameWriter({ write: () => -1 }, 'client', ignore);
    writer.send(1, 'lost');
    expect(writer.bufferedBytes).toBe(10);
    writer.forget();
    expect(writer.bufferedBytes).toBe(0);
    expect(writer.drained()).toBe(false);
  });
});

test('a socket that takes everything gets a megabyte in a turn', () => {
  const socket = slowSocket(Number.POSITIVE_INFINITY);
  let asked = 0;
  const writer = new FrameWriter(socket, 'server', () => (asked += 1));
  for (let count = 0; count < 3; count += 1) writer.send(1, 'x'.repeat(2_500_000));
  const turns = [socket.sent.length];
  for (let done = false; !done; ) {
    expect(asked).toBe(turns.length);
    done = writer.drained();
    turns.push(socket.sent.length);
  }
  expect(asked).toBe(turns.length - 1);
  for (const [index, sent] of turns.entries())
    expect(sent - (turns[index - 1] ?? 0)).toBeLessThanOrEqual(writeBytesMax);
  expect(turns.at(-1)).toBe(3 * (2_500_000 + 10));
});

describe('closes', () => {
  test.each([
    [1000, 1000],
    [1005, 1000],
    [1006, 1011],
    [1015, 1011],
    [1004, 1011],
    [0, 1011],
    [-1, 1011],
    [1000.5, 1011],
    [Number.NaN, 1011],
    [1016, 1011],
    [2999, 1011],
    [5000, 1011],
    [1014, 1014],
    [3000, 3000],
    [4999, 4999],
  ])('code %d is sent as %d', (code, sent) => {
    expect(sendableCode(code)).toBe(sent);
    expect(Buffer.from(closePayload(code, '')).readUInt16BE(0)).toBe(sent);
  });

  test.each([
    ['short', 'short'],
    ['x'.repeat(124), 'x'.repeat(123)],
    [`${'x'.repeat(122)}é`, 'x'.repeat(122)],
    ['🙂'.repeat(40), '🙂'.repeat(30)],
    [`x${'é'.repeat(61)}y`, `x${'é'.repeat(61)}`],
  ])('the reason %s is cut at a character', (reason, sent) => {
    const payload = closePayload(1000, reason);
    expect(payload.length).toBeLessThanOrEqual(125);
    expect(new TextDecoder('utf-8', { fatal: true }).decode(payload.subarray(2))).toBe(sent);
  });
});

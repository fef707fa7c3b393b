/** Pieces of every length are kept in order, and short ones in little memory. */

import { describe, expect, test } from 'bun:test';
import { BodyPieces } from './body-pieces.ts';
import { Deadlines } from './deadlines.ts';
import { readBody } from './read-body.ts';

type Bytes = Uint8Array<ArrayBuffer>;

/** In memory of its own, as a read of a socket. */
const piece = (first: number, length: number): Bytes => Uint8Array.from({ length }, (_, at) => first + at);

function taken(pieces: BodyPieces): Bytes[] {
  const all: Bytes[] = [];
  for (let next = pieces.shift(); next !== undefined; next = pieces.shift()) all.push(next);
  return all;
}

/** Of all memory that the pieces keep from being freed. */
const memoryOf = (pieces: readonly Bytes[]): number =>
  [...new Set(pieces.map(({ buffer }) => buffer))].reduce((sum, { byteLength }) => sum + byteLength, 0);

describe('100,000 single bytes', () => {
  const all = piece(0, 100_000);
  const filled = () => {
    const pieces = new BodyPieces();
    for (let at = 0; at < all.length; at += 1) pieces.add(all.slice(at, at + 1));
    return pieces;
  };

  test('are a few pieces, in at most twice the memory', () => {
    const few = taken(filled());
    expect(few.length).toBeLessThan(4);
    expect(memoryOf(few)).toBeLessThan(2 * all.length);
    expect(Buffer.concat(few).equals(all)).toBe(true);
  });

  test('are whole', () => {
    const pieces = filled();
    expect(pieces.bytes).toBe(all.length);
    expect(Buffer.from(pieces.takeWhole()).equals(all)).toBe(true);
    expect(pieces.bytes).toBe(0);
    expect(pieces.takeWhole()).toHaveLength(0);
  });

  test('that a reader waits for are not kept one by one', async () => {
    const seen: WeakRef<Bytes>[] = [];
    async function* body(): AsyncGenerator<Bytes> {
      for (let at = 0; at < all.length; at += 1) {
        const one = all.slice(at, at + 1);
        seen.push(new WeakRef(one));
        yield one;
        if (at % 10_000 !== 0) continue;
        await new Promise((resolve) => setImmediate(resolve));
        Bun.gc(true);
        // Some are on the stack still, or look like it.
        expect(seen.filter((kept) => kept.deref() !== undefined).length).toBeLessThan(10_100);
      }
    }
    const request = {
      method: 'POST',
      headers: new Headers(),
      body: body(),
      bytes: () => Promise.reject(),
      signal: new AbortController().signal,
    };
    const bytes = await readBody(request, { bytesMax: 100_000, timeoutMs: 1e9, deadlines: new Deadlines(() => 0) });
    expect(Buffer.from(bytes).equals(all)).toBe(true);
  });
});

test('the only piece is not copied', () => {
  for (const length of [1, 1_023, 1_024, 100_000]) {
    const pieces = new BodyPieces();
    const only = piece(1, length);
    pieces.add(only);
    expect(pieces.takeWhole()).toBe(only);
  }
});

test('a small part of a large read does not keep all of it', () => {
  for (const length of [10, 2_000, 8_000]) {
    const pieces = new BodyPieces();
    pieces.add(Buffer.from(new ArrayBuffer(20_000)).subarray(5, 5 + length) as Bytes);
    expect(pieces.takeWhole().buffer.byteLength).toBe(length);
  }
});

test('1,000 random sequences are kept in order, also while they are read', () => {
  let seed = 0;
  const random = (below: number) => Bun.hash.crc32(String(seed++)) % below;
  for (let round = 0; round < 1_000; round += 1) {
    const pieces = new BodyPieces();
    const added: Bytes[] = [];
    const read: Bytes[] = [];
    const copies: Buffer[] = [];
    for (let count = random(100); count >= 0; count -= 1) {
      const one = piece(random(256), 1 + random([3, 1_500, 40_000][random(random(2) * 2 + 1)] ?? 1));
      added.push(one);
      pieces.add(one);
      const next = random(3) === 0 ? pieces.shift() : undefined;
      if (next === undefined) continue;
      read.push(next);
      copies.push(Buffer.from(next));
    }
    const bytes = Buffer.concat(added).length - Buffer.concat(copies).length;
    expect(pieces.bytes).toBe(bytes);
    const rest = pieces.takeWhole();
    expect(Buffer.concat([...copies, rest]).equals(Buffer.concat(added))).toBe(true);
    // What was read is not written to any more.
    expect(Buffer.concat(read).equals(Buffer.concat(copies))).toBe(true);
  }
});

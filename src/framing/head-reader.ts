/** Collects the head of a message, which nearly always comes in one read and may come in as many reads as it has bytes. */

import { FramingError, HeadTooLargeError, type Message } from './framing-error.ts';

const headEnd = Buffer.from('\r\n\r\n');
const partialBytesFirst = 2_048;
const carriageReturn = 0x0d;
const lineFeed = 0x0a;
const space = 0x20;

export class HeadReader {
  readonly #headBytesMax: number;
  readonly #message: Message;
  #partial: Buffer | undefined;
  #partialBytes = 0;
  /** Where in the last read the head ended; meaningful after `take` returned one. */
  endsAt = 0;

  constructor(headBytesMax: number, message: Message) {
    this.#headBytesMax = headBytesMax;
    this.#message = message;
  }

  get isEmpty(): boolean {
    return this.#partial === undefined;
  }

  /** Whether a head has begun to arrive: empty lines before it are no part of it. */
  get begun(): boolean {
    const partial = this.#partial;
    if (partial === undefined) return false;
    for (let at = 0; at < this.#partialBytes; at += 1) if (partial[at] !== headEnd[at]) return true;
    return false;
  }

  /** The head without the empty line that ends it, or undefined while some of it is missing. */
  take(bytes: Buffer, start: number): string | undefined {
    if (this.#partial !== undefined) return this.#takeMore(this.#partial, bytes, start);
    const end = bytes.indexOf(headEnd, start);
    if (end < 0) {
      this.#keep(bytes, start);
      this.#check(this.#partialBytes - headEnd.length);
      this.#requireText(bytes[start]);
      this.#requireLines(0);
      return undefined;
    }
    this.#check(end - start);
    this.endsAt = end + headEnd.length;
    return bytes.toString('latin1', start, end);
  }

  #takeMore(partial: Buffer, bytes: Buffer, start: number): string | undefined {
    const before = this.#partialBytes;
    const joined = this.#keep(bytes, start, partial);
    // The end may have begun in an earlier read.
    const end = joined.subarray(0, this.#partialBytes).indexOf(headEnd, Math.max(0, before - headEnd.length + 1));
    // Only then: behind its end the read may have brought much of the body too.
    this.#check(end < 0 ? this.#partialBytes - headEnd.length : end);
    if (end < 0) {
      this.#requireLines(before);
      return undefined;
    }
    this.#partial = undefined;
    this.#partialBytes = 0;
    this.endsAt = start + end + headEnd.length - before;
    return joined.toString('latin1', 0, end);
  }

  /** Grows by doubling, so that a head that drips in costs linear time. */
  #keep(bytes: Buffer, start: number, partial: Buffer = Buffer.allocUnsafe(partialBytesFirst)): Buffer {
    const added = Math.min(bytes.length - start, this.#headBytesMax + headEnd.length + 1 - this.#partialBytes);
    const needed = this.#partialBytes + added;
    let room = partial;
    if (needed > room.length) {
      room = Buffer.allocUnsafe(Math.max(needed, room.length * 2));
      partial.copy(room, 0, 0, this.#partialBytes);
    }
    bytes.copy(room, this.#partialBytes, start, start + added);
    this.#partial = room;
    this.#partialBytes = needed;
    return room;
  }

  /** The end of a head would be awaited in vain: a TLS handshake has none. */
  #requireText(first = space): void {
    if (first >= space || first === carriageReturn || first === lineFeed) return;
    throw new FramingError(`The ${this.#message} does not begin with text. Is it TLS, on a port without TLS?`);
  }

  /** A head whose lines end with line feeds alone has no end here: its sender would wait. */
  #requireLines(from: number): void {
    const partial = this.#partial;
    if (partial === undefined) return;
    for (let at = partial.indexOf(lineFeed, from); at >= 0 && at < this.#partialBytes; ) {
      if (partial[at - 1] !== carriageReturn) {
        throw new FramingError(`A line of the ${this.#message}’s head ends without a carriage return.`);
      }
      at = partial.indexOf(lineFeed, at + 1);
    }
  }

  #check(headBytes: number): void {
    if (headBytes > this.#headBytesMax) {
      throw new HeadTooLargeError(`The head of the ${this.#message} is larger than ${this.#headBytesMax} bytes.`);
    }
  }
}

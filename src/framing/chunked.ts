/** Decodes chunked bodies: each read yields its data as one piece, wherever the reads were split. */

import { FramingError, type Message } from './framing-error.ts';

const sizeStart = 0;
const sizeDigits = 1;
const extension = 2;
const sizeLineFeed = 3;
const data = 4;
const dataCarriageReturn = 5;
const dataLineFeed = 6;
const trailerStart = 7;
const trailerLine = 8;
const lastLineFeed = 9;
const ended = 10;

const carriageReturn = 0x0d;
const lineFeed = 0x0a;
/** More hexadecimal digits than any chunk has, and few enough that a number holds them exactly. */
const sizeDigitsMax = 12;
/** Extensions and trailers are ignored; a server that sends more than this is refused. */
const ignoredBytesMax = 65_536;

export class ChunkedBody {
  readonly #message: Message;
  #state = sizeStart;
  #digits = 0;
  #left = 0;
  #ignoredBytes = 0;
  #broken: unknown;
  /** Where in the last read the body ended; meaningful once `done`. */
  endsAt = 0;

  constructor(message: Message) {
    this.#message = message;
  }

  get done(): boolean {
    return this.#state === ended;
  }

  /** Nothing but sizes and data: no extensions or trailers, which other parsers may read differently. */
  get plain(): boolean {
    return this.#ignoredBytes === 0;
  }

  begin(): void {
    this.#state = sizeStart;
    this.#digits = 0;
    this.#left = 0;
    this.#ignoredBytes = 0;
    this.#broken = undefined;
  }

  /** Throws if the last read was broken; the data before the fault has been returned. */
  check(): void {
    if (this.#broken !== undefined) throw this.#broken;
  }

  /**
   * The data of one read, beginning at `start`, up to a fault. Later chunks are moved up to the first inside the read's
   * memory, which is not shared.
   */
  take(bytes: Uint8Array, start: number): Uint8Array | undefined {
    const { length } = bytes;
    let at = start;
    let from = -1;
    let to = -1;
    while (at < length && this.#state !== ended) {
      if (this.#state !== data) {
        try {
          this.#step(bytes[at] ?? 0);
        } catch (error) {
          this.#broken = error;
          break;
        }
        at += 1;
        continue;
      }
      const end = Math.min(at + this.#left, length);
      if (from < 0) {
        from = at;
        to = end;
      } else {
        bytes.copyWithin(to, at, end);
        to += end - at;
      }
      this.#left -= end - at;
      if (this.#left === 0) this.#state = dataCarriageReturn;
      at = end;
    }
    this.endsAt = at;
    return from < 0 ? undefined : bytes.subarray(from, to);
  }

  /** One byte of the framing around the data. */
  #step(byte: number): void {
    switch (this.#state) {
      case sizeStart:
      case sizeDigits:
        this.#sizeByte(byte);
        return;
      case extension:
        if (byte === carriageReturn) this.#state = sizeLineFeed;
        else this.#ignore(byte);
        return;
      case sizeLineFeed:
        this.#require(byte, lineFeed);
        this.#state = this.#left === 0 ? trailerStart : data;
        return;
      case dataCarriageReturn:
        this.#require(byte, carriageReturn);
        this.#state = dataLineFeed;
        return;
      case dataLineFeed:
        this.#require(byte, lineFeed);
        this.#digits = 0;
        this.#state = sizeStart;
        return;
      case trailerStart:
        this.#state = byte === carriageReturn ? lastLineFeed : trailerLine;
        if (byte !== carriageReturn) this.#ignore(byte);
        return;
      case trailerLine:
        if (byte === lineFeed) this.#state = trailerStart;
        else this.#ignore(byte);
        return;
      case lastLineFeed:
        this.#require(byte, lineFeed);
        this.#state = ended;
    }
  }

  #sizeByte(byte: number): void {
    const digit = hexadecimal(byte);
    if (digit >= 0) {
      this.#left = this.#left * 16 + digit;
      this.#digits += 1;
      if (this.#digits > sizeDigitsMax) throw this.#fault('The size of a chunk of the', 'has too many digits');
      this.#state = sizeDigits;
      return;
    }
    if (this.#digits === 0) throw this.#fault('The size of a chunk of the', 'is not a number');
    if (byte === carriageReturn) this.#state = sizeLineFeed;
    // Some servers pad the size with spaces.
    else if (byte === 0x3b || byte === 0x20 || byte === 0x09) {
      this.#state = extension;
      this.#ignore(byte);
    } else throw this.#fault('The size of a chunk of the', 'is not a number');
  }

  #require(byte: number, expected: number): void {
    if (byte !== expected) throw this.#fault('A chunk of the', 'does not end where its size says');
  }

  #fault(subject: string, what: string): FramingError {
    return new FramingError(`${subject} ${this.#message} ${what}.`);
  }

  #ignore(byte: number): void {
    if (byte === lineFeed) throw this.#fault('A line between the chunks of the', 'ends without a carriage return');
    this.#ignoredBytes += 1;
    if (this.#ignoredBytes > ignoredBytesMax) {
      throw this.#fault('The', `has more than ${ignoredBytesMax} bytes of chunk extensions and trailers`);
    }
  }
}

function hexadecimal(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}

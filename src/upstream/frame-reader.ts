/**
 * Cuts a provider's event stream into frames without copying what is already whole. Each frame keeps its raw bytes, so that the
 * forward lane can pass on exactly what came, and its data, so that taps and translators can read it.
 */

import { utf8Text } from '../conversation/texts/utf8-text.ts';

export interface Frame {
  /** The bytes as they came, blank line included. */
  readonly raw: Uint8Array;
  /** The `data` lines joined by line feeds; undefined for a frame without data (a comment, a lone `event`, a blank line). */
  readonly data: string | undefined;
  readonly event: string | undefined;
}

export class FrameTooLargeError extends Error {
  readonly bytesMax: number;
  constructor(bytesMax: number) {
    super(`The provider sent an event larger than ${bytesMax} bytes.`);
    this.bytesMax = bytesMax;
    this.name = 'FrameTooLargeError';
  }
}

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const space = 0x20;
const byteOrderMark = [0xef, 0xbb, 0xbf];

export class FrameReader {
  readonly #frameBytesMax: number;
  /** Pieces of the frame that is still open, joined only once it is whole: one large event costs linear time. */
  #pieces: Uint8Array[] = [];
  #pendingBytes = 0;
  /** True while the current line has no byte yet: the next line end closes the frame. */
  #lineEmpty = true;
  /** The last byte was a CR: a following LF belongs to it. */
  #afterReturn = false;
  /** How much of a byte order mark was passed over at the very start; 3 means that part is done. */
  #markBytes = 0;

  constructor(frameBytesMax: number) {
    this.#frameBytesMax = frameBytesMax;
  }

  /** Feeds one read; calls `emit` for every frame that became whole. */
  push(chunk: Uint8Array, emit: (frame: Frame) => void): void {
    const sole = this.#isBetweenFrames ? soleFrame(chunk) : undefined;
    if (sole === undefined) this.#pushBytes(chunk, emit);
    else emit(sole);
  }

  /** Behind the first read, whose byte order mark is not data. */
  get #isBetweenFrames(): boolean {
    return this.#pendingBytes === 0 && this.#lineEmpty && !this.#afterReturn && this.#markBytes === 3;
  }

  #pushBytes(chunk: Uint8Array, emit: (frame: Frame) => void): void {
    let from = 0;
    let index = 0;
    while (this.#markBytes < 3 && index < chunk.length) {
      if (chunk[index] === byteOrderMark[this.#markBytes]) {
        this.#markBytes++;
        from = ++index;
      } else this.#markBytes = 3;
    }
    const length = chunk.length;
    while (index < length) {
      const byte = chunk[index];
      index++;
      if (byte === lineFeed && this.#afterReturn) {
        this.#afterReturn = false;
        // The second half of a CRLF whose CR has already been counted; after a frame's end it leads the next frame's bytes.
        continue;
      }
      this.#afterReturn = byte === carriageReturn;
      if (byte !== lineFeed && byte !== carriageReturn) {
        this.#lineEmpty = false;
        continue;
      }
      if (!this.#lineEmpty) {
        this.#lineEmpty = true;
        continue;
      }
      if (this.#afterReturn && chunk[index] === lineFeed) {
        index++;
        this.#afterReturn = false;
      }
      const raw = this.#take(chunk.subarray(from, index));
      from = index;
      emit(parseFrame(raw));
    }
    if (from < length) this.#keep(chunk.subarray(from));
  }

  /** What is left when the stream ends: a frame that was not closed by a blank line. */
  end(emit: (frame: Frame) => void): void {
    if (this.#pendingBytes === 0) return;
    emit(parseFrame(this.#take(new Uint8Array(0))));
  }

  #keep(piece: Uint8Array): void {
    this.#pendingBytes += piece.length;
    if (this.#pendingBytes > this.#frameBytesMax) throw new FrameTooLargeError(this.#frameBytesMax);
    // A copy: the runtime may reuse the read's memory.
    this.#pieces.push(piece.slice());
  }

  #take(last: Uint8Array): Uint8Array {
    if (this.#pendingBytes === 0) return last;
    if (this.#pendingBytes + last.length > this.#frameBytesMax) throw new FrameTooLargeError(this.#frameBytesMax);
    const whole = Buffer.concat([...this.#pieces, last]);
    this.#pieces = [];
    this.#pendingBytes = 0;
    return whole;
  }
}

/** A read that is one frame of a common form, as most are: its bytes are not looked at one by one. */
function soleFrame(chunk: Uint8Array): Frame | undefined {
  const end = chunk.length - 2;
  if (end < 0 || chunk[end + 1] !== lineFeed) return undefined;
  const first = chunk.indexOf(lineFeed);
  if (first !== end && chunk.indexOf(lineFeed, first + 1) !== end) return undefined;
  return plainFrame(chunk, utf8Text(chunk));
}

/** The common forms: `data: …` and a blank line, and the same behind a line `event: …`. Undefined for any other. */
function plainFrame(raw: Uint8Array, text: string): Frame | undefined {
  const last = text.length - 2;
  if (!text.endsWith('\n\n') || text.includes('\r')) return undefined;
  const first = text.indexOf('\n');
  if (first === last) {
    return text.startsWith('data:') ? { raw, data: valueIn(text, 5, last), event: undefined } : undefined;
  }
  const isNamed =
    text.startsWith('event:') && text.startsWith('data:', first + 1) && text.indexOf('\n', first + 1) === last;
  return isNamed ? { raw, data: valueIn(text, first + 6, last), event: valueIn(text, 6, first) } : undefined;
}

/** Behind a field's colon; one space there is no part of the value. */
const valueIn = (text: string, from: number, to: number): string =>
  text.slice(text.charCodeAt(from) === space ? from + 1 : from, to);

/** A frame that has none of the common forms is parsed line by line. */
function parseFrame(raw: Uint8Array): Frame {
  const text = utf8Text(raw);
  const plain = plainFrame(raw, text);
  if (plain !== undefined) return plain;
  let data: string | undefined;
  let event: string | undefined;
  for (const line of text.split(/\r\n|\n|\r/)) {
    if (line === '' || line[0] === ':') continue;
    const at = line.indexOf(':');
    const name = at === -1 ? line : line.slice(0, at);
    const value = at === -1 ? '' : line.slice(line[at + 1] === ' ' ? at + 2 : at + 1);
    if (name === 'data') data = data === undefined ? value : `${data}\n${value}`;
    else if (name === 'event') event = value;
  }
  return { raw, data, event };
}

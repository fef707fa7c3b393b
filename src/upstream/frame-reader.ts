/**
 * Cuts a provider's event stream into frames without copying what is already whole. Each frame keeps its raw bytes, so that the
 * forward lane can pass on exactly what came, and its data, so that taps and translators can read it.
 */

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

/** The common frame is `data: …` and a blank line; everything else is parsed line by line. */
function parseFrame(raw: Uint8Array): Frame {
  const text = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength).toString('utf8');
  if (
    text.startsWith('data:') &&
    text.endsWith('\n\n') &&
    text.indexOf('\n') === text.length - 2 &&
    !text.includes('\r')
  ) {
    return { raw, data: text.slice(text[5] === ' ' ? 6 : 5, -2), event: undefined };
  }
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

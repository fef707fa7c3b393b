/** Writes to a client's socket: at once what the socket takes, the rest as it drains. */

import { heldBytes } from '../../framing/held-bytes.ts';
import { type Writable, writeBytesMax } from '../../framing/writable.ts';

type Bytes = Uint8Array<ArrayBufferLike>;

/** Buffer for what is written together. A socket copies what it takes before `write` returns, so all connections share it. */
const scratch = Buffer.allocUnsafeSlow(65_536);

const smallChunkBytesMax = scratch.length - 8;
const hexDigits = Buffer.from('0123456789abcdef');
const carriageReturn = 0x0d;
const lineFeed = 0x0a;

export class Outbox {
  readonly #socket: Writable;
  #waiting: Bytes[] = [];
  /** Of the first that waits. */
  #sentBytes = 0;
  readonly #drainSoon: () => void;

  /** `drainSoon` asks for a call of `drained` in another turn, though the socket has room. */
  constructor(socket: Writable, drainSoon: () => void) {
    this.#socket = socket;
    this.#drainSoon = drainSoon;
  }

  /** Whether everything was taken by the socket. */
  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  get heldBytes(): number {
    return heldBytes(this.#waiting);
  }

  /** A Latin-1 text, some bytes and a Latin-1 text, in one write if possible. The bytes must not change until they are sent. */
  write(before: string, bytes: Bytes | undefined, after: string): void {
    const bytesLength = bytes === undefined ? 0 : bytes.length;
    const length = before.length + bytesLength + after.length;
    if (length > scratch.length) {
      this.#writeLarge(before, bytes, after);
      return;
    }
    let at = 0;
    if (before.length > 0) at = scratch.write(before, 0, 'latin1');
    if (bytes !== undefined) {
      scratch.set(bytes, at);
      at += bytesLength;
    }
    if (after.length > 0) scratch.write(after, at, 'latin1');
    this.#send(scratch, length);
  }

  /** One chunk of a chunked body. */
  writeChunk(bytes: Bytes): void {
    const { length } = bytes;
    if (length > smallChunkBytesMax) {
      this.#writeLarge(`${length.toString(16)}\r\n`, bytes, '\r\n');
      return;
    }
    // Always four digits: written byte by byte they cost less than a text.
    scratch[0] = hexDigits[length >> 12] ?? 0;
    scratch[1] = hexDigits[(length >> 8) & 15] ?? 0;
    scratch[2] = hexDigits[(length >> 4) & 15] ?? 0;
    scratch[3] = hexDigits[length & 15] ?? 0;
    scratch[4] = carriageReturn;
    scratch[5] = lineFeed;
    scratch.set(bytes, 6);
    scratch[length + 6] = carriageReturn;
    scratch[length + 7] = lineFeed;
    this.#send(scratch, length + 8);
  }

  /** A text in UTF-8 behind a Latin-1 one; `bytesLength` is its length in bytes. */
  writeText(before: string, text: string, bytesLength: number): void {
    if (before.length + bytesLength > scratch.length) {
      this.#writeLarge(before, Buffer.from(text), '');
      return;
    }
    const at = scratch.write(before, 0, 'latin1');
    scratch.write(text, at, 'utf8');
    this.#send(scratch, at + bytesLength);
  }

  /** The socket has room again. True if everything is sent now. */
  drained(): boolean {
    let left = writeBytesMax;
    for (let first = this.#waiting[0]; first !== undefined; first = this.#waiting[0]) {
      const written = this.#writeFrom(first, this.#sentBytes, first.length, left);
      this.#sentBytes += written;
      left -= written;
      if (this.#sentBytes < first.length) return false;
      this.#sentBytes = 0;
      this.#waiting.shift();
    }
    return true;
  }

  forget(): void {
    this.#waiting = [];
    this.#sentBytes = 0;
  }

  /** Bytes that are too many to copy are sent from where they are. */
  #writeLarge(before: string, bytes: Bytes | undefined, after: string): void {
    if (before.length > 0) this.#sendOwn(Buffer.from(before, 'latin1'));
    if (bytes !== undefined) this.#sendOwn(bytes);
    if (after.length > 0) this.#sendOwn(Buffer.from(after, 'latin1'));
  }

  #sendOwn(bytes: Bytes): void {
    const sent = this.#waiting.length > 0 ? 0 : this.#writeFrom(bytes, 0, bytes.length);
    if (sent < bytes.length) this.#keep(sent === 0 ? bytes : bytes.subarray(sent));
  }

  #send(bytes: Buffer, length: number): void {
    const sent = this.#waiting.length > 0 ? 0 : this.#writeFrom(bytes, 0, length);
    if (sent < length) this.#keep(Buffer.from(bytes.subarray(sent, length)));
  }

  #keep(bytes: Bytes): void {
    this.#waiting.push(bytes);
  }

  #writeFrom(bytes: Bytes, from: number, to: number, bytesMax = writeBytesMax): number {
    const length = Math.min(to - from, bytesMax);
    // A closed socket takes -1 bytes; its connection reports the close.
    const written = length === 0 ? 0 : Math.max(0, this.#socket.write(bytes, from, length));
    if (written === length && from + length < to) this.#drainSoon();
    return written;
  }
}

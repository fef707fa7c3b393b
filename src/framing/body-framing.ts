/**
 * Finds a message's body, and its end, in the reads of a connection. One object serves all messages of its connection
 * in turn.
 */

import { ChunkedBody } from './chunked.ts';
import type { Message } from './framing-error.ts';

/** How the end of a body is known: by its length in bytes, by its last chunk, or by the connection's end. */
export const chunkedBody = -1;
export const bodyUntilClose = -2;

export class BodyFraming {
  readonly #chunks: ChunkedBody;
  #left = 0;
  /** Where in the last read the body ended; meaningful once `done`. */
  endsAt = 0;

  constructor(message: Message) {
    this.#chunks = new ChunkedBody(message);
  }

  /** A number of bytes, or one of the constants above. */
  begin(length: number): void {
    this.#left = length;
    if (length === chunkedBody) this.#chunks.begin();
  }

  get done(): boolean {
    return this.#left === 0 || (this.#left === chunkedBody && this.#chunks.done);
  }

  /** Whether every HTTP parser would find the same end of the body. Meaningful once `done`. */
  get plain(): boolean {
    return this.#left !== chunkedBody || this.#chunks.plain;
  }

  /** Whether the end of the connection is the end of the body; otherwise it cuts the body off. */
  get endsWithConnection(): boolean {
    return this.#left === bodyUntilClose;
  }

  /** Throws if the last read was broken. Its bytes before the fault have been returned. */
  check(): void {
    if (this.#left === chunkedBody) this.#chunks.check();
  }

  /** The body's bytes of one read, beginning at `start`; they share the read's memory. `check` follows. */
  take(bytes: Uint8Array, start: number): Uint8Array | undefined {
    if (this.#left === chunkedBody) {
      const piece = this.#chunks.take(bytes, start);
      this.endsAt = this.#chunks.endsAt;
      return piece;
    }
    const { length } = bytes;
    const end = this.#left === bodyUntilClose ? length : Math.min(start + this.#left, length);
    if (this.#left !== bodyUntilClose) this.#left -= end - start;
    this.endsAt = end;
    if (end === start) return undefined;
    return start === 0 && end === length ? bytes : bytes.subarray(start, end);
  }
}

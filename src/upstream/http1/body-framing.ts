/** Finds a reply's body, and its end, in the reads of a connection. One object serves all replies of its connection in turn. */

import { ChunkedBody } from './chunked.ts';
import { bodyUntilClose, chunkedBody } from './reply-head.ts';

export class BodyFraming {
  readonly #chunks = new ChunkedBody();
  #left = 0;
  /** Where in the last read the body ended; meaningful once `done`. */
  endsAt = 0;

  /** `length` as in the reply's head. */
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

  /** The body's bytes of one read, beginning at `start`; they share the read's memory. */
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

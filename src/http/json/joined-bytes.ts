/** Copies pieces together, one at a time: the memory of tens of megabytes is not only copied but also given by the system. */

import type { SlicedWork } from './in-slices.ts';

const stepBytesMax = 262_144;

export class JoinedBytes implements SlicedWork {
  readonly #pieces: (Uint8Array | undefined)[];
  readonly #whole: Uint8Array<ArrayBuffer>;
  #next = 0;
  /** Of the next piece. */
  #taken = 0;
  #length = 0;

  /** The pieces may not be used anymore: each is let go once it is copied. */
  constructor(pieces: Uint8Array[]) {
    this.#pieces = pieces;
    this.#whole = Buffer.allocUnsafeSlow(pieces.reduce((sum, piece) => sum + piece.length, 0));
  }

  /** Complete once `step` has returned true. */
  get bytes(): Uint8Array<ArrayBuffer> {
    return this.#whole;
  }

  step(): boolean {
    let left = stepBytesMax;
    for (let piece = this.#pieces[this.#next]; piece !== undefined; piece = this.#pieces[this.#next]) {
      const part = piece.subarray(this.#taken, this.#taken + left);
      this.#whole.set(part, this.#length);
      this.#length += part.length;
      this.#taken += part.length;
      left -= part.length;
      if (this.#taken < piece.length) return false;
      this.#pieces[this.#next] = undefined;
      this.#next += 1;
      this.#taken = 0;
    }
    return true;
  }
}

/** Copies pieces together, one at a time: the memory of tens of megabytes is not only copied but also given by the system. */

import type { SlicedBytes } from './in-slices.ts';

const stepBytesMax = 262_144;

export class JoinedBytes implements SlicedBytes {
  readonly #pieces: (Uint8Array | undefined)[];
  #whole: Uint8Array<ArrayBuffer> | undefined;
  #next = 0;
  /** Of the next piece. */
  #taken = 0;
  #length = 0;

  /** The pieces may not be used anymore: each is let go once it is copied. */
  constructor(pieces: Uint8Array[]) {
    this.#pieces = pieces;
  }

  get bytes(): Uint8Array<ArrayBuffer> {
    if (this.#whole === undefined) throw new Error('The pieces are not joined.');
    return this.#whole;
  }

  step(): boolean {
    const pieces = this.#pieces;
    if (pieces.length === 1 && this.#whole === undefined) {
      this.#whole = pieces[0] as Uint8Array<ArrayBuffer>;
      return true;
    }
    this.#whole ??= Buffer.allocUnsafeSlow(pieces.reduce((sum, piece) => sum + (piece?.length ?? 0), 0));
    let left = stepBytesMax;
    for (let piece = pieces[this.#next]; piece !== undefined; piece = pieces[this.#next]) {
      const part = piece.subarray(this.#taken, this.#taken + left);
      this.#whole.set(part, this.#length);
      this.#length += part.length;
      this.#taken += part.length;
      left -= part.length;
      if (this.#taken < piece.length) return false;
      pieces[this.#next] = undefined;
      this.#next += 1;
      this.#taken = 0;
    }
    return true;
  }
}

/** Takes a range of bytes out of frames. What is left of one frame lies right behind what was left of the last, so that all of it is sent in one piece. */

import type { ByteRange } from '../../formats/format.ts';

/** Of each stream, also while it is idle. */
const slabBytes = 2_048;

export class CutFrames {
  #slab = new Uint8Array(0);
  #used = 0;

  without(raw: Uint8Array, { start, end }: ByteRange): Uint8Array {
    if (this.#used + raw.length > this.#slab.length) {
      this.#slab = new Uint8Array(Math.max(slabBytes, raw.length));
      this.#used = 0;
    }
    const from = this.#used;
    // Copied whole and closed up: cheaper than a view for each of the two ends.
    this.#slab.set(raw, from);
    this.#slab.copyWithin(from + start, from + end, from + raw.length);
    this.#used = from + raw.length - (end - start);
    return this.#slab.subarray(from, this.#used);
  }
}

/** A long text as UTF-8, piece by piece. */

import { isHighSurrogate } from '../../conversation/texts/utf8-text.ts';
import type { SlicedBytes, Slices } from './in-slices.ts';

const stepLength = 131_072;
const encoder = new TextEncoder();

/** Begins in another turn: that in which a text of megabytes arrived had it to decode. */
export async function encodeInSlices(text: string, slices: Slices): Promise<Uint8Array<ArrayBuffer>> {
  const encoded = new EncodedText(text);
  await slices.run(encoded);
  return encoded.bytes;
}

export class EncodedText implements SlicedBytes {
  readonly #text: string;
  #at = 0;
  #length = 0;
  #bytes: Uint8Array<ArrayBuffer> | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  /** The text, once `step` has returned true. */
  get bytes(): Uint8Array<ArrayBuffer> {
    if (this.#bytes === undefined) throw new Error('The text is not encoded to its end.');
    return this.#bytes;
  }

  step(): boolean {
    const text = this.#text;
    // A step for itself: a text that arrived in pieces is put together by it.
    if (this.#bytes === undefined) {
      this.#bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
      return text.length === 0;
    }
    let end = Math.min(this.#at + stepLength, text.length);
    // Never between the halves of one character.
    if (end < text.length && isHighSurrogate(text.charCodeAt(end - 1))) end += 1;
    this.#length += encoder.encodeInto(text.slice(this.#at, end), this.#bytes.subarray(this.#length)).written;
    this.#at = end;
    return end === text.length;
  }
}

/** Text of a bounded size, cut between characters. */

/** Text that was cut to its bound, or not. */
export interface BoundedText {
  readonly text: string;
  readonly isCut: boolean;
}

const decoder = new TextDecoder('utf-8');

export class BoundedPieces {
  readonly #bytesMax: number;
  readonly #pieces: Uint8Array[] = [];
  #bytes = 0;
  #isCut = false;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  get bytes(): number {
    return this.#bytes;
  }

  add(piece: Uint8Array): void {
    const room = this.#bytesMax - this.#bytes;
    if (piece.length > room) this.#isCut = true;
    if (room <= 0 || piece.length === 0) return;
    // A copy: pieces are views of memory that is used again or of reads that are much larger.
    const kept = piece.slice(0, room);
    this.#pieces.push(kept);
    this.#bytes += kept.length;
  }

  text(): BoundedText {
    return boundedText(Buffer.concat(this.#pieces), this.#bytesMax, this.#isCut);
  }
}

/** The start of a text in bytes; a character that the cut goes through is left out. */
export function boundedText(bytes: Uint8Array, bytesMax: number, isCut = bytes.length > bytesMax): BoundedText {
  const kept = bytes.length > bytesMax ? bytes.subarray(0, bytesMax) : bytes;
  return { text: decoder.decode(isCut ? kept.subarray(0, wholeLength(kept)) : kept), isCut };
}

/** Where the last character ends that is there whole. */
function wholeLength(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(4, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0b1100_0000) === 0b1000_0000) continue;
    const needs = byte < 0x80 ? 1 : byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    return needs > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

/** Reads CBOR as authenticators write it (RFC 8949, the canonical form of CTAP2): definite lengths, no tags, no floats. */

export type CborValue = number | string | boolean | null | Uint8Array | readonly CborValue[] | CborMap;
export type CborMap = ReadonlyMap<number | string, CborValue>;

export class CborError extends Error {}

const depthMax = 8;
const itemsMax = 100;

/** The value that begins at `start`, and where it ends. */
export function readCbor(bytes: Uint8Array, start = 0): { readonly value: CborValue; readonly end: number } {
  const reader = new Reader(bytes, start);
  const value = reader.value(0);
  return { value, end: reader.at };
}

class Reader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  at: number;

  constructor(bytes: Uint8Array, start: number) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.at = start;
  }

  value(depth: number): CborValue {
    if (depth > depthMax) throw new CborError('nests too deeply');
    const first = this.#take(1)[0] ?? 0;
    const argument = this.#argument(first & 31);
    switch (first >> 5) {
      case 0:
        return argument;
      case 1:
        return -1 - argument;
      case 2:
        return this.#take(argument);
      case 3:
        return this.#text(argument);
      case 4:
        return Array.from({ length: this.#items(argument) }, () => this.value(depth + 1));
      case 5:
        return this.#map(this.#items(argument), depth);
      case 7:
        return simple(first & 31);
      default:
        throw new CborError('has a tag');
    }
  }

  #text(length: number): string {
    try {
      return new TextDecoder('utf-8', { fatal: true }).decode(this.#take(length));
    } catch (error) {
      throw error instanceof CborError ? error : new CborError('has a text that is not UTF-8');
    }
  }

  #map(size: number, depth: number): CborMap {
    const map = new Map<number | string, CborValue>();
    for (let index = 0; index < size; index++) {
      const key = this.value(depth + 1);
      if ((typeof key !== 'number' && typeof key !== 'string') || map.has(key)) {
        throw new CborError('has a key that is not allowed');
      }
      map.set(key, this.value(depth + 1));
    }
    return map;
  }

  #items(count: number): number {
    if (count > itemsMax) throw new CborError('has too many items');
    return count;
  }

  #argument(info: number): number {
    if (info < 24) return info;
    const size = [1, 2, 4, 8][info - 24];
    if (size === undefined) throw new CborError('has an indefinite length');
    const at = this.at;
    this.#take(size);
    if (size === 1) return this.#view.getUint8(at);
    if (size === 2) return this.#view.getUint16(at);
    if (size === 4) return this.#view.getUint32(at);
    const large = this.#view.getBigUint64(at);
    if (large > BigInt(Number.MAX_SAFE_INTEGER)) throw new CborError('has a number that is too large');
    return Number(large);
  }

  #take(length: number): Uint8Array {
    if (length > this.#bytes.length - this.at) throw new CborError('ends too early');
    this.at += length;
    return this.#bytes.subarray(this.at - length, this.at);
  }
}

function simple(info: number): boolean | null {
  if (info === 20) return false;
  if (info === 21) return true;
  if (info === 22) return null;
  throw new CborError('has a value of an unknown kind');
}

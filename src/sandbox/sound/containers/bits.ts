/** Reads and writes numbers of any width, the highest bit first, as FLAC does. */

import { unreadable } from './unreadable.ts';

export class BitWriter {
  #bytes: Uint8Array;
  #length = 0;
  /** Bits that do not fill a byte yet. */
  #pending = 0;
  #pendingBits = 0;

  constructor(bytesExpected: number) {
    this.#bytes = new Uint8Array(bytesExpected);
  }

  /** At most 24 bits at once; a negative value is written as its two's complement. */
  write(value: number, bits: number): void {
    this.#pending = (this.#pending << bits) | (value & ((1 << bits) - 1));
    this.#pendingBits += bits;
    while (this.#pendingBits >= 8) {
      this.#pendingBits -= 8;
      this.#push(this.#pending >>> this.#pendingBits);
      this.#pending &= (1 << this.#pendingBits) - 1;
    }
  }

  /** So many zeros, then a one. */
  writeUnary(zeros: number): void {
    for (; zeros >= 16; zeros -= 16) this.write(0, 16);
    this.write(1, zeros + 1);
  }

  fillByte(): void {
    if (this.#pendingBits > 0) this.write(0, 8 - this.#pendingBits);
  }

  bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  #push(byte: number): void {
    if (this.#length === this.#bytes.length) {
      const grown = new Uint8Array(Math.max(64, this.#bytes.length * 2));
      grown.set(this.#bytes);
      this.#bytes = grown;
    }
    this.#bytes[this.#length++] = byte;
  }
}

export class BitReader {
  readonly #bytes: Uint8Array;
  #at: number;
  #bit = 0;

  constructor(bytes: Uint8Array, from: number) {
    this.#bytes = bytes;
    this.#at = from;
  }

  /** The place of the byte that is read next; call it where a byte begins. */
  get byteOffset(): number {
    return this.#at;
  }

  /** At most 33 bits, which is why it multiplies instead of shifting. */
  read(bits: number): number {
    let value = 0;
    while (bits > 0) {
      const byte = this.#bytes[this.#at];
      if (byte === undefined) throw unreadable('The FLAC file ends inside a frame.');
      const taken = Math.min(bits, 8 - this.#bit);
      value = value * (1 << taken) + ((byte >>> (8 - this.#bit - taken)) & ((1 << taken) - 1));
      this.#bit += taken;
      bits -= taken;
      if (this.#bit === 8) {
        this.#bit = 0;
        this.#at++;
      }
    }
    return value;
  }

  readSigned(bits: number): number {
    if (bits === 0) return 0;
    const value = this.read(bits);
    return value >= 2 ** (bits - 1) ? value - 2 ** bits : value;
  }

  /** How many zeros stand before the next one. */
  readUnary(): number {
    let zeros = 0;
    for (;;) {
      const byte = this.#bytes[this.#at];
      if (byte === undefined) throw unreadable('The FLAC file ends inside a frame.');
      const rest = (byte << this.#bit) & 0xff;
      if (rest !== 0) {
        const leading = Math.clz32(rest) - 24;
        this.#bit += leading + 1;
        if (this.#bit === 8) {
          this.#bit = 0;
          this.#at++;
        }
        return zeros + leading;
      }
      zeros += 8 - this.#bit;
      this.#bit = 0;
      this.#at++;
    }
  }

  alignToByte(): void {
    if (this.#bit === 0) return;
    this.#bit = 0;
    this.#at++;
  }
}

/** Writes protobuf messages into one growing buffer: the few wire types that the telemetry protocol uses. */

const startBytes = 16_384;
const two32 = 4_294_967_296;
const varintBytesMax = 10;
/** Longer texts are written by the runtime, which is faster for them. */
const shortTextMax = 100;
const encoder = new TextEncoder();
/** The fields of an attribute: its key, its value, and of that a text, a number or a floating-point one. */
const keyTag = 0x0a;
const valueTag = 0x12;
const textTag = 0x0a;
const numberTag = 0x18;
const doubleTag = 0x21;

export class ProtobufWriter {
  #buffer = new Uint8Array(startBytes);
  #view = new DataView(this.#buffer.buffer);
  #end = 0;
  #ahead = 0;

  get length(): number {
    return this.#end;
  }

  /** What was written, until something else is. */
  get written(): Uint8Array {
    return this.#buffer.subarray(0, this.#end);
  }

  clear(): void {
    this.#end = 0;
  }

  /** A copy. */
  bytes(): Uint8Array<ArrayBuffer> {
    return this.#buffer.slice(0, this.#end);
  }

  /** Field number and wire type as one byte; all fields of the protocol that are used have numbers below 16. */
  tag(byte: number): void {
    this.#reserve(1);
    this.#buffer[this.#end++] = byte;
  }

  varint(value: number): void {
    this.#reserve(varintBytesMax);
    if (value < 0) this.#negative(value);
    else this.#natural(value);
  }

  #natural(value: number): void {
    let rest = value;
    while (rest >= 128) {
      this.#buffer[this.#end++] = (rest % 128) | 128;
      rest = Math.floor(rest / 128);
    }
    this.#buffer[this.#end++] = rest;
  }

  /** Two's complement of 64 bits. */
  #negative(value: number): void {
    let rest = BigInt.asUintN(64, BigInt(value));
    while (rest >= 128n) {
      this.#buffer[this.#end++] = Number(rest & 127n) | 128;
      rest >>= 7n;
    }
    this.#buffer[this.#end++] = Number(rest);
  }

  fixed32(value: number): void {
    this.#reserve(4);
    this.#view.setUint32(this.#end, value, true);
    this.#end += 4;
  }

  /** A whole number of at least 0. */
  fixed64(value: number): void {
    this.#reserve(8);
    this.#view.setUint32(this.#end, value % two32, true);
    this.#view.setUint32(this.#end + 4, Math.floor(value / two32), true);
    this.#end += 8;
  }

  /** A time in nanoseconds, which no number holds exactly: computed in two halves. */
  nanos(atMs: number): void {
    const seconds = Math.floor(atMs / 1_000);
    const nanos = Math.round((atMs - seconds * 1_000) * 1e6);
    const upper = Math.floor(seconds / 65_536) * 1e9;
    const lower = (seconds % 65_536) * 1e9 + nanos;
    const low = (upper % 65_536) * 65_536 + (lower % two32);
    this.#reserve(8);
    this.#view.setUint32(this.#end, low % two32, true);
    this.#view.setUint32(
      this.#end + 4,
      Math.floor(upper / 65_536) + Math.floor(lower / two32) + (low >= two32 ? 1 : 0),
      true,
    );
    this.#end += 8;
  }

  double(value: number): void {
    this.#reserve(8);
    this.#view.setFloat64(this.#end, value, true);
    this.#end += 8;
  }

  /** With its length before it. */
  text(text: string): void {
    if (text.length > shortTextMax || !this.#ascii(text)) this.raw(encoder.encode(text));
  }

  /**
   * A value under a key, written at once where all lengths are known before, which is so for most attributes. False, and
   * nothing is written, for a long text and for one that is not ASCII alone.
   */
  textAttribute(tag: number, key: string, text: string): boolean {
    const { length } = text;
    if (!this.#key(tag, key, length + 2)) return false;
    const buffer = this.#buffer;
    let end = this.#ahead;
    buffer[end++] = textTag;
    buffer[end++] = length;
    for (let index = 0; index < length; index++) {
      const code = text.charCodeAt(index);
      if (code > 127) return false;
      buffer[end++] = code;
    }
    this.#end = end;
    return true;
  }

  /** A whole number of at least 0. */
  numberAttribute(tag: number, key: string, value: number): boolean {
    let bytes = 1;
    for (let rest = value; rest >= 128; rest = Math.floor(rest / 128)) bytes++;
    if (value < 0 || !this.#key(tag, key, bytes + 1)) return false;
    this.#end = this.#ahead;
    this.#buffer[this.#end++] = numberTag;
    this.#natural(value);
    return true;
  }

  doubleAttribute(tag: number, key: string, value: number): boolean {
    if (!this.#key(tag, key, 9)) return false;
    this.#buffer[this.#ahead] = doubleTag;
    this.#view.setFloat64(this.#ahead + 1, value, true);
    this.#end = this.#ahead + 9;
    return true;
  }

  /** Everything up to a value of so many bytes, ahead of what counts as written. */
  #key(tag: number, key: string, inner: number): boolean {
    const keyLength = key.length;
    const length = keyLength + inner + 4;
    if (length > 127) return false;
    this.#reserve(length + 2);
    const buffer = this.#buffer;
    let end = this.#end;
    buffer[end++] = tag;
    buffer[end++] = length;
    buffer[end++] = keyTag;
    buffer[end++] = keyLength;
    for (let index = 0; index < keyLength; index++) {
      const code = key.charCodeAt(index);
      if (code > 127) return false;
      buffer[end++] = code;
    }
    buffer[end++] = valueTag;
    buffer[end++] = inner;
    this.#ahead = end;
    return true;
  }

  /** Writes a short text of ASCII alone; false where it is not. */
  #ascii(text: string): boolean {
    const { length } = text;
    this.#reserve(length + 1);
    const start = this.#end;
    this.#buffer[start] = length;
    for (let index = 0; index < length; index++) {
      const code = text.charCodeAt(index);
      if (code > 127) return false;
      this.#buffer[start + 1 + index] = code;
    }
    this.#end = start + 1 + length;
    return true;
  }

  /** Bytes with their length before them. */
  raw(bytes: Uint8Array): void {
    this.varint(bytes.length);
    this.append(bytes);
  }

  /** Bytes as they are. */
  append(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#buffer.set(bytes, this.#end);
    this.#end += bytes.length;
  }

  /** An id in hexadecimal as bytes, with their length before them. */
  id(hexadecimal: string): void {
    const bytes = hexadecimal.length / 2;
    this.#reserve(bytes + 1);
    this.#buffer[this.#end++] = bytes;
    for (let index = 0; index < hexadecimal.length; index += 2) {
      this.#buffer[this.#end++] =
        digitOf(hexadecimal.charCodeAt(index)) * 16 + digitOf(hexadecimal.charCodeAt(index + 1));
    }
  }

  /** Begins a message of 128 bytes or more, whose length then needs two bytes; `closeLong` gets what this returns. */
  openLong(): number {
    this.#reserve(2);
    this.#end += 2;
    return this.#end - 2;
  }

  closeLong(opened: number): void {
    const length = this.#end - opened - 2;
    if (length >= 128 && length < 16_384) {
      this.#buffer[opened] = (length % 128) | 128;
      this.#buffer[opened + 1] = length >> 7;
      return;
    }
    // Rare: as if it had been opened with one byte.
    this.#buffer.copyWithin(opened + 1, opened + 2, this.#end);
    this.#end--;
    this.close(opened);
  }

  /** Begins a message whose length is not known yet; `close` gets what this returns. */
  open(): number {
    this.#reserve(1);
    return this.#end++;
  }

  /** Almost all messages are shorter than 128 bytes or are few, so the rest is moved where a length needs more than a byte. */
  close(opened: number): void {
    const length = this.#end - opened - 1;
    if (length < 128) {
      this.#buffer[opened] = length;
      return;
    }
    let more = 0;
    for (let rest = length; rest >= 128; rest = Math.floor(rest / 128)) more++;
    this.#reserve(more);
    this.#buffer.copyWithin(opened + 1 + more, opened + 1, this.#end);
    const end = this.#end + more;
    this.#end = opened;
    this.varint(length);
    this.#end = end;
  }

  #reserve(bytes: number): void {
    if (this.#end + bytes > this.#buffer.length) this.#grow(bytes);
  }

  #grow(bytes: number): void {
    const grown = new Uint8Array(Math.max(this.#buffer.length * 2, this.#end + bytes));
    grown.set(this.#buffer.subarray(0, this.#end));
    this.#buffer = grown;
    this.#view = new DataView(grown.buffer);
  }
}

function digitOf(code: number): number {
  return code > 57 ? code - 87 : code - 48;
}

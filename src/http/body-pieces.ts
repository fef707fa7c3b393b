/** The bytes of a body as they arrive, in few pieces: each one costs about 100 bytes of memory, whatever its length. */

type Bytes = Uint8Array<ArrayBuffer>;

/** Shorter pieces that follow each other are copied together. */
const longBytesMin = 1_024;
const roomBytesMax = 65_536;
/** Of a read that is larger, a part of less than half is copied, so that the rest of the read is freed. */
const readBytesMax = 16_384;
const none: Bytes = new Uint8Array(0);

export class BodyPieces {
  #pieces: Bytes[] = [];
  /** The memory of the last piece, if that was put together. */
  #room: Bytes | undefined;
  bytes = 0;

  add(piece: Bytes): void {
    this.bytes += piece.length;
    const last = this.#pieces.at(-1);
    if (last !== undefined && this.#follows(last, piece)) this.#append(last, piece);
    else {
      this.#room = undefined;
      this.#pieces.push(isWasteful(piece) ? new Uint8Array(piece) : piece);
    }
  }

  /** The first of them, which is not kept any more. */
  shift(): Bytes | undefined {
    const piece = this.#pieces.shift();
    if (piece !== undefined) this.bytes -= piece.length;
    if (this.#pieces.length === 0) this.#room = undefined;
    return piece;
  }

  clear(): void {
    this.#pieces = [];
    this.#room = undefined;
    this.bytes = 0;
  }

  /** All of them, which are not kept any more. */
  takeAll(): Bytes[] {
    const pieces = this.#pieces;
    this.clear();
    return pieces;
  }

  /** All of them as one, which is not kept any more. */
  takeWhole(): Bytes {
    const pieces = this.takeAll();
    const [first] = pieces;
    if (first === undefined) return none;
    return pieces.length === 1 ? first : Buffer.concat(pieces);
  }

  #follows(last: Bytes, piece: Bytes): boolean {
    const isLong = this.#room === undefined && last.length >= longBytesMin;
    return !isLong && piece.length < longBytesMin && last.length + piece.length <= roomBytesMax;
  }

  #append(last: Bytes, piece: Bytes): void {
    const to = last.length + piece.length;
    let room = this.#room;
    if (room === undefined || to > room.length) {
      room = new Uint8Array(Math.min(Math.max(2 * last.length, longBytesMin, to), roomBytesMax));
      room.set(last);
      this.#room = room;
    }
    room.set(piece, last.length);
    this.#pieces[this.#pieces.length - 1] = room.subarray(0, to);
  }
}

function isWasteful({ length, buffer }: Bytes): boolean {
  return buffer.byteLength > readBytesMax && 2 * length < buffer.byteLength;
}

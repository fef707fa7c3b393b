/**
 * Keeps the bytes of one upload, with every range readable again: in memory, in the pieces in which they came, as long as
 * it is not too large and all uploads together leave room; otherwise in a file.
 */

import { notKept } from './refusals.ts';
import { SpoolFile } from './spool-file.ts';
import type { UploadMemory } from './upload-memory.ts';

export interface SpoolOptions {
  readonly folder: string;
  /** Larger uploads go to a file. */
  readonly memoryBytesMax?: number;
  /** What all uploads may take together; without it only each of them is bounded. */
  readonly memory?: UploadMemory;
}

const defaultMemoryBytesMax = 16_777_216;
const firstBlockBytes = 16_384;
/** Small pieces are collected up to this size; also the size of a read. */
const blockBytes = 262_144;
/** A piece of this size is kept as it came, if it is most of the memory that it keeps in use. */
const ownPieceBytesMin = 65_536;

const none = Buffer.alloc(0);

export class KeptBytes {
  readonly #folder: string;
  readonly #memoryBytesMax: number;
  readonly #memory: UploadMemory | undefined;
  /** In order; empty once there is a file. */
  #pieces: Uint8Array[] = [];
  #piecesBytes = 0;
  /** Of the memory of all uploads. */
  #takenBytes = 0;
  /** What came after them, or what is not in the file yet. */
  #block: Buffer = none;
  #blockBytes = 0;
  #writtenBytes = 0;
  #file: SpoolFile | undefined;
  #disposed = false;

  constructor({ folder, memoryBytesMax, memory }: SpoolOptions) {
    this.#folder = folder;
    this.#memoryBytesMax = memoryBytesMax ?? defaultMemoryBytesMax;
    this.#memory = memory;
  }

  get bytes(): number {
    return this.#writtenBytes + this.#piecesBytes + this.#blockBytes;
  }

  get inFile(): boolean {
    return this.#file !== undefined;
  }

  /** Returns a promise if it must be awaited before more is appended. */
  append(piece: Uint8Array): Promise<void> | undefined {
    if (this.#file !== undefined) return this.#appendToFile(this.#file, piece);
    const fits = this.bytes + piece.length <= this.#memoryBytesMax;
    if (!fits || this.#memory?.take(piece.length) === false) return this.#moveToFile(piece);
    this.#takenBytes += piece.length;
    if (piece.length >= ownPieceBytesMin && 2 * piece.length >= piece.buffer.byteLength) {
      this.#endBlock();
      this.#addPiece(piece);
    } else {
      for (let at = 0; at < piece.length; ) at += this.#collect(piece, at);
    }
    return undefined;
  }

  /** All of it came: ranges can be read. */
  async finish(): Promise<void> {
    if (this.#file === undefined) {
      this.#endBlock();
      return;
    }
    await this.#flush(this.#file).catch(fail);
    this.#block = none;
  }

  /**
   * The bytes from `start` to before `end`. A `lent` piece may be overwritten when the next one is asked for; any other has
   * memory of its own or is never written to again.
   */
  async *range(start: number, end: number, lent?: 'lent'): AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined> {
    if (this.#file === undefined) {
      for (const piece of this.#inMemory(start, end)) {
        this.#requireKept();
        yield piece;
      }
      return;
    }
    let block: Buffer<ArrayBuffer> | undefined;
    for (let at = start; at < end; ) {
      this.#requireKept();
      const bytes = Math.min(blockBytes, end - at);
      if (block === undefined || lent === undefined) block = Buffer.allocUnsafeSlow(bytes);
      const piece = block.subarray(0, bytes);
      await this.#file.read(piece, at);
      at += piece.length;
      yield piece;
    }
  }

  async whole(start: number, end: number): Promise<Uint8Array<ArrayBuffer>> {
    this.#requireKept();
    const bytes = new Uint8Array(end - start);
    if (this.#file !== undefined) await this.#file.read(bytes, start);
    else {
      let at = 0;
      for (const piece of this.#inMemory(start, end)) {
        bytes.set(piece, at);
        at += piece.length;
      }
    }
    return bytes;
  }

  async dispose(): Promise<void> {
    this.#disposed = true;
    this.#pieces = [];
    this.#block = none;
    this.#releaseMemory();
    await this.#file?.close();
  }

  #releaseMemory(): void {
    this.#memory?.release(this.#takenBytes);
    this.#takenBytes = 0;
  }

  #requireKept(): void {
    if (this.#disposed) throw new Error('The upload was disposed already.');
  }

  *#inMemory(start: number, end: number): Generator<Uint8Array<ArrayBuffer>, void, undefined> {
    let from = 0;
    for (const piece of this.#pieces) {
      const to = from + piece.length;
      if (to > start && from < end)
        yield piece.subarray(Math.max(0, start - from), end - from) as Uint8Array<ArrayBuffer>;
      from = to;
    }
  }

  #addPiece(piece: Uint8Array): void {
    this.#pieces.push(piece);
    this.#piecesBytes += piece.length;
  }

  /** Copies into the block what has room there, and returns how much. */
  #collect(piece: Uint8Array, at: number): number {
    if (this.#blockBytes === this.#block.length) {
      this.#endBlock();
      this.#block = Buffer.allocUnsafeSlow(this.bytes === 0 ? firstBlockBytes : blockBytes);
    }
    const part = piece.subarray(at, at + this.#block.length - this.#blockBytes);
    this.#block.set(part, this.#blockBytes);
    this.#blockBytes += part.length;
    return part.length;
  }

  #endBlock(): void {
    const filled = this.#block.subarray(0, this.#blockBytes);
    // A block that is mostly empty would keep much more memory in use than is counted.
    if (filled.length > 0) this.#addPiece(2 * filled.length < this.#block.length ? new Uint8Array(filled) : filled);
    this.#block = none;
    this.#blockBytes = 0;
  }

  async #moveToFile(piece: Uint8Array): Promise<void> {
    this.#endBlock();
    const pieces = this.#pieces;
    this.#pieces = [];
    this.#piecesBytes = 0;
    try {
      this.#file = await SpoolFile.create(this.#folder);
      for (const kept of pieces) await this.#write(this.#file, kept);
      this.#releaseMemory();
    } catch (error) {
      fail(error);
    }
    await this.#appendToFile(this.#file, piece);
  }

  #appendToFile(file: SpoolFile, piece: Uint8Array): Promise<void> | undefined {
    if (this.#blockBytes + piece.length > blockBytes) return this.#spill(file, piece);
    if (this.#block.length !== blockBytes) this.#block = Buffer.allocUnsafeSlow(blockBytes);
    this.#block.set(piece, this.#blockBytes);
    this.#blockBytes += piece.length;
    return undefined;
  }

  async #spill(file: SpoolFile, piece: Uint8Array): Promise<void> {
    try {
      await this.#flush(file);
      // A piece that fills a block by itself needs no copy.
      if (piece.length >= blockBytes / 2) {
        await this.#write(file, piece);
        return;
      }
    } catch (error) {
      fail(error);
    }
    this.#block.set(piece);
    this.#blockBytes = piece.length;
  }

  async #flush(file: SpoolFile): Promise<void> {
    if (this.#blockBytes === 0) return;
    await this.#write(file, this.#block.subarray(0, this.#blockBytes));
    this.#blockBytes = 0;
  }

  async #write(file: SpoolFile, bytes: Uint8Array): Promise<void> {
    await file.write(bytes, this.#writtenBytes);
    this.#writtenBytes += bytes.length;
  }
}

function fail(cause: unknown): never {
  throw notKept(cause);
}

/** Keeps the bytes of one upload: a small one in memory, a larger one in a file, with every range readable again. */

import { notKept } from './refusals.ts';
import { SpoolFile } from './spool-file.ts';

export interface SpoolOptions {
  readonly folder: string;
  /** Larger uploads go to a file. */
  readonly memoryBytesMax?: number;
}

const defaultMemoryBytesMax = 1_048_576;
const firstBlockBytes = 16_384;
/** Small pieces are collected up to this size before they are written; also the size of a read. */
const blockBytes = 262_144;

export class KeptBytes {
  readonly #folder: string;
  readonly #memoryBytesMax: number;
  /** Everything while it is small; afterwards the unwritten bytes. */
  #block: Buffer = Buffer.allocUnsafeSlow(firstBlockBytes);
  #blockBytes = 0;
  #writtenBytes = 0;
  #file: SpoolFile | undefined;
  #disposed = false;

  constructor(options: SpoolOptions) {
    this.#folder = options.folder;
    this.#memoryBytesMax = options.memoryBytesMax ?? defaultMemoryBytesMax;
  }

  get bytes(): number {
    return this.#writtenBytes + this.#blockBytes;
  }

  get inFile(): boolean {
    return this.#file !== undefined;
  }

  /** Returns a promise if it must be awaited before more is appended. */
  append(piece: Uint8Array): Promise<void> | undefined {
    const bytes = this.#blockBytes + piece.length;
    const room = this.#file === undefined ? this.#memoryBytesMax : blockBytes;
    if (bytes > room) return this.#spill(piece);
    if (bytes > this.#block.length) this.#grow(Math.min(Math.max(bytes, 2 * this.#block.length), room));
    this.#block.set(piece, this.#blockBytes);
    this.#blockBytes = bytes;
    return undefined;
  }

  /** Writes the pending bytes, so that ranges can be read. */
  async finish(): Promise<void> {
    if (this.#file === undefined) return;
    await this.#flush(this.#file).catch(fail);
    this.#block = Buffer.alloc(0);
  }

  /**
   * The bytes from `start` to before `end`. A `lent` piece may be overwritten when the next one is asked for; any other has
   * memory of its own or is never written to again.
   */
  async *range(start: number, end: number, lent?: 'lent'): AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined> {
    let block: Buffer<ArrayBuffer> | undefined;
    for (let at = start; at < end; ) {
      if (this.#disposed) throw new Error('The upload was disposed already.');
      const file = this.#file;
      if (file === undefined) {
        yield this.#block.subarray(at, end) as Buffer<ArrayBuffer>;
        return;
      }
      const bytes = Math.min(blockBytes, end - at);
      if (block === undefined || lent === undefined) block = Buffer.allocUnsafeSlow(bytes);
      const piece = block.subarray(0, bytes);
      await file.read(piece, at);
      at += piece.length;
      yield piece;
    }
  }

  async whole(start: number, end: number): Promise<Uint8Array<ArrayBuffer>> {
    if (this.#disposed) throw new Error('The upload was disposed already.');
    const bytes = new Uint8Array(end - start);
    if (this.#file === undefined) bytes.set(this.#block.subarray(start, end));
    else await this.#file.read(bytes, start);
    return bytes;
  }

  async dispose(): Promise<void> {
    this.#disposed = true;
    this.#block = Buffer.alloc(0);
    await this.#file?.close();
  }

  #grow(bytes: number): void {
    const larger = Buffer.allocUnsafeSlow(bytes);
    this.#block.copy(larger, 0, 0, this.#blockBytes);
    this.#block = larger;
  }

  async #spill(piece: Uint8Array): Promise<void> {
    try {
      this.#file ??= await SpoolFile.create(this.#folder);
      await this.#flush(this.#file);
      // A piece that fills a block by itself needs no copy.
      if (piece.length >= blockBytes / 2) {
        await this.#file.write(piece, this.#writtenBytes);
        this.#writtenBytes += piece.length;
        return;
      }
    } catch (error) {
      fail(error);
    }
    if (this.#block.length !== blockBytes) this.#block = Buffer.allocUnsafeSlow(blockBytes);
    this.#block.set(piece);
    this.#blockBytes = piece.length;
  }

  async #flush(file: SpoolFile): Promise<void> {
    if (this.#blockBytes === 0) return;
    await file.write(this.#block.subarray(0, this.#blockBytes), this.#writtenBytes);
    this.#writtenBytes += this.#blockBytes;
    this.#blockBytes = 0;
  }
}

function fail(cause: unknown): never {
  throw notKept(cause);
}

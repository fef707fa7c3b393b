/** How much of all uploads in flight may be in memory together; what finds no room is kept in a file. */

const bytesMaxOfAll = 67_108_864;

export class UploadMemory {
  readonly #bytesMax: number;
  #bytes = 0;

  constructor(bytesMax = bytesMaxOfAll) {
    this.#bytesMax = bytesMax;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** False if there is no room for that many more; then nothing is taken. */
  take(bytes: number): boolean {
    if (this.#bytes + bytes > this.#bytesMax) return false;
    this.#bytes += bytes;
    return true;
  }

  release(bytes: number): void {
    this.#bytes -= bytes;
  }
}

/** What a client sends before the request before it was answered: kept where it was read, up to a bound. */

/** A single read may bring more. */
const pauseBytesMin = 65_536;
/** While reading is paused, a read each second finds out whether the client left. */
const bytesMax = 4_194_304;

export class Ahead {
  #bytes: Buffer | undefined;
  /** Where in it the next request begins. */
  #at = 0;

  get isEmpty(): boolean {
    return this.#bytes === undefined;
  }

  /** A read of which a part was not looked at yet. The runtime never touches its memory again. */
  keep(bytes: Buffer, start: number): void {
    this.#bytes = bytes;
    this.#at = start;
  }

  /** One more read. Whether it is so much that reading should pause, or too much to keep any of it. */
  add(bytes: Buffer): 'few' | 'many' | 'too many' {
    const before = this.#bytes?.subarray(this.#at);
    const length = bytes.length + (before?.length ?? 0);
    if (length > bytesMax) {
      this.drop();
      return 'too many';
    }
    this.keep(before === undefined ? bytes : Buffer.concat([before, bytes]), 0);
    return length > pauseBytesMin ? 'many' : 'few';
  }

  take(): { readonly bytes: Buffer; readonly start: number } | undefined {
    const bytes = this.#bytes;
    this.#bytes = undefined;
    return bytes && { bytes, start: this.#at };
  }

  drop(): void {
    this.#bytes = undefined;
  }
}

/**
 * One block at a time: the format has no interleaving, so parts that open early wait until those before them have
 * closed.
 */

interface Entry {
  readonly part: number;
  /** Printed as it opens; undefined while it is not known yet what the block holds. */
  block: string | undefined;
  /** Printed deltas that came before the block's turn. */
  readonly deltas: string[];
  started: boolean;
  closed: boolean;
}

export class BlockQueue {
  #index = -1;
  #deltaHead = '';
  /** In order of opening; the first one is being written. */
  readonly #entries: Entry[] = [];

  /** Without a block the part keeps its place until `fill` sets it, or until it closes without ever having been one. */
  open(part: number, block?: string): string {
    this.#entries.push({ part, block, deltas: [], started: false, closed: false });
    return this.#advance();
  }

  fill(part: number, block: string): string {
    const entry = this.#find(part);
    if (entry !== undefined) entry.block = block;
    return this.#advance();
  }

  isFilled(part: number): boolean {
    return this.#find(part)?.block !== undefined;
  }

  /** `delta` is printed; the index is added when its block's turn comes. */
  add(part: number, delta: string): string {
    const first = this.#entries[0];
    if (first?.part === part && first.started) return `${this.#deltaHead}${delta}}\n\n`;
    this.#find(part)?.deltas.push(delta);
    return '';
  }

  close(part: number): string {
    const entry = this.#find(part);
    if (entry !== undefined) entry.closed = true;
    return this.#advance();
  }

  /** Nothing more comes. */
  closeAll(): string {
    for (const entry of this.#entries) entry.closed = true;
    return this.#advance();
  }

  /** Writes blocks in order, up to the first that is still open. */
  #advance(): string {
    let text = '';
    for (let first = this.#entries[0]; first !== undefined; first = this.#entries[0]) {
      if (!first.started && first.block !== undefined) text += this.#start(first, first.block);
      if (!first.closed) return text;
      if (first.started) {
        text += `event: content_block_stop\ndata: {"type":"content_block_stop","index":${this.#index}}\n\n`;
      }
      this.#entries.shift();
    }
    return text;
  }

  #start(entry: Entry, block: string): string {
    entry.started = true;
    const index = ++this.#index;
    const head = `event: content_block_delta\ndata: {"type":"content_block_delta","index":${index},"delta":`;
    this.#deltaHead = head;
    let text = `event: content_block_start\ndata: {"type":"content_block_start","index":${index},"content_block":${block}}\n\n`;
    for (const delta of entry.deltas) text += `${head}${delta}}\n\n`;
    return text;
  }

  #find(part: number): Entry | undefined {
    return this.#entries.find((entry) => entry.part === part);
  }
}

/** What a judge has let pass of each token lately: an agent sends its whole history with every turn, and only what is new is asked about. */

import { type BoundedCache, createBoundedCache } from '../../access/bounded-cache.ts';

/** About 100 bytes each. */
const entriesMax = 50_000;
/** A judge may be changed, or learn: nothing is believed for longer. */
const believedMs = 3_600_000;

export class JudgedBefore {
  readonly #passedAtMs: BoundedCache<number>;
  readonly #nowMs: () => number;

  constructor(nowMs: () => number, most = entriesMax) {
    this.#nowMs = nowMs;
    this.#passedAtMs = createBoundedCache(most);
  }

  /** Digests, so that no content stays in memory. */
  keyOf(tokenId: string, judge: string | undefined, content: string): string {
    return new Bun.CryptoHasher('sha256')
      .update(JSON.stringify([tokenId, judge ?? '']))
      .update(content)
      .digest('base64');
  }

  has(key: string): boolean {
    const atMs = this.#passedAtMs.get(key);
    return atMs !== undefined && this.#nowMs() - atMs < believedMs;
  }

  add(key: string): void {
    this.#passedAtMs.set(key, this.#nowMs());
  }
}

/** Content of each token that passed moderation recently: an agent sends its whole history with every turn, and only what is new is checked. */

import { type BoundedCache, createBoundedCache } from '../../access/bounded-cache.ts';

/** About 100 bytes each. */
const entriesMax = 50_000;
/** The moderation model may change: no result is reused for longer. */
const reusedMs = 3_600_000;

export class PassedContent {
  readonly #passedAtMs: BoundedCache<number>;
  readonly #nowMs: () => number;

  constructor(nowMs: () => number, most = entriesMax) {
    this.#nowMs = nowMs;
    this.#passedAtMs = createBoundedCache(most);
  }

  /** Digests, so that no content stays in memory. */
  keyOf(tokenId: string, model: string | undefined, content: string): string {
    return new Bun.CryptoHasher('sha256')
      .update(JSON.stringify([tokenId, model ?? '']))
      .update(content)
      .digest('base64');
  }

  has(key: string): boolean {
    const atMs = this.#passedAtMs.get(key);
    return atMs !== undefined && this.#nowMs() - atMs < reusedMs;
  }

  add(key: string): void {
    this.#passedAtMs.set(key, this.#nowMs());
  }
}

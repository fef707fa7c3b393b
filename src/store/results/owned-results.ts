/** Results with their owners, wherever they are stored: each token and all together have a limit in bytes, the oldest are removed first. */

import type { KeptResultRow, KeptResultStore, ResultKind } from './result-rows.ts';
import type { ByteRange, OpenedResult, ResultStore } from './result-store.ts';

interface OwnedResultsOptions {
  readonly place: ResultStore;
  readonly rows: KeptResultStore;
  readonly kind: ResultKind;
  /** Read each time: they may change while Weir runs. */
  readonly limits: { readonly tokenBytesMax: number; readonly bytesMax: number };
  readonly lifetimeMs: number;
  wallMs(): number;
  onFault(message: string, cause: unknown): void;
}

/** Each replica checks the limits after it wrote this part of what a token may have, so N replicas may exceed them by N times it. */
const trimPart = 16;
const pageSize = 50;
/** Results without a row are searched for this often, and removed this long after their time: a process may have died before it wrote the row. */
const orphanMs = 60 * 60 * 1_000;

export class OwnedResults {
  readonly #options: OwnedResultsOptions;
  #sinceTrimBytes = 0;
  #orphansAtMs = Number.NEGATIVE_INFINITY;
  #trimming: Promise<void> | undefined;

  constructor(options: OwnedResultsOptions) {
    this.#options = options;
  }

  /** All or nothing, as the place promises. It counts for the token from here on. */
  async write(
    name: string,
    mediaType: string,
    pieces: AsyncIterable<Uint8Array>,
    bytesMax: number,
    tokenId: string,
  ): Promise<{ readonly bytes: number }> {
    const { place, rows, kind, limits, lifetimeMs, wallMs, onFault } = this.#options;
    // One that the limits would remove at once is refused instead, so that its writer knows.
    const most = Math.min(bytesMax, limits.tokenBytesMax, limits.bytesMax);
    const { bytes } = await place.write(name, mediaType, pieces, most);
    const atMs = wallMs();
    try {
      await rows.put({ name, kind, tokenId, bytes, atMs, expiresAtMs: atMs + lifetimeMs });
    } catch (error) {
      // A result without a row would escape the limits.
      await place.remove(name).catch((cause: unknown) => onFault('A result could not be removed.', cause));
      throw error;
    }
    this.#sinceTrimBytes += bytes;
    if (this.#sinceTrimBytes * trimPart >= limits.tokenBytesMax) {
      this.trim().catch((cause: unknown) => onFault('Results beyond the limits could not be removed.', cause));
    }
    return { bytes };
  }

  /** Its row, whether the result is still stored or not. */
  find(name: string): Promise<KeptResultRow | undefined> {
    return this.#options.rows.get(name, this.#options.wallMs());
  }

  async isKnown(name: string): Promise<boolean> {
    return (await this.find(name)) !== undefined;
  }

  open(name: string, range?: ByteRange): Promise<OpenedResult | undefined> {
    return this.#options.place.open(name, range);
  }

  size(name: string): Promise<number | undefined> {
    return this.#options.place.size(name);
  }

  async remove(name: string): Promise<void> {
    await this.#options.place.remove(name);
    await this.#options.rows.remove(name);
  }

  /** Removes what exceeds the limits. A call while it runs waits for the same end. */
  trim(): Promise<void> {
    this.#trimming ??= this.#trim().finally(() => {
      this.#trimming = undefined;
    });
    return this.#trimming;
  }

  /** Removes what has expired, and results without a row that are older than that. */
  async expire(): Promise<void> {
    const { place, rows, kind, lifetimeMs, wallMs } = this.#options;
    const nowMs = wallMs();
    for (;;) {
      const names = await rows.expired(kind, nowMs, pageSize);
      for (const name of names) await this.remove(name);
      if (names.length < pageSize) break;
    }
    if (nowMs - this.#orphansAtMs < orphanMs) return;
    this.#orphansAtMs = nowMs;
    await place.expire(nowMs - lifetimeMs - orphanMs);
  }

  async #trim(): Promise<void> {
    const { rows, kind, limits } = this.#options;
    this.#sinceTrimBytes = 0;
    for (;;) {
      const names = await rows.excess(kind, limits.tokenBytesMax, limits.bytesMax, pageSize);
      for (const name of names) await this.remove(name);
      if (names.length < pageSize) return;
    }
  }
}

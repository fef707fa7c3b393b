/**
 * Who may use one of a pool's connections now: waiting happens here, without a clock, so that a pool that is behind
 * delays its queries and breaks none.
 */

import { StoreUnavailableError } from '../sql/store-errors.ts';

interface Waiting {
  readonly sinceMs: number;
  readonly isLong: boolean;
  start(): void;
  reject(error: unknown): void;
}

interface SlotOptions {
  readonly connections: number;
  /** Who waited longer than this is refused when a connection is free. */
  readonly waitMsMax: number;
}

export class ConnectionSlots {
  readonly #connections: number;
  readonly #waitMsMax: number;
  /** In order of arrival. */
  #waiting: Waiting[] = [];
  #used = 0;
  #usedLong = 0;

  constructor({ connections, waitMsMax }: SlotOptions) {
    this.#connections = connections;
    this.#waitMsMax = waitMsMax;
  }

  /** Long queries leave at least one connection to the others, where there are two. */
  async use<Result>(isLong: boolean, work: () => Promise<Result>): Promise<Result> {
    if (this.#isFree(isLong)) this.#take(isLong);
    else
      await new Promise<void>((resolve, reject) => {
        this.#waiting.push({ sinceMs: performance.now(), isLong, start: resolve, reject });
      });
    try {
      return await work();
    } finally {
      this.#used -= 1;
      if (isLong) this.#usedLong -= 1;
      this.#startNext();
    }
  }

  #isFree(isLong: boolean): boolean {
    if (this.#used >= this.#connections) return false;
    return !isLong || this.#usedLong < Math.max(1, this.#connections - 1);
  }

  #take(isLong: boolean): void {
    this.#used += 1;
    if (isLong) this.#usedLong += 1;
  }

  #startNext(): void {
    for (;;) {
      const at = this.#waiting.findIndex(({ isLong }) => this.#isFree(isLong));
      if (at === -1) return;
      const [next] = this.#waiting.splice(at, 1);
      if (next === undefined) return;
      const waitedMs = performance.now() - next.sinceMs;
      if (waitedMs > this.#waitMsMax) {
        const wait = `${this.#waiting.length + 1} operations wait for ${this.#connections} connections`;
        next.reject(new StoreUnavailableError(`PostgreSQL is behind: ${wait} (database.connections).`));
        continue;
      }
      this.#take(next.isLong);
      next.start();
    }
  }
}

/**
 * Has workers give back their shares. One recall of a worker is in flight at a time: what is wanted meanwhile goes with the
 * next one, since the one in flight may have been answered before a request that its client had to wait for.
 */

import type { RecalledWindows } from './share-report.ts';

interface RecallsParts {
  /** Resolves when the worker has given back its shares of these windows, and reported. Rejects where it cannot be asked. */
  recall(journal: number, windows: RecalledWindows): Promise<void>;
  untilEnded(journal: number): Promise<void>;
}

interface NextRecall {
  readonly windows: Set<string>;
  readonly done: Promise<void>;
}

/** A worker that hangs must not stop those that serve: it keeps its share, and the opening is decided without it. */
const recallMsMax = 5_000;

export class Recalls {
  readonly #parts: RecallsParts;
  readonly #inFlight = new Map<number, Promise<void>>();
  readonly #next = new Map<number, NextRecall>();

  constructor(parts: RecallsParts) {
    this.#parts = parts;
  }

  from(journal: number, windows: RecalledWindows): Promise<void> {
    const inFlight = this.#inFlight.get(journal);
    if (inFlight === undefined) return this.#send(journal, windows);
    let next = this.#next.get(journal);
    if (next === undefined) {
      const wanted = new Set<string>();
      const done = inFlight.then(() => {
        this.#next.delete(journal);
        return this.#send(journal, [...wanted]);
      });
      next = { windows: wanted, done };
      this.#next.set(journal, next);
    }
    for (const window of windows) next.windows.add(window);
    return next.done;
  }

  #send(journal: number, windows: RecalledWindows): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, recallMsMax);
    this.#inFlight.set(journal, promise);
    this.#parts
      .recall(journal, windows)
      // One that is gone gives nothing back; what it had is free once its journal is in the tables.
      .catch(() => this.#parts.untilEnded(journal))
      .then(resolve);
    return promise.finally(() => {
      clearTimeout(timer);
      if (this.#inFlight.get(journal) === promise) this.#inFlight.delete(journal);
    });
  }
}

/** Attempts whose client disconnected while the provider is still read for its usage: bounded in number, ended by a shutdown. */

import { Roster } from '../../conversation/tools/roster.ts';

interface ReadOn {
  /** The provider is read no further. */
  stopReading(): void;
}

/** Read each time: both may change while Weir runs. */
export interface ReadOnBounds {
  readonly limits: { readonly readOnAttemptsMax: number };
  readonly clocks: { readonly readOnMs: number };
}

export class ReadOnAttempts {
  readonly #bounds: ReadOnBounds;
  readonly #attempts = new Roster<ReadOn>();
  #stopped = false;

  constructor(bounds: ReadOnBounds) {
    this.#bounds = bounds;
  }

  get size(): number {
    return this.#attempts.size;
  }

  /** False where there is no room for one more, or no time for any. */
  begin(attempt: ReadOn): boolean {
    const { limits, clocks } = this.#bounds;
    if (this.#stopped || clocks.readOnMs === 0 || this.#attempts.size >= limits.readOnAttemptsMax) return false;
    this.#attempts.add(attempt);
    return true;
  }

  end(attempt: ReadOn): void {
    this.#attempts.delete(attempt);
  }

  /** A shutdown does not wait for clients that have left. */
  stop(): void {
    this.#stopped = true;
    for (const attempt of this.#attempts.all()) attempt.stopReading();
  }
}

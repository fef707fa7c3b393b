/** Attempts whose client left while their provider is still read for what it says was used: bounded in number, ended by a shutdown. */

import { Roster } from '../conversation/roster.ts';

export interface ReadOn {
  /** The provider is read no further. */
  stopReading(): void;
}

export class ReadOnAttempts {
  readonly #limits: { readonly readOnAttemptsMax: number };
  readonly #clocks: { readonly readOnMs: number };
  readonly #attempts = new Roster<ReadOn>();
  #stopped = false;

  constructor(limits: { readonly readOnAttemptsMax: number }, clocks: { readonly readOnMs: number }) {
    this.#limits = limits;
    this.#clocks = clocks;
  }

  get size(): number {
    return this.#attempts.size;
  }

  /** False where there is no room for one more, or no time for any. */
  begin(attempt: ReadOn): boolean {
    if (this.#stopped || this.#clocks.readOnMs === 0) return false;
    if (this.#attempts.size >= this.#limits.readOnAttemptsMax) return false;
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

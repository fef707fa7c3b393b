/** How much of the load may be second tries: an outage must not be multiplied by those who want to get round it. */

/** So many second tries are free before shares are counted: a few requests a minute are no storm. */
const savedMax = 100;

export class RetryBudget {
  readonly #share: number;
  #saved = savedMax;
  #denied = 0;

  /** `share` is how many second tries each request pays for. */
  constructor(share: number) {
    this.#share = share;
  }

  /** A request came in. */
  earn(): void {
    if (this.#saved < savedMax) this.#saved = Math.min(savedMax, this.#saved + this.#share);
  }

  /** May another candidate be asked? Then it is paid for. */
  spend(): boolean {
    if (this.#share >= 1) return true;
    if (this.#saved < 1) {
      this.#denied++;
      return false;
    }
    this.#saved -= 1;
    return true;
  }

  /** How often the answer was no. */
  get denied(): number {
    return this.#denied;
  }
}

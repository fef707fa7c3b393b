/** How much of the load may be second tries: an outage must not be multiplied by those who want to get round it. */

/** So many second tries are free before shares are counted: a few requests a minute are no storm. */
const savedMax = 100;

/** Read anew each time: the share may change while Weir runs. */
export interface RetrySettings {
  /** How many second tries a hundred requests pay for. */
  readonly retryPercentMax: number;
}

export class RetryBudget {
  readonly #settings: RetrySettings;
  #saved = savedMax;
  #denied = 0;

  constructor(settings: RetrySettings) {
    this.#settings = settings;
  }

  /** A request came in. */
  earn(): void {
    if (this.#saved < savedMax) this.#saved = Math.min(savedMax, this.#saved + this.#settings.retryPercentMax / 100);
  }

  /** May another candidate be asked? Then it is paid for. */
  spend(): boolean {
    if (this.#settings.retryPercentMax >= 100) return true;
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

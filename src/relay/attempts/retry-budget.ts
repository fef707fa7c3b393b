/** Bounds retries to a share of the load: retries must not multiply an outage. */

/** So many retries are free before the share counts: a few requests a minute are no retry storm. */
const savedMax = 100;

/** Read each time: the share may change while Weir runs. */
interface RetrySettings {
  /** Retries allowed per hundred requests. */
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

  /** May another candidate be tried? If so, one retry is spent. */
  spend(): boolean {
    if (this.#settings.retryPercentMax >= 100) return true;
    if (this.#saved < 1) {
      this.#denied++;
      return false;
    }
    this.#saved -= 1;
    return true;
  }

  /** How many retries were denied. */
  get denied(): number {
    return this.#denied;
  }
}

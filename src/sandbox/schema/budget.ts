/** A limit for the work that one schema causes. */

export class Budget {
  #left: number;

  constructor(steps: number) {
    this.#left = steps;
  }

  /** False when the budget is spent. */
  spend(steps: number): boolean {
    this.#left -= steps;
    return this.#left > 0;
  }

  get isSpent(): boolean {
    return this.#left <= 0;
  }
}

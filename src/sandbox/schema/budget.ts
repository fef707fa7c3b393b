/** How much work one schema may cause in all: whatever a caller sends, the reply comes in time. */

export class Budget {
  #left: number;

  constructor(steps: number) {
    this.#left = steps;
  }

  /** False once everything is spent. */
  spend(steps: number): boolean {
    this.#left -= steps;
    return this.#left > 0;
  }

  get isSpent(): boolean {
    return this.#left <= 0;
  }
}

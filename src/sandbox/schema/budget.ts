/** A limit for the work that the schemas of one request cause, in steps of about half a microsecond. */

const stepsMax = 30_000;

/** Thrown where a result cannot be finished; who holds the budget ends with what there is. One for all: a trace is expensive. */
const spent = new Error('The work of a schema ended at its budget.');

export class Budget {
  #left: number;

  constructor(steps = stepsMax) {
    this.#left = steps;
  }

  /** False when the budget is spent. */
  spend(steps: number): boolean {
    this.#left -= steps;
    return this.#left > 0;
  }

  /** Throws when the budget is spent. */
  take(steps: number): void {
    if (!this.spend(steps)) throw spent;
  }

  /** What the work results in, or `otherwise` when the budget is spent. */
  within<Result>(work: () => Result, otherwise: Result): Result {
    try {
      return work();
    } catch (error) {
      if (error === spent) return otherwise;
      throw error;
    }
  }
}

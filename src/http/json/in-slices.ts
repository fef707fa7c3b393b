/**
 * Long work on the event loop, cut into short slices. All jobs together take one slice per turn of the loop, so that a
 * hundred large bodies make the others wait no longer than one does.
 */

export interface SlicedWork {
  /** Works for a few milliseconds at most; true when it is done. */
  step(): boolean;
}

/** Makes bytes, which are complete once `step` has returned true. */
export interface SlicedBytes extends SlicedWork {
  readonly bytes: Uint8Array<ArrayBuffer>;
}

interface SlicesOptions {
  readonly nowMs: () => number;
  readonly sliceMs?: number;
  /** Calls back when everything else that waits has had its turn. */
  readonly nextTurn?: (work: () => void) => void;
}

interface Job {
  readonly work: SlicedWork;
  resolve(): void;
  reject(error: unknown): void;
}

const nothing: SlicedWork = { step: () => true };

export class Slices {
  readonly #nowMs: () => number;
  readonly #sliceMs: number;
  readonly #nextTurn: (work: () => void) => void;
  #jobs: Job[] = [];
  #waiting = false;

  constructor({ nowMs, sliceMs = 4, nextTurn = setImmediate }: SlicesOptions) {
    this.#nowMs = nowMs;
    this.#sliceMs = sliceMs;
    this.#nextTurn = nextTurn;
  }

  run(work: SlicedWork): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#jobs.push({ work, resolve, reject });
    this.#schedule();
    return promise;
  }

  /** Resolves when the jobs before it and everything else that waits have had their turn. */
  turn(): Promise<void> {
    return this.run(nothing);
  }

  #schedule(): void {
    if (this.#waiting || this.#jobs.length === 0) return;
    this.#waiting = true;
    this.#nextTurn(() => {
      this.#waiting = false;
      this.#slice();
      this.#schedule();
    });
  }

  /** The job that waited longest; unless it ends it waits again, behind the others. */
  #slice(): void {
    const job = this.#jobs.shift();
    if (job === undefined) return;
    const until = this.#nowMs() + this.#sliceMs;
    try {
      do {
        if (job.work.step()) {
          job.resolve();
          return;
        }
      } while (this.#nowMs() < until);
    } catch (error) {
      job.reject(error);
      return;
    }
    this.#jobs.push(job);
  }
}

/**
 * Long work on the event loop, cut into short slices. All jobs together take one slice per turn of the loop, so that a
 * hundred large bodies make the others wait no longer than one does. After a step that took longer and could not be cut, the
 * others have as long: a request needs several turns to be served.
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
  readonly afterMs?: (work: () => void, ms: number) => void;
}

interface Job {
  readonly work: SlicedWork;
  resolve(): void;
  reject(error: unknown): void;
}

const nothing: SlicedWork = { step: () => true };
const restMsMax = 50;

export class Slices {
  readonly #nowMs: () => number;
  readonly #sliceMs: number;
  readonly #nextTurn: (work: () => void) => void;
  readonly #afterMs: (work: () => void, ms: number) => void;
  /** What the last slice took, if that was too long. */
  #restMs = 0;
  #jobs: Job[] = [];
  #waiting = false;

  constructor({ nowMs, sliceMs = 4, nextTurn = setImmediate, afterMs = setTimeout }: SlicesOptions) {
    this.#nowMs = nowMs;
    this.#sliceMs = sliceMs;
    this.#nextTurn = nextTurn;
    this.#afterMs = afterMs;
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

  /** Work that cannot be cut has a turn for itself. */
  async alone<Result>(work: () => Result | Promise<Result>): Promise<Result> {
    const made: (Result | Promise<Result>)[] = [];
    await this.run({
      step() {
        made.push(work());
        return true;
      },
    });
    return made[0] as Result | Promise<Result>;
  }

  #schedule(): void {
    if (this.#waiting || this.#jobs.length === 0) return;
    this.#waiting = true;
    if (this.#restMs === 0) this.#nextTurn(this.#takeTurn);
    else this.#afterMs(this.#takeTurn, this.#restMs);
  }

  readonly #takeTurn = (): void => {
    this.#waiting = false;
    const startedMs = this.#nowMs();
    this.#slice(startedMs);
    const tookMs = this.#nowMs() - startedMs;
    this.#restMs = tookMs > 2 * this.#sliceMs ? Math.min(tookMs, restMsMax) : 0;
    this.#schedule();
  };

  /** The job that waited longest; unless it ends it waits again, behind the others. */
  #slice(startedMs: number): void {
    const job = this.#jobs.shift();
    if (job === undefined) return;
    const until = startedMs + this.#sliceMs;
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

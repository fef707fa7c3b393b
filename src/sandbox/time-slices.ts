/** Long work in time slices: it shares the event loop with every stream of the gateway, so it yields often. */

/** Yields wherever it can be interrupted; its return value is the result. */
export type Slices<Result> = Generator<undefined, Result, void>;

const sliceMs = 5;

export function runAtOnce<Result>(work: Slices<Result>): Result {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}

/** Rejects with the signal's reason when it is aborted. */
export async function runInSlices<Result>(work: Slices<Result>, signal: AbortSignal): Promise<Result> {
  for (;;) {
    const endMs = performance.now() + sliceMs;
    do {
      const step = work.next();
      if (step.done === true) return step.value;
    } while (performance.now() < endMs);
    await new Promise((resolve) => setImmediate(resolve));
    signal.throwIfAborted();
  }
}

/** Long work in turns: it shares a thread with every stream of the gateway, so it stops often and lets the others go first. */

/** Yields wherever it can be interrupted; its return value is the result. */
export type Turns<Result> = Generator<undefined, Result, void>;

const turnMs = 5;

/** Without a stop, where nobody else waits. */
export function atOnce<Result>(turns: Turns<Result>): Result {
  for (;;) {
    const step = turns.next();
    if (step.done === true) return step.value;
  }
}

/** Rejects with the signal's reason where nobody wants the result any more. */
export async function inTurns<Result>(turns: Turns<Result>, signal: AbortSignal): Promise<Result> {
  for (;;) {
    const endMs = performance.now() + turnMs;
    do {
      const step = turns.next();
      if (step.done === true) return step.value;
    } while (performance.now() < endMs);
    await new Promise((resolve) => setImmediate(resolve));
    signal.throwIfAborted();
  }
}

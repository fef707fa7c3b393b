/** The wait before the next poll: the provider's own interval, longer for long tasks, with backoff while polls fail. */

/** After so many questions the interval grows by itself once more. */
const asksPerStep = 20;
const stepsMax = 8;
const faultWaitMsMax = 60_000;
/** Only ever later: the interval is the most that a provider is asked. */
const jitterShare = 0.25;

export interface Pace {
  readonly everyMs: number;
  random(): number;
}

export function waitMs({ everyMs, random }: Pace, asked: number): number {
  const steps = Math.min(stepsMax, 1 + Math.floor(asked / asksPerStep));
  return Math.round(everyMs * steps * (1 + jitterShare * random()));
}

export function faultWaitMs({ everyMs, random }: Pace, faults: number, retryAfterMs: number | undefined): number {
  const grown = Math.max(everyMs, Math.min(faultWaitMsMax, everyMs * 2 ** Math.min(faults, 16)));
  return Math.round(Math.max(grown * (1 + jitterShare * random()), retryAfterMs ?? 0));
}

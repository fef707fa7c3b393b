/**
 * A target that says it does not have the model: it is tried after all others, for longer each time it says so again. One
 * caller's requests may bring that about (by a field, by what they refer to), so it holds for the caller, and for all
 * callers once two got the same answer.
 */

const firstMs = 1_000;
const longestMs = 600_000;
const doublingsMax = 16;
/** Callers that are remembered. */
const callersMax = 1_000;

interface Rest {
  readonly untilMs: number;
  readonly times: number;
}

export class Absence {
  readonly #callers = new Map<string, Rest>();
  #all: Rest | undefined;

  /** It answered this caller that it cannot serve. */
  note(tokenId: string, nowMs: number): void {
    const known = this.#callers.get(tokenId);
    const isRoom = known !== undefined || this.#callers.size < callersMax;
    // A request that was in flight when it first said so is no new evidence.
    if (isRoom && (known === undefined || nowMs >= known.untilMs)) this.#callers.set(tokenId, longer(known, nowMs));
    if (this.#callers.size < 2) return;
    if (this.#all === undefined || nowMs >= this.#all.untilMs) this.#all = longer(this.#all, nowMs);
  }

  /** Is it to be tried after others now? */
  holds(tokenId: string, nowMs: number): boolean {
    const untilMs = Math.max(this.#all?.untilMs ?? 0, this.#callers.get(tokenId)?.untilMs ?? 0);
    return nowMs < untilMs;
  }
}

function longer(before: Rest | undefined, nowMs: number): Rest {
  const times = before === undefined ? 0 : Math.min(before.times + 1, doublingsMax);
  return { untilMs: nowMs + Math.min(longestMs, firstMs * 2 ** times), times };
}

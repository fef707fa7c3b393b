/** The limits of the workers of one machine, kept by the process that they share: exact, and freed when a worker ends. */

import type { LimitState, LimitsUsed } from './limits.ts';
import { createSlidingWindow, type SlidingWindow } from './sliding-window.ts';
import type { Entered, LimitTable } from './table-limiter.ts';

interface TokenState {
  readonly requests: SlidingWindow;
  readonly tokens: SlidingWindow;
  reads: SlidingWindow | undefined;
  counting: SlidingWindow | undefined;
  /** By the worker that holds it. */
  readonly slots: Map<string, string>;
}

interface Decision {
  readonly denied: LimitState['denied'];
  readonly retryAfterMs: number;
}

/** The table of one worker, whose methods answer at once. */
interface WorkerLimits {
  enter(...values: Parameters<LimitTable['enter']>): Entered;
  leave(...values: Parameters<LimitTable['leave']>): void;
  enterClass(...values: Parameters<LimitTable['enterClass']>): number;
  peek(...values: Parameters<LimitTable['peek']>): LimitsUsed;
}

const granted: Decision = { denied: undefined, retryAfterMs: 0 };
/** Beyond this many the token that was seen first is forgotten and starts a new window. */
const tokensMax = 50_000;

export class MachineLimits {
  readonly #nowMs: () => number;
  readonly #states = new Map<string, TokenState>();

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  of(worker: string): WorkerLimits {
    return {
      enter: (tokenId, limits, reserved, slot) => this.#enter(worker, tokenId, limits, reserved, slot),
      leave: (tokenId, slot, slice, difference) => this.#leave(tokenId, slot, slice, difference),
      enterClass: (tokenId, counted, limit) => {
        const atMs = this.#nowMs();
        const state = this.#stateOf(tokenId);
        state[counted] ??= createSlidingWindow();
        const window = state[counted];
        if (window.used(atMs) + 1 > limit) return Math.max(1, window.waitMs(atMs, 1, limit));
        window.add(atMs, 1);
        return 0;
      },
      peek: (tokenId) => {
        const atMs = this.#nowMs();
        const { requests, tokens, slots } = this.#stateOf(tokenId);
        return { requests: requests.used(atMs), tokens: tokens.used(atMs), concurrency: slots.size };
      },
    };
  }

  /** The worker ended, and its requests with it. */
  free(worker: string): void {
    for (const { slots } of this.#states.values())
      for (const [slot, holder] of slots) if (holder === worker) slots.delete(slot);
  }

  #enter(worker: string, ...[tokenId, limits, reserved, slot]: Parameters<LimitTable['enter']>): Entered {
    const atMs = this.#nowMs();
    const state = this.#stateOf(tokenId);
    const decision = decide(state, limits, reserved, atMs);
    let slice = 0;
    if (decision.denied === undefined) {
      if (limits.rpm !== undefined) state.requests.add(atMs, 1);
      // Also where nothing is reserved: what is used in the end is counted in this slice.
      if (limits.tpm !== undefined) slice = state.tokens.add(atMs, reserved);
      if (slot !== '') state.slots.set(slot, worker);
    }
    return {
      slice,
      state: {
        ...decision,
        nowMs: atMs,
        requestsUsed: state.requests.used(atMs),
        tokensUsed: state.tokens.used(atMs),
        newestRequestSlice: state.requests.newestSlice(),
        newestTokenSlice: state.tokens.newestSlice(),
      },
    };
  }

  #leave(tokenId: string, slot: string, slice: number, difference: number): void {
    const state = this.#states.get(tokenId);
    state?.slots.delete(slot);
    if (difference !== 0) state?.tokens.correct(this.#nowMs(), slice, difference);
  }

  #stateOf(tokenId: string): TokenState {
    const known = this.#states.get(tokenId);
    if (known !== undefined) return known;
    if (this.#states.size >= tokensMax) this.#forgetFirst();
    const made: TokenState = {
      requests: createSlidingWindow(),
      tokens: createSlidingWindow(),
      reads: undefined,
      counting: undefined,
      slots: new Map(),
    };
    this.#states.set(tokenId, made);
    return made;
  }

  #forgetFirst(): void {
    for (const [tokenId, { slots }] of this.#states) {
      if (slots.size > 0) continue;
      this.#states.delete(tokenId);
      return;
    }
  }
}

function decide(
  state: TokenState,
  { rpm, tpm, concurrency }: Parameters<LimitTable['enter']>[1],
  reserved: number,
  atMs: number,
): Decision {
  if (rpm !== undefined && state.requests.used(atMs) + 1 > rpm)
    return { denied: 'requests', retryAfterMs: state.requests.waitMs(atMs, 1, rpm) };
  if (tpm !== undefined && state.tokens.used(atMs) + reserved > tpm)
    return { denied: 'tokens', retryAfterMs: state.tokens.waitMs(atMs, reserved, tpm) };
  if (concurrency !== undefined && state.slots.size >= concurrency) return { denied: 'concurrency', retryAfterMs: 0 };
  return granted;
}

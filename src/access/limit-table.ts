/** The limits of the workers of one machine, kept by the process that they share: exact, and freed when a worker ends. */

import type { LimitState, LimitsUsed } from './limits.ts';
import { createSlidingWindow, type SlidingWindow } from './sliding-window.ts';
import type { Entered, LimitEnd, LimitTable, SharedLimits } from './table-limiter.ts';

interface LevelState {
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
  enter(...values: Parameters<LimitTable['enter']>): readonly Entered[];
  leave(...values: Parameters<LimitTable['leave']>): void;
  enterClass(...values: Parameters<LimitTable['enterClass']>): readonly number[];
  peek(...values: Parameters<LimitTable['peek']>): readonly LimitsUsed[];
}

const granted: Decision = { denied: undefined, retryAfterMs: 0 };
/** Beyond this many the level that was seen first is forgotten and starts a new window. */
const tokensMax = 50_000;

export class MachineLimits {
  readonly #nowMs: () => number;
  readonly #states = new Map<string, LevelState>();

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  of(worker: string): WorkerLimits {
    return {
      enter: (entries, reserved) => this.#enter(worker, entries, reserved),
      leave: (ends) => {
        for (const end of ends) this.#leave(end);
      },
      enterClass: (entries, counted) => {
        const atMs = this.#nowMs();
        const levels = entries.map(({ key, limit }) => {
          const state = this.#stateOf(key);
          state[counted] ??= createSlidingWindow();
          return { window: state[counted], limit };
        });
        const waits = levels.map(({ window, limit }) =>
          window.used(atMs) + 1 > limit ? Math.max(1, window.waitMs(atMs, 1, limit)) : 0,
        );
        if (waits.every((waitMs) => waitMs === 0)) for (const { window } of levels) window.add(atMs, 1);
        return waits;
      },
      peek: (keys) => {
        const atMs = this.#nowMs();
        return keys.map((key) => {
          const { requests, tokens, slots } = this.#stateOf(key);
          return { requests: requests.used(atMs), tokens: tokens.used(atMs), concurrency: slots.size };
        });
      },
    };
  }

  /** The worker ended, and its requests with it. */
  free(worker: string): void {
    for (const { slots } of this.#states.values())
      for (const [slot, holder] of slots) if (holder === worker) slots.delete(slot);
  }

  #enter(worker: string, ...[entries, reserved]: Parameters<LimitTable['enter']>): readonly Entered[] {
    const atMs = this.#nowMs();
    const levels = entries.map((entry) => {
      const state = this.#stateOf(entry.key);
      return { ...entry, state, decision: decide(state, entry.limits, reserved, atMs) };
    });
    const isGranted = levels.every(({ decision }) => decision.denied === undefined);
    return levels.map(({ state, limits, slot, decision }) => {
      let slice = 0;
      if (isGranted) {
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
    });
  }

  #leave({ key, slot, slice, difference }: LimitEnd): void {
    const state = this.#states.get(key);
    state?.slots.delete(slot);
    if (difference !== 0) state?.tokens.correct(this.#nowMs(), slice, difference);
  }

  #stateOf(key: string): LevelState {
    const known = this.#states.get(key);
    if (known !== undefined) return known;
    if (this.#states.size >= tokensMax) this.#forgetFirst();
    const made: LevelState = {
      requests: createSlidingWindow(),
      tokens: createSlidingWindow(),
      reads: undefined,
      counting: undefined,
      slots: new Map(),
    };
    this.#states.set(key, made);
    return made;
  }

  #forgetFirst(): void {
    for (const [key, { slots }] of this.#states) {
      if (slots.size > 0) continue;
      this.#states.delete(key);
      return;
    }
  }
}

function decide(state: LevelState, { rpm, tpm, concurrency }: SharedLimits, reserved: number, atMs: number): Decision {
  if (rpm !== undefined && state.requests.used(atMs) + 1 > rpm)
    return { denied: 'requests', retryAfterMs: state.requests.waitMs(atMs, 1, rpm) };
  if (tpm !== undefined && state.tokens.used(atMs) + reserved > tpm)
    return { denied: 'tokens', retryAfterMs: state.tokens.waitMs(atMs, reserved, tpm) };
  if (concurrency !== undefined && state.slots.size >= concurrency) return { denied: 'concurrency', retryAfterMs: 0 };
  return granted;
}

/** The limits of the workers of one machine, kept by the process that they share: exact, and freed when a worker ends. */

import type { Verdict } from './ahead-table.ts';
import { type LimitState, type LimitsUsed, sliceMs } from './limits.ts';
import type { AheadEnd, AheadGrant, AheadRequest } from './limits-ahead.ts';
import { createSlidingWindow, type SlidingWindow } from './sliding-window.ts';
import type { LimitEntry, LimitTable, SharedLimits } from './table-limiter.ts';

interface LevelState {
  readonly requests: SlidingWindow;
  readonly tokens: SlidingWindow;
  reads: SlidingWindow | undefined;
  counting: SlidingWindow | undefined;
  /** By the worker that holds it. */
  readonly slots: Map<string, string>;
  /** What workers counted ahead for the rest of a slice; requests also where only tokens or slots are limited. */
  readonly ahead: { slice: number; requests: number; tokens: number };
}

interface Decision {
  readonly denied: LimitState['denied'];
  readonly retryAfterMs: number;
}

/** With the table's time, for the clock of the worker that asked. */
export type MachineVerdict = Verdict & { readonly atMs: number };
export type MachineGrant = { readonly atMs: number; readonly grant: AheadGrant | undefined };

/** The table of one worker, whose methods answer at once. */
export interface WorkerLimits {
  enter(entries: readonly LimitEntry[], reserved: number, isLast: boolean): MachineVerdict;
  countAhead(wanted: AheadRequest): MachineGrant;
  leave(ends: readonly AheadEnd[]): void;
  enterClass(...values: Parameters<LimitTable['enterClass']>): readonly number[];
  peek(...values: Parameters<LimitTable['peek']>): readonly LimitsUsed[];
}

/** Near a limit nothing is counted ahead: more than a sixteenth of what is left, or with more than three quarters of the slots taken. */
const leftOverAhead = 16;
const slotsTakenMax = 0.75;

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
      enter: (entries, reserved, isLast) => this.#enter(worker, entries, reserved, isLast),
      countAhead: (wanted) => this.#countAhead(wanted),
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

  #enter(worker: string, entries: readonly LimitEntry[], reserved: number, isLast: boolean): MachineVerdict {
    const atMs = this.#nowMs();
    const levels = entries.map((entry) => {
      const state = this.#stateOf(entry.key);
      return { ...entry, state, decision: decide(state, entry.limits, reserved, atMs) };
    });
    const isGranted = levels.every(({ decision }) => decision.denied === undefined);
    const awaits = !isGranted && !isLast && levels.every((level) => mayFitLater(level, reserved, atMs));
    if (awaits)
      for (const { state, decision } of levels) if (decision.denied !== undefined) countWaiting(state, reserved);
    const entered = levels.map(({ state, limits, slot, decision }) => {
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
    return { atMs, entered, returnsAfterMs: awaits ? sliceMs - (atMs % sliceMs) : 0 };
  }

  #countAhead({ key, limits: { rpm, tpm, concurrency }, requests, tokens }: AheadRequest): MachineGrant {
    const atMs = this.#nowMs();
    const state = this.#stateOf(key);
    const fits =
      (rpm === undefined || requests * leftOverAhead <= rpm - state.requests.used(atMs)) &&
      (tpm === undefined || tokens * leftOverAhead <= tpm - state.tokens.used(atMs)) &&
      (concurrency === undefined || state.slots.size <= concurrency * slotsTakenMax);
    if (!fits) return { atMs, grant: undefined };
    if (rpm !== undefined) state.requests.add(atMs, requests);
    if (tpm !== undefined) state.tokens.add(atMs, tokens);
    const slice = Math.floor(atMs / sliceMs);
    const ahead = aheadOf(state, slice);
    ahead.requests += requests;
    ahead.tokens += tokens;
    return { atMs, grant: { slice, requestsUsed: state.requests.used(atMs), tokensUsed: state.tokens.used(atMs) } };
  }

  #leave({ key, slot, slice, difference, requests }: AheadEnd): void {
    const state = this.#states.get(key);
    state?.slots.delete(slot);
    if (difference !== 0) state?.tokens.correct(this.#nowMs(), slice, difference);
    if (requests !== 0) state?.requests.correct(this.#nowMs(), slice, requests);
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
      ahead: { slice: 0, requests: 0, tokens: 0 },
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

interface Decided extends LimitEntry {
  readonly state: LevelState;
  readonly decision: Decision;
}

/** What is counted ahead in this slice. */
function aheadOf({ ahead }: LevelState, slice: number): LevelState['ahead'] {
  if (ahead.slice !== slice) Object.assign(ahead, { slice, requests: 0, tokens: 0 });
  return ahead;
}

/** Whether it is let in, or would be if workers returned what they have ahead. */
function mayFitLater({ state, limits, decision }: Decided, reserved: number, atMs: number): boolean {
  if (decision.denied === undefined) return true;
  const ahead = aheadOf(state, Math.floor(atMs / sliceMs));
  if (decision.denied === 'requests') return state.requests.used(atMs) + 1 - ahead.requests <= (limits.rpm ?? 0);
  if (decision.denied === 'tokens') return state.tokens.used(atMs) + reserved - ahead.tokens <= (limits.tpm ?? 0);
  return ahead.requests > 0;
}

/** No more requests wait for what workers have ahead than could use it. */
function countWaiting({ ahead }: LevelState, reserved: number): void {
  ahead.requests = Math.max(0, ahead.requests - 1);
  ahead.tokens = Math.max(0, ahead.tokens - reserved);
}

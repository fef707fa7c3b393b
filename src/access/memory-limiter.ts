/**
 * The limits of one process, kept in memory: exact for a single replica, and the fallback of a replica without Redis.
 */

import type { LevelLimits } from './caller.ts';
import {
  type Admission,
  classDenial,
  classLimit,
  countedTokens,
  type Denial,
  denialError,
  type LimitClass,
  type Limited,
  type LimitedLevel,
  type Limiter,
  LimitHeaders,
  type LimitState,
  type LimitsLeft,
  type LimitsUsed,
  limitsLeft,
  openAdmission,
} from './limits.ts';
import { createSlidingWindow, type SlidingWindow } from './sliding-window.ts';

interface MemoryLimiterOptions {
  /** Monotonic: if the wall clock were set back, it would block tokens until the old time is reached again. */
  readonly nowMs: () => number;
  /** About a kilobyte each; beyond it the token or end user that was seen first is forgotten and starts a new window. */
  readonly tokensMax?: number;
}

interface MemoryLimiter extends Limiter {
  enter(caller: Limited, requestTokens: number, requestId: string, counted?: LimitClass): Admission;
  /** Reserves tokens for a request that was counted elsewhere. */
  reserve(caller: Limited, tokens: number): Reservation;
  peek(caller: Limited): LimitsLeft;
  /** How many tokens and other levels are being counted. */
  readonly size: number;
}

interface Reservation {
  /** As they were when it was made. */
  readonly levels: readonly LimitedLevel[];
  /** Replaces the reserved tokens by those actually used. */
  settle(actualTokens: number): void;
}

/** A level that has entered or will. */
interface EnteredLevel {
  readonly limits: LevelLimits;
  readonly state: LevelState;
}

interface LevelState {
  /** Of a level that many tokens share: it is not forgotten for new ones. */
  readonly isShared: boolean;
  requests: SlidingWindow | undefined;
  reads: SlidingWindow | undefined;
  counting: SlidingWindow | undefined;
  tokens: SlidingWindow | undefined;
  inFlight: number;
}

export function createMemoryLimiter({ nowMs, tokensMax = 50_000 }: MemoryLimiterOptions): MemoryLimiter {
  const states = new Map<string, LevelState>();
  let sweep = states.entries();
  /** A state was made since the last sweep. */
  let grew = false;

  const isIdle = (state: LevelState, atMs: number): boolean =>
    state.inFlight === 0 &&
    !state.requests?.used(atMs) &&
    !state.tokens?.used(atMs) &&
    !state.reads?.used(atMs) &&
    !state.counting?.used(atMs);

  /**
   * New states lead to checks of two others, so that idle ones are removed without a timer or a pause. Called when a request
   * has been counted at all of its levels: before, its own new states are idle.
   */
  const forgetSomeIdle = (atMs: number): void => {
    if (!grew) return;
    grew = false;
    for (let looked = 0; looked < 2; looked++) {
      const next = sweep.next();
      if (next.done) {
        sweep = states.entries();
        return;
      }
      const [id, state] = next.value;
      if (isIdle(state, atMs)) states.delete(id);
    }
  };

  const forgetFirst = (): void => {
    for (const [key, { isShared }] of states) {
      if (isShared) continue;
      states.delete(key);
      return;
    }
  };

  const stateOf = ({ key, kind }: LevelLimits): LevelState => {
    const existing = states.get(key);
    if (existing !== undefined) return existing;
    grew = true;
    if (states.size >= tokensMax) forgetFirst();
    const state: LevelState = {
      isShared: kind !== 'token' && kind !== 'user',
      requests: undefined,
      reads: undefined,
      counting: undefined,
      tokens: undefined,
      inFlight: 0,
    };
    states.set(key, state);
    return state;
  };

  /** The windows that its limits need. */
  const entering = (limits: LevelLimits): EnteredLevel => {
    const state = stateOf(limits);
    if (limits.rpm !== undefined) state.requests ??= createSlidingWindow();
    if (limits.tpm !== undefined) state.tokens ??= createSlidingWindow();
    return { limits, state };
  };

  const enterClass = (caller: Limited, counted: Exclude<LimitClass, 'requests'>): Admission => {
    const atMs = nowMs();
    const windows: SlidingWindow[] = [];
    for (const level of caller.limits) {
      if (level.rpm === undefined) continue;
      const limit = classLimit(level.rpm, counted);
      const state = stateOf(level);
      state[counted] ??= createSlidingWindow();
      const window = state[counted];
      if (window.used(atMs) + 1 > limit)
        throw classDenial(caller, level, counted, limit, window.waitMs(atMs, 1, limit));
      windows.push(window);
    }
    for (const window of windows) window.add(atMs, 1);
    forgetSomeIdle(atMs);
    return openAdmission;
  };

  const reserveIn = (caller: Limited, levels: readonly EnteredLevel[], tokens: number): Reservation => {
    const atMs = nowMs();
    const reserved = countedTokens(tokens);
    for (const level of levels) {
      const verdict = decideTokens(level, reserved, atMs);
      if (verdict.denied !== undefined) throw denied(caller, level, verdict, levels, atMs, reserved);
    }
    const slices = levels.map(({ state }) => state.tokens?.add(atMs, reserved) ?? 0);
    return {
      levels: described(levels, atMs),
      settle(actualTokens) {
        const difference = countedTokens(actualTokens) - reserved;
        for (const [index, { state }] of levels.entries())
          state.tokens?.correct(nowMs(), slices[index] ?? 0, difference);
      },
    };
  };

  return {
    enter(caller, requestTokens, _requestId, counted = 'requests') {
      if (caller.limits.length === 0) return openAdmission;
      if (counted !== 'requests') return enterClass(caller, counted);
      const atMs = nowMs();
      const levels = caller.limits.map(entering);
      const reserved = countedTokens(requestTokens);
      for (const level of levels) {
        const verdict = decide(level, reserved, atMs);
        if (verdict.denied !== undefined) throw denied(caller, level, verdict, levels, atMs, reserved);
      }
      for (const { state, limits } of levels) {
        state.inFlight++;
        if (limits.rpm !== undefined) state.requests?.add(atMs, 1);
      }
      forgetSomeIdle(atMs);
      const withTokens = levels.filter(({ limits }) => limits.tpm !== undefined);
      const reserve = withTokens.length === 0 ? undefined : (tokens: number) => reserveIn(caller, withTokens, tokens);
      const reservation = reserve?.(reserved);
      const isAll = reservation !== undefined && withTokens.length === levels.length;
      return new MemoryAdmission(levels, isAll ? reservation.levels : described(levels, atMs), reservation, reserve);
    },
    reserve(caller, tokens) {
      const levels = caller.limits.filter(({ tpm }) => tpm !== undefined).map(entering);
      return reserveIn(caller, levels, tokens);
    },
    peek({ limits }) {
      const atMs = nowMs();
      const used = limits.map(({ key }) => {
        const state = states.get(key);
        return state && usedOf(state, atMs);
      });
      return limitsLeft(limits, used);
    },
    get size() {
      return states.size;
    },
  };
}

interface Verdict {
  readonly denied: Denial | undefined;
  readonly retryAfterMs: number;
}

const granted: Verdict = { denied: undefined, retryAfterMs: 0 };

function decide({ state, limits }: EnteredLevel, reserved: number, atMs: number): Verdict {
  const { rpm, concurrency } = limits;
  if (rpm !== undefined && state.requests !== undefined && state.requests.used(atMs) + 1 > rpm) {
    return { denied: 'requests', retryAfterMs: state.requests.waitMs(atMs, 1, rpm) };
  }
  const tokens = decideTokens({ state, limits }, reserved, atMs);
  if (tokens.denied !== undefined) return tokens;
  if (concurrency !== undefined && state.inFlight >= concurrency) return { denied: 'concurrency', retryAfterMs: 0 };
  return granted;
}

function decideTokens({ state, limits: { tpm } }: EnteredLevel, reserved: number, atMs: number): Verdict {
  if (tpm === undefined || state.tokens === undefined || state.tokens.used(atMs) + reserved <= tpm) return granted;
  return { denied: 'tokens', retryAfterMs: state.tokens.waitMs(atMs, reserved, tpm) };
}

function denied(
  caller: Limited,
  { limits, state }: EnteredLevel,
  verdict: Verdict,
  levels: readonly EnteredLevel[],
  atMs: number,
  reserved: number,
) {
  return denialError(caller, { limits, state: describe(state, atMs, verdict) }, described(levels, atMs), reserved);
}

const described = (levels: readonly EnteredLevel[], atMs: number): readonly LimitedLevel[] =>
  levels.map(({ limits, state }) => ({ limits, state: describe(state, atMs, granted) }));

function describe(state: LevelState, atMs: number, verdict: Verdict): LimitState {
  return {
    ...verdict,
    nowMs: atMs,
    requestsUsed: state.requests?.used(atMs) ?? 0,
    tokensUsed: state.tokens?.used(atMs) ?? 0,
    newestRequestSlice: state.requests?.newestSlice() ?? 0,
    newestTokenSlice: state.tokens?.newestSlice() ?? 0,
  };
}

function usedOf({ requests, tokens, inFlight }: LevelState, atMs: number): LimitsUsed {
  return { requests: requests?.used(atMs) ?? 0, tokens: tokens?.used(atMs) ?? 0, concurrency: inFlight };
}

class MemoryAdmission implements Admission {
  readonly #headers: LimitHeaders;
  readonly #levels: readonly EnteredLevel[];
  readonly #reserve: ((tokens: number) => Reservation) | undefined;
  #reservation: Reservation | undefined;
  #left = false;

  constructor(
    levels: readonly EnteredLevel[],
    decided: readonly LimitedLevel[],
    reservation: Reservation | undefined,
    reserve: ((tokens: number) => Reservation) | undefined,
  ) {
    this.#headers = new LimitHeaders(decided);
    this.#levels = levels;
    this.#reservation = reservation;
    this.#reserve = reserve;
  }

  get headers(): Readonly<Record<string, string>> {
    return this.#headers.read();
  }

  reserve(tokens: number): undefined {
    if (this.#reserve === undefined) return;
    this.#reservation = this.#reserve(tokens);
    this.#headers.add(this.#reservation.levels);
  }

  leave(actualTokens?: number): void {
    if (this.#left) return;
    this.#left = true;
    for (const { state } of this.#levels) state.inFlight--;
    if (actualTokens !== undefined) this.#reservation?.settle(actualTokens);
  }
}

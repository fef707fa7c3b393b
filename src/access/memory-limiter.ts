/**
 * The limits of one process, kept in memory: exact for a single replica, and the fallback of a replica without Redis.
 */

import type { Caller, TokenTerms } from './caller.ts';
import {
  type Admission,
  classDenial,
  classLimit,
  countedTokens,
  type Denial,
  denialError,
  hasLimits,
  type LimitClass,
  type Limiter,
  type LimitState,
  type LimitsLeft,
  type LimitsUsed,
  limitHeaders,
  limitsLeft,
  openAdmission,
} from './limits.ts';
import { createSlidingWindow, type SlidingWindow } from './sliding-window.ts';

interface MemoryLimiterOptions {
  /** Monotonic: if the wall clock were set back, it would block tokens until the old time is reached again. */
  readonly nowMs: () => number;
  /** About a kilobyte each; beyond it the token that was seen first is forgotten and starts a new window. */
  readonly tokensMax?: number;
}

interface MemoryLimiter extends Limiter {
  enter(caller: Caller, requestTokens: number, requestId: string, counted?: LimitClass): Admission;
  /** Reserves tokens for a request that was counted elsewhere. */
  reserve(caller: Caller, tokens: number): Reservation;
  peek(caller: Caller): LimitsLeft;
  /** How many tokens are being counted. */
  readonly size: number;
}

interface Reservation {
  readonly headers: Readonly<Record<string, string>>;
  /** Replaces the reserved tokens by those actually used. */
  settle(actualTokens: number): void;
}

interface TokenState {
  requests: SlidingWindow | undefined;
  reads: SlidingWindow | undefined;
  counting: SlidingWindow | undefined;
  tokens: SlidingWindow | undefined;
  inFlight: number;
}

export function createMemoryLimiter({ nowMs, tokensMax = 50_000 }: MemoryLimiterOptions): MemoryLimiter {
  const states = new Map<string, TokenState>();
  let sweep = states.entries();

  const isIdle = (state: TokenState, atMs: number): boolean =>
    state.inFlight === 0 &&
    !state.requests?.used(atMs) &&
    !state.tokens?.used(atMs) &&
    !state.reads?.used(atMs) &&
    !state.counting?.used(atMs);

  /** Each new state checks two others, so that idle ones are removed without a timer or a pause. */
  const forgetSomeIdle = (atMs: number): void => {
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

  const stateOf = (tokenId: string, atMs: number): TokenState => {
    const existing = states.get(tokenId);
    if (existing !== undefined) return existing;
    forgetSomeIdle(atMs);
    if (states.size >= tokensMax) {
      for (const first of states.keys()) {
        states.delete(first);
        break;
      }
    }
    const state: TokenState = {
      requests: undefined,
      reads: undefined,
      counting: undefined,
      tokens: undefined,
      inFlight: 0,
    };
    states.set(tokenId, state);
    return state;
  };

  const enterClass = (caller: Caller, counted: Exclude<LimitClass, 'requests'>): Admission => {
    const limit = classLimit(caller.terms, counted);
    if (limit === undefined) return openAdmission;
    const atMs = nowMs();
    const state = stateOf(caller.tokenId, atMs);
    state[counted] ??= createSlidingWindow();
    const window = state[counted];
    if (window.used(atMs) + 1 > limit) throw classDenial(counted, limit, window.waitMs(atMs, 1, limit));
    window.add(atMs, 1);
    return openAdmission;
  };

  const reserveIn = (state: TokenState, { terms }: Caller, tokens: number): Reservation => {
    const atMs = nowMs();
    const reserved = countedTokens(tokens);
    const verdict = decideTokens(state, terms, reserved, atMs);
    if (verdict.denied !== undefined) throw denialError(terms, describe(state, atMs, verdict), reserved);
    const slice = state.tokens?.add(atMs, reserved) ?? 0;
    return {
      headers: limitHeaders(terms, describe(state, atMs, verdict)),
      settle: (actualTokens) => state.tokens?.correct(nowMs(), slice, countedTokens(actualTokens) - reserved),
    };
  };

  return {
    enter(caller, requestTokens, _requestId, counted = 'requests') {
      if (counted !== 'requests') return enterClass(caller, counted);
      const { terms } = caller;
      if (!hasLimits(terms)) return openAdmission;
      const atMs = nowMs();
      const state = stateOf(caller.tokenId, atMs);
      if (terms.rpm !== undefined) state.requests ??= createSlidingWindow();
      if (terms.tpm !== undefined) state.tokens ??= createSlidingWindow();
      const reserved = countedTokens(requestTokens);
      const verdict = decide(state, terms, reserved, atMs);
      if (verdict.denied !== undefined) throw denialError(terms, describe(state, atMs, verdict), reserved);
      state.inFlight++;
      state.requests?.add(atMs, 1);
      const reservation = terms.tpm === undefined ? undefined : reserveIn(state, caller, reserved);
      const headers = reservation?.headers ?? limitHeaders(terms, describe(state, atMs, verdict));
      return new MemoryAdmission(headers, state, reservation, (tokens) =>
        terms.tpm === undefined ? undefined : reserveIn(state, caller, tokens),
      );
    },
    reserve(caller, tokens) {
      const state = stateOf(caller.tokenId, nowMs());
      state.tokens ??= createSlidingWindow();
      return reserveIn(state, caller, tokens);
    },
    peek({ tokenId, terms }) {
      const atMs = nowMs();
      const state = states.get(tokenId);
      return limitsLeft(terms, state && usedOf(state, atMs));
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

function decide(state: TokenState, terms: TokenTerms, reserved: number, atMs: number): Verdict {
  const { rpm, concurrency } = terms;
  if (rpm !== undefined && state.requests !== undefined && state.requests.used(atMs) + 1 > rpm) {
    return { denied: 'requests', retryAfterMs: state.requests.waitMs(atMs, 1, rpm) };
  }
  const tokens = decideTokens(state, terms, reserved, atMs);
  if (tokens.denied !== undefined) return tokens;
  if (concurrency !== undefined && state.inFlight >= concurrency) return { denied: 'concurrency', retryAfterMs: 0 };
  return granted;
}

function decideTokens(state: TokenState, { tpm }: TokenTerms, reserved: number, atMs: number): Verdict {
  if (tpm === undefined || state.tokens === undefined || state.tokens.used(atMs) + reserved <= tpm) return granted;
  return { denied: 'tokens', retryAfterMs: state.tokens.waitMs(atMs, reserved, tpm) };
}

function describe(state: TokenState, atMs: number, verdict: Verdict): LimitState {
  return {
    ...verdict,
    nowMs: atMs,
    requestsUsed: state.requests?.used(atMs) ?? 0,
    tokensUsed: state.tokens?.used(atMs) ?? 0,
    newestRequestSlice: state.requests?.newestSlice() ?? 0,
    newestTokenSlice: state.tokens?.newestSlice() ?? 0,
  };
}

function usedOf({ requests, tokens, inFlight }: TokenState, atMs: number): LimitsUsed {
  return { requests: requests?.used(atMs) ?? 0, tokens: tokens?.used(atMs) ?? 0, concurrency: inFlight };
}

class MemoryAdmission implements Admission {
  headers: Readonly<Record<string, string>>;
  readonly #state: TokenState;
  readonly #reserve: (tokens: number) => Reservation | undefined;
  #reservation: Reservation | undefined;
  #left = false;

  constructor(
    headers: Readonly<Record<string, string>>,
    state: TokenState,
    reservation: Reservation | undefined,
    reserve: (tokens: number) => Reservation | undefined,
  ) {
    this.headers = headers;
    this.#state = state;
    this.#reservation = reservation;
    this.#reserve = reserve;
  }

  reserve(tokens: number): undefined {
    this.#reservation = this.#reserve(tokens) ?? this.#reservation;
    if (this.#reservation !== undefined) this.headers = this.#reservation.headers;
  }

  leave(actualTokens?: number): void {
    if (this.#left) return;
    this.#left = true;
    this.#state.inFlight--;
    if (actualTokens !== undefined) this.#reservation?.settle(actualTokens);
  }
}

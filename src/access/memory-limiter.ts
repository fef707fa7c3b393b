/** The limits of one process, kept in memory: exact for a single replica, and what a replica falls back on without Redis. */

import type { Caller, TokenTerms } from './caller.ts';
import {
  type Admission,
  countedTokens,
  type Denial,
  denialError,
  hasLimits,
  type Limiter,
  type LimitState,
  type LimitsLeft,
  type LimitsUsed,
  limitHeaders,
  limitsLeft,
  openAdmission,
} from './limits.ts';
import { createSlidingWindow, type SlidingWindow } from './sliding-window.ts';

export interface MemoryLimiterOptions {
  readonly nowMs: () => number;
  /** About a kilobyte each; beyond it the token that was seen first is forgotten and starts a new window. */
  readonly tokensMax?: number;
}

export interface MemoryLimiter extends Limiter {
  enter(caller: Caller, requestTokens: number, requestId: string): Admission;
  peek(caller: Caller): LimitsLeft;
  /** How many tokens are being counted. */
  readonly size: number;
}

interface TokenState {
  requests: SlidingWindow | undefined;
  tokens: SlidingWindow | undefined;
  inFlight: number;
}

export function createMemoryLimiter({ nowMs, tokensMax = 50_000 }: MemoryLimiterOptions): MemoryLimiter {
  const states = new Map<string, TokenState>();
  let sweep = states.entries();

  const isIdle = (state: TokenState, atMs: number): boolean =>
    state.inFlight === 0 && !state.requests?.used(atMs) && !state.tokens?.used(atMs);

  /** Each new state pays for looking at two others, so that idle ones go without a timer or a pause. */
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
    const state: TokenState = { requests: undefined, tokens: undefined, inFlight: 0 };
    states.set(tokenId, state);
    return state;
  };

  return {
    enter(caller, requestTokens) {
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
      const slice = state.tokens?.add(atMs, reserved) ?? 0;
      const headers = limitHeaders(terms, describe(state, atMs, verdict));
      return { headers, leave: leaving(state, slice, reserved, nowMs) };
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
  const { rpm, tpm, concurrency } = terms;
  if (rpm !== undefined && state.requests !== undefined && state.requests.used(atMs) + 1 > rpm) {
    return { denied: 'requests', retryAfterMs: state.requests.waitMs(atMs, 1, rpm) };
  }
  if (tpm !== undefined && state.tokens !== undefined && state.tokens.used(atMs) + reserved > tpm) {
    return { denied: 'tokens', retryAfterMs: state.tokens.waitMs(atMs, reserved, tpm) };
  }
  if (concurrency !== undefined && state.inFlight >= concurrency) return { denied: 'concurrency', retryAfterMs: 0 };
  return granted;
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

function leaving(state: TokenState, slice: number, reserved: number, nowMs: () => number): Admission['leave'] {
  let left = false;
  return (actualTokens) => {
    if (left) return;
    left = true;
    state.inFlight--;
    if (actualTokens !== undefined) state.tokens?.correct(nowMs(), slice, countedTokens(actualTokens) - reserved);
  };
}

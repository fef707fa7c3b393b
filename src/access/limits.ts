/** What the relay asks before it lets a request in: requests and tokens per minute, and requests in flight, of one token. */

import { GatewayError } from '../conversation/gateway-error.ts';
import type { Caller, TokenTerms } from './caller.ts';

export interface Admission {
  /** Reply headers: what is left of each limit that the token has. */
  readonly headers: Readonly<Record<string, string>>;
  /** Ends the request; the tokens it really used replace the estimate, absent keeps it. Repeating it changes nothing. */
  leave(actualTokens?: number): void;
}

export interface Limiter {
  /**
   * Counts one request and reserves its estimated tokens, or throws `rate_limited` or `concurrency_limited` and counts
   * nothing. `requestId` names the slot where people look at it.
   */
  enter(caller: Caller, requestTokens: number, requestId: string): Admission | Promise<Admission>;
  /** What is left of the limits that the token has. Counts nothing and starts no window. */
  peek(caller: Caller): LimitsLeft | Promise<LimitsLeft>;
}

export interface LimitLeft {
  readonly limit: number;
  /** Never negative, also where the limit was lowered below what is used. */
  readonly left: number;
}

/** Absent where the token has no such limit. */
export interface LimitsLeft {
  readonly requests?: LimitLeft;
  readonly tokens?: LimitLeft;
  readonly concurrency?: LimitLeft;
}

/** No span of this length admits more than a limit. */
export const windowMs = 60_000;
/** Windows count in slices of this length; what a slice holds comes back when the whole slice is older than the window. */
export const sliceMs = 1_000;
/** The window's own slices and the one under way. */
export const sliceCount = windowMs / sliceMs + 1;

/** When nobody can say how soon a slot comes free. */
const slotRetryMs = 1_000;

export const openAdmission: Admission = Object.freeze({ headers: Object.freeze({}), leave: () => {} });

export type Denial = 'requests' | 'tokens' | 'concurrency';

/** The state of a token's limits right after a decision, from memory or from Redis. */
export interface LimitState {
  readonly nowMs: number;
  readonly denied: Denial | undefined;
  /** Until the denied request would fit. */
  readonly retryAfterMs: number;
  readonly requestsUsed: number;
  readonly tokensUsed: number;
  /** Number of the slice that last counted something; the window is whole again when it has passed. */
  readonly newestRequestSlice: number;
  readonly newestTokenSlice: number;
}

export function hasLimits(terms: TokenTerms): boolean {
  return terms.rpm !== undefined || terms.tpm !== undefined || terms.concurrency !== undefined;
}

export interface LimitsUsed {
  readonly requests: number;
  readonly tokens: number;
  readonly concurrency: number;
}

const nothingLimited: LimitsLeft = Object.freeze({});

export function limitsLeft({ rpm, tpm, concurrency }: TokenTerms, used: LimitsUsed | undefined): LimitsLeft {
  const leftOf = (limit: number, gone = 0): LimitLeft => ({ limit, left: Math.max(0, limit - gone) });
  if (rpm === undefined && tpm === undefined && concurrency === undefined) return nothingLimited;
  return {
    ...(rpm !== undefined && { requests: leftOf(rpm, used?.requests) }),
    ...(tpm !== undefined && { tokens: leftOf(tpm, used?.tokens) }),
    ...(concurrency !== undefined && { concurrency: leftOf(concurrency, used?.concurrency) }),
  };
}

/** Whole and never negative, so that no estimate can widen a limit. */
export function countedTokens(tokens: number): number {
  return Number.isFinite(tokens) && tokens > 0 ? Math.min(Math.ceil(tokens), Number.MAX_SAFE_INTEGER) : 0;
}

/** A duration as these headers spell it: `120ms`, `8.5s`, `1m0.25s`. */
export function durationText(ms: number): string {
  const whole = Math.max(0, Math.ceil(ms));
  if (whole < 1_000) return `${whole}ms`;
  const minutes = Math.floor(whole / 60_000);
  const seconds = `${(whole % 60_000) / 1_000}s`;
  return minutes === 0 ? seconds : `${minutes}m${seconds}`;
}

export function limitHeaders(terms: TokenTerms, state: LimitState): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  const write = (kind: 'requests' | 'tokens', limit: number, used: number, newestSlice: number): void => {
    headers[`x-ratelimit-limit-${kind}`] = String(limit);
    headers[`x-ratelimit-remaining-${kind}`] = String(Math.max(0, limit - used));
    const wholeAgainAtMs = used === 0 ? state.nowMs : (newestSlice + sliceCount) * sliceMs;
    headers[`x-ratelimit-reset-${kind}`] = durationText(wholeAgainAtMs - state.nowMs);
  };
  if (terms.rpm !== undefined) write('requests', terms.rpm, state.requestsUsed, state.newestRequestSlice);
  if (terms.tpm !== undefined) write('tokens', terms.tpm, state.tokensUsed, state.newestTokenSlice);
  return headers;
}

export function denialError(terms: TokenTerms, state: LimitState, requestTokens: number): GatewayError {
  const headers = limitHeaders(terms, state);
  switch (state.denied) {
    case 'concurrency':
      return new GatewayError(
        'concurrency_limited',
        `The token has ${terms.concurrency} requests in flight, as many as it may. Wait for one to end.`,
        { headers, retryAfterMs: slotRetryMs },
      );
    case 'tokens':
      return new GatewayError('rate_limited', tokensMessage(terms.tpm ?? 0, requestTokens), {
        headers,
        retryAfterMs: Math.max(1, state.retryAfterMs),
      });
    default:
      return new GatewayError(
        'rate_limited',
        `The token used up its ${terms.rpm} requests per minute. Wait as \`Retry-After\` says.`,
        { headers, retryAfterMs: Math.max(1, state.retryAfterMs) },
      );
  }
}

function tokensMessage(tpm: number, requestTokens: number): string {
  if (requestTokens > tpm) {
    return `The request may need ${requestTokens} tokens and the token allows ${tpm} per minute. Ask for fewer output tokens or shorten the input.`;
  }
  return `The token used up its ${tpm} tokens per minute. Wait as \`Retry-After\` says.`;
}

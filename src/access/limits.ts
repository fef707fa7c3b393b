/**
 * A token's limits: requests and model tokens per minute, and requests in flight. Checked before a request's body is
 * read.
 */

import { GatewayError } from '../conversation/gateway-error.ts';
import type { Caller, TokenTerms } from './caller.ts';

/**
 * What a request counts as. `requests` calls a model or makes something and counts against the token's requests per minute;
 * `reads` (lists, polling, downloads) and `counting` (token counts, which agents send by the dozen) have windows of their own.
 */
export type LimitClass = 'requests' | 'reads' | 'counting';

export interface Admission {
  /** Reply headers: what is left of each limit that the token has. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * Reserves the model tokens that the request may use, once its body was read; throws or rejects with `rate_limited`
   * if they do not fit. The request itself stays counted. A promise only if the limits are shared.
   */
  reserve(tokens: number): Promise<void> | undefined;
  /** Ends the request; the tokens it really used replace the reserved ones, absent keeps those. Repeating it changes nothing. */
  leave(actualTokens?: number): void;
}

export interface Limiter {
  /**
   * Counts one request, takes a slot of the token's concurrency and reserves tokens that are known already, or throws
   * `rate_limited` or `concurrency_limited` and counts nothing. `requestId` names the slot in Redis. The classes other than
   * `requests` take neither slot nor tokens.
   */
  enter(caller: Caller, requestTokens: number, requestId: string, counted?: LimitClass): Admission | Promise<Admission>;
  /** What is left of the limits that the token has. Counts nothing and starts no window. */
  peek(caller: Caller): LimitsLeft | Promise<LimitsLeft>;
}

export interface LimitLeft {
  readonly limit: number;
  /** Never negative, also if the limit was lowered below what is used. */
  readonly left: number;
}

/** Absent if the token has no such limit. */
export interface LimitsLeft {
  readonly requests?: LimitLeft;
  readonly tokens?: LimitLeft;
  readonly concurrency?: LimitLeft;
}

/** Windows count in slices of this length; a slice is released when its minute is over. */
export const sliceMs = 1_000;
/**
 * A minute with the slice in progress: a wait is then never longer than 60 s, and the official libraries ignore a
 * `Retry-After` of 60 s and more. No 59 s hold more than a limit.
 */
export const sliceCount = 60;

/** Polling and lists are cheap, and a client that waits for a video polls every few seconds. */
const readsPerRequest = 10;
/** An agent counts each of its messages before it sends one of them. */
const countsPerRequest = 5;
const classMin = 60;

/** The limit per minute of a class; none where the token has no limit of requests. */
export function classLimit(terms: TokenTerms, counted: Exclude<LimitClass, 'requests'>): number | undefined {
  if (terms.rpm === undefined) return undefined;
  return Math.max(classMin, terms.rpm * (counted === 'reads' ? readsPerRequest : countsPerRequest));
}

/** The wait if it is unknown when a slot becomes free. */
const slotRetryMs = 1_000;

export const openAdmission: Admission = Object.freeze({
  headers: Object.freeze({}),
  reserve: () => undefined,
  leave: () => {},
});

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

/** A duration in the notation of these headers: `120ms`, `8.5s`, `1m0.25s`. */
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
        `The token reached its limit of ${terms.concurrency} concurrent requests. Wait for one to finish.`,
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
        `The token reached its limit of ${terms.rpm} requests per minute. Retry after the time in \`Retry-After\`.`,
        { headers, retryAfterMs: Math.max(1, state.retryAfterMs) },
      );
  }
}

const classNames = { reads: 'lists, look-ups and downloads', counting: 'token counts' } as const;

export function classDenial(
  counted: Exclude<LimitClass, 'requests'>,
  limit: number,
  retryAfterMs: number,
): GatewayError {
  const message = `The token reached its limit of ${limit} ${classNames[counted]} per minute. Retry after the time in \`Retry-After\`.`;
  return new GatewayError('rate_limited', message, { retryAfterMs: Math.max(1, retryAfterMs) });
}

function tokensMessage(tpm: number, requestTokens: number): string {
  if (requestTokens > tpm) {
    return `The request may need ${requestTokens} tokens, and the token allows ${tpm} per minute. Lower the output limit or shorten the input.`;
  }
  return `The token reached its limit of ${tpm} tokens per minute. Retry after the time in \`Retry-After\`.`;
}

/**
 * The limits of a token and of the levels above it: requests and model tokens per minute, and requests in flight. Checked
 * before a request's body is read. A request must pass the limits of every level.
 */

import { GatewayError } from '../conversation/gateway-error.ts';
import type { Caller, LevelLimits } from './caller.ts';
import { levelName } from './levels/levels.ts';

/**
 * What a request counts as. `requests` calls a model or makes something and counts against the token's requests per minute;
 * `reads` (lists, polling, downloads) and `counting` (token counts, which agents send by the dozen) have windows of their own.
 */
export type LimitClass = 'requests' | 'reads' | 'counting';

/** Whose limits are entered. */
export type Limited = Pick<Caller, 'limits' | 'tokenId'>;

export interface Admission {
  /** Reply headers: what is left of the tightest limit of each kind. */
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
   * Counts one request at every level, takes a slot of each one's concurrency and reserves tokens that are known already, or
   * throws `rate_limited` or `concurrency_limited` and counts nothing. `requestId` names the slot in Redis. The classes other than
   * `requests` take neither slot nor tokens.
   */
  enter(
    caller: Limited,
    requestTokens: number,
    requestId: string,
    counted?: LimitClass,
  ): Admission | Promise<Admission>;
  /**
   * The same with one question to a shared table instead of two: nothing is counted until the tokens are reserved. For a request
   * whose body is short, so that reading it costs little if it is then refused; one that ends before it reserves is
   * counted when it ends. Absent, and without a result, where it would save nothing.
   */
  enterOnReserve?(caller: Limited, requestId: string): Admission | undefined;
  /** What is left of the tightest limit of each kind. Counts nothing and starts no window. */
  peek(caller: Limited): LimitsLeft | Promise<LimitsLeft>;
}

export interface LimitLeft {
  readonly limit: number;
  /** Never negative, also if the limit was lowered below what is used. */
  readonly left: number;
}

/** Absent if no level has such a limit. */
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

/** The limit per minute of a class, at a level with this limit of requests. */
export function classLimit(rpm: number, counted: Exclude<LimitClass, 'requests'>): number {
  return Math.max(classMin, rpm * (counted === 'reads' ? readsPerRequest : countsPerRequest));
}

/** The wait if it is unknown when a slot becomes free. */
const slotRetryMs = 1_000;

export const openAdmission: Admission = Object.freeze({
  headers: Object.freeze({}),
  reserve: () => undefined,
  leave: () => {},
});

export type Denial = 'requests' | 'tokens' | 'concurrency';

/** The state of one level's limits right after a decision, from memory or from Redis. */
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

export interface LimitsUsed {
  readonly requests: number;
  readonly tokens: number;
  readonly concurrency: number;
}

const nothingLimited: LimitsLeft = Object.freeze({});

/** `used` is of the levels in order. */
export function limitsLeft(limits: readonly LevelLimits[], used: readonly (LimitsUsed | undefined)[]): LimitsLeft {
  if (limits.length === 0) return nothingLimited;
  const tightest = (
    limitOf: (level: LevelLimits) => number | undefined,
    usedOf: (used: LimitsUsed) => number,
  ): LimitLeft | undefined => {
    let found: LimitLeft | undefined;
    for (const [index, level] of limits.entries()) {
      const limit = limitOf(level);
      if (limit === undefined) continue;
      const gone = used[index];
      const left = Math.max(0, limit - (gone === undefined ? 0 : usedOf(gone)));
      if (found === undefined || left < found.left) found = { limit, left };
    }
    return found;
  };
  const requests = tightest(
    ({ rpm }) => rpm,
    (gone) => gone.requests,
  );
  const tokens = tightest(
    ({ tpm }) => tpm,
    (gone) => gone.tokens,
  );
  const concurrency = tightest(
    (level) => level.concurrency,
    (gone) => gone.concurrency,
  );
  return {
    ...(requests !== undefined && { requests }),
    ...(tokens !== undefined && { tokens }),
    ...(concurrency !== undefined && { concurrency }),
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

/** A level and what is known of its limits. */
export interface LimitedLevel {
  readonly limits: LevelLimits;
  readonly state: LimitState;
}

const headerNames = {
  requests: {
    limit: 'x-ratelimit-limit-requests',
    remaining: 'x-ratelimit-remaining-requests',
    reset: 'x-ratelimit-reset-requests',
  },
  tokens: {
    limit: 'x-ratelimit-limit-tokens',
    remaining: 'x-ratelimit-remaining-tokens',
    reset: 'x-ratelimit-reset-tokens',
  },
} as const;

/** Of several levels the one that has the least left. */
function headersOf(levels: readonly LimitedLevel[]): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  const write = (
    { limit: limitName, remaining, reset }: (typeof headerNames)[keyof typeof headerNames],
    limit: number,
    used: number,
    newestSlice: number,
    nowMs: number,
  ): void => {
    const left = Math.max(0, limit - used);
    const before = headers[remaining];
    if (before !== undefined && Number(before) <= left) return;
    headers[limitName] = String(limit);
    headers[remaining] = String(left);
    const wholeAgainAtMs = used === 0 ? nowMs : (newestSlice + sliceCount) * sliceMs;
    headers[reset] = durationText(wholeAgainAtMs - nowMs);
  };
  for (const { limits, state } of levels) {
    const { requestsUsed, newestRequestSlice, tokensUsed, newestTokenSlice, nowMs } = state;
    if (limits.rpm !== undefined) write(headerNames.requests, limits.rpm, requestsUsed, newestRequestSlice, nowMs);
    if (limits.tpm !== undefined) write(headerNames.tokens, limits.tpm, tokensUsed, newestTokenSlice, nowMs);
  }
  return headers;
}

/** The headers of an admission, which are written when a reply needs them: until then only what was decided is kept. */
export class LimitHeaders {
  #decisions: (readonly LimitedLevel[])[];
  #written: Readonly<Record<string, string>> | undefined;

  constructor(levels: readonly LimitedLevel[]) {
    this.#decisions = [levels];
  }

  /** A later decision on the same levels or on some of them: its headers replace those of the same names. */
  add(levels: readonly LimitedLevel[]): void {
    if (levels.length === this.#decisions[0]?.length) this.#decisions = [levels];
    else this.#decisions.push(levels);
    this.#written = undefined;
  }

  read(): Readonly<Record<string, string>> {
    if (this.#written !== undefined) return this.#written;
    const written: Record<string, string> = {};
    for (const levels of this.#decisions) Object.assign(written, headersOf(levels));
    this.#written = written;
    return written;
  }
}

/** `level` is the one that denied; the headers show the tightest of all. */
export function denialError(
  { tokenId }: Limited,
  { limits, state }: LimitedLevel,
  levels: readonly LimitedLevel[],
  requestTokens: number,
): GatewayError {
  const headers = headersOf(levels);
  const whose = `The ${levelName(limits, tokenId)}`;
  switch (state.denied) {
    case 'concurrency':
      return new GatewayError(
        'concurrency_limited',
        `${whose} reached its limit of ${limits.concurrency} concurrent requests. Wait for one to finish.`,
        { headers, retryAfterMs: slotRetryMs },
      );
    case 'tokens':
      return new GatewayError('rate_limited', tokensMessage(whose, limits.tpm ?? 0, requestTokens), {
        headers,
        retryAfterMs: Math.max(1, state.retryAfterMs),
      });
    default:
      return new GatewayError(
        'rate_limited',
        `${whose} reached its limit of ${limits.rpm} requests per minute. Retry after the time in \`Retry-After\`.`,
        { headers, retryAfterMs: Math.max(1, state.retryAfterMs) },
      );
  }
}

const classNames = { reads: 'lists, look-ups and downloads', counting: 'token counts' } as const;

export function classDenial(
  { tokenId }: Limited,
  level: LevelLimits,
  counted: Exclude<LimitClass, 'requests'>,
  limit: number,
  retryAfterMs: number,
): GatewayError {
  const message = `The ${levelName(level, tokenId)} reached its limit of ${limit} ${classNames[counted]} per minute. Retry after the time in \`Retry-After\`.`;
  return new GatewayError('rate_limited', message, { retryAfterMs: Math.max(1, retryAfterMs) });
}

function tokensMessage(whose: string, tpm: number, requestTokens: number): string {
  if (requestTokens > tpm) {
    return `The request may need ${requestTokens} tokens, and the ${whose.slice('The '.length)} allows ${tpm} per minute. Lower the output limit or shorten the input.`;
  }
  return `${whose} reached its limit of ${tpm} tokens per minute. Retry after the time in \`Retry-After\`.`;
}

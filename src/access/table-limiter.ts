/** Limits that several processes share: a table elsewhere decides, and each process for itself while the table is unavailable. */

import type { Caller } from './caller.ts';
import {
  type Admission,
  classDenial,
  classLimit,
  countedTokens,
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
import { createMemoryLimiter } from './memory-limiter.ts';

export type SharedLimits = { readonly [Name in 'rpm' | 'tpm' | 'concurrency']?: number | undefined };

/** `slice` is where the tokens were counted, for a later correction. */
export interface Entered {
  readonly state: LimitState;
  readonly slice: number;
}

/** The windows and slots of all tokens. Every method rejects where the table does not answer. */
export interface LimitTable {
  readonly available: boolean;
  /** Counts a request, reserves tokens and takes the slot, or counts nothing and says which limit denied it. */
  enter(tokenId: string, limits: SharedLimits, reserved: number, slot: string): Promise<Entered>;
  /** Frees the slot (`''` for none) and corrects what a reservation counted. */
  leave(tokenId: string, slot: string, slice: number, difference: number): Promise<void>;
  /** How long to wait; 0 where the request was counted. */
  enterClass(tokenId: string, counted: Exclude<LimitClass, 'requests'>, limit: number): Promise<number>;
  peek(tokenId: string): Promise<LimitsUsed>;
}

interface SharedLimiterOptions {
  readonly table: LimitTable;
  /** Monotonic, for what this process counts by itself. */
  readonly nowMs: () => number;
}

export function createSharedLimiter({ table, nowMs }: SharedLimiterOptions): Limiter {
  const memory = createMemoryLimiter({ nowMs });
  const process = crypto.randomUUID().slice(0, 8);
  let entries = 0;

  async function enterShared(caller: Caller, requestTokens: number, requestId: string): Promise<Admission> {
    const { terms, tokenId } = caller;
    const reserved = countedTokens(requestTokens);
    // Request ids may come from clients and repeat; a repeated slot would let a second request in for free.
    const slot = terms.concurrency === undefined ? '' : `${process}:${entries++}:${requestId}`;
    let entered: Entered;
    try {
      entered = await table.enter(tokenId, terms, reserved, slot);
    } catch {
      return memory.enter(caller, requestTokens, requestId);
    }
    if (entered.state.denied !== undefined) throw denialError(terms, entered.state, reserved);
    const reserve = terms.tpm === undefined ? undefined : (tokens: number) => reserveShared(caller, tokens);
    return new SharedAdmission(reservationOf(caller, entered, reserved), reserve, slot);
  }

  async function reserveShared(caller: Caller, tokens: number): Promise<SharedReservation> {
    const { terms, tokenId } = caller;
    const reserved = countedTokens(tokens);
    let entered: Entered;
    try {
      entered = await table.enter(tokenId, { tpm: terms.tpm }, reserved, '');
    } catch {
      const { headers, settle } = memory.reserve(caller, tokens);
      const release = (actual: number | undefined, slot: string): void => {
        if (actual !== undefined) settle(actual);
        change(tokenId, slot, 0, 0);
      };
      return { headers, settle: release };
    }
    if (entered.state.denied !== undefined) throw denialError(terms, entered.state, reserved);
    return reservationOf(caller, entered, reserved);
  }

  function reservationOf({ terms, tokenId }: Caller, { state, slice }: Entered, reserved: number): SharedReservation {
    return {
      headers: limitHeaders(terms, state),
      settle(actual, slot) {
        const difference = actual === undefined || terms.tpm === undefined ? 0 : countedTokens(actual) - reserved;
        change(tokenId, slot, slice, difference);
      },
    };
  }

  function change(tokenId: string, slot: string, slice: number, difference: number): void {
    if (slot === '' && difference === 0) return;
    table.leave(tokenId, slot, slice, difference).catch(() => {});
  }

  async function enterClass(
    caller: Caller,
    counted: Exclude<LimitClass, 'requests'>,
    limit: number,
  ): Promise<Admission> {
    let waitMs: number;
    try {
      waitMs = await table.enterClass(caller.tokenId, counted, limit);
    } catch {
      return memory.enter(caller, 0, '', counted);
    }
    if (waitMs > 0) throw classDenial(counted, limit, waitMs);
    return openAdmission;
  }

  async function peekShared(caller: Caller): Promise<LimitsLeft> {
    try {
      return limitsLeft(caller.terms, await table.peek(caller.tokenId));
    } catch {
      return memory.peek(caller);
    }
  }

  return {
    enter(caller, requestTokens, requestId, counted = 'requests') {
      if (counted !== 'requests') {
        const limit = classLimit(caller.terms, counted);
        if (limit === undefined) return openAdmission;
        return table.available ? enterClass(caller, counted, limit) : memory.enter(caller, 0, requestId, counted);
      }
      if (!hasLimits(caller.terms)) return openAdmission;
      if (!table.available) return memory.enter(caller, requestTokens, requestId);
      return enterShared(caller, requestTokens, requestId);
    },
    peek: (caller) => (hasLimits(caller.terms) && table.available ? peekShared(caller) : memory.peek(caller)),
  };
}

interface SharedReservation {
  readonly headers: Readonly<Record<string, string>>;
  /** Replaces what was reserved by what was used, if that is known, and frees the slot, in one call. */
  settle(actualTokens: number | undefined, slot: string): void;
}

class SharedAdmission implements Admission {
  readonly #reserve: ((tokens: number) => Promise<SharedReservation>) | undefined;
  readonly #slot: string;
  #reservation: SharedReservation;
  /** What was used, where the request has ended. */
  #left: { readonly actualTokens: number | undefined } | undefined;

  constructor(
    reservation: SharedReservation,
    reserve: ((tokens: number) => Promise<SharedReservation>) | undefined,
    slot: string,
  ) {
    this.#reservation = reservation;
    this.#reserve = reserve;
    this.#slot = slot;
  }

  get headers(): Readonly<Record<string, string>> {
    return this.#reservation.headers;
  }

  /** Only a token with a limit of model tokens needs the second call. */
  reserve(tokens: number): Promise<void> | undefined {
    return this.#reserve === undefined ? undefined : this.#take(this.#reserve(tokens));
  }

  async #take(reserving: Promise<SharedReservation>): Promise<void> {
    this.#reservation = await reserving;
    // The request ended while the table was being asked.
    if (this.#left !== undefined) this.#reservation.settle(this.#left.actualTokens, '');
  }

  leave(actualTokens?: number): void {
    if (this.#left !== undefined) return;
    this.#left = { actualTokens };
    this.#reservation.settle(actualTokens, this.#slot);
  }
}

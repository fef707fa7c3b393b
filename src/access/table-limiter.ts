/** Limits that several processes share: a table elsewhere decides, and each process for itself while the table is unavailable. */

import type { LevelLimits } from './caller.ts';
import {
  type Admission,
  classDenial,
  classLimit,
  countedTokens,
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
import { createMemoryLimiter } from './memory-limiter.ts';

export type SharedLimits = { readonly [Name in 'rpm' | 'tpm' | 'concurrency']?: number | undefined };

/** One level of a request. */
export interface LimitEntry {
  readonly key: string;
  readonly limits: SharedLimits;
  /** `''` where it has no limit of concurrency. */
  readonly slot: string;
}

/** `slice` is where the tokens were counted, for a later correction. */
export interface Entered {
  readonly state: LimitState;
  readonly slice: number;
}

/** The end of a request at one level. */
export interface LimitEnd {
  readonly key: string;
  /** `''` for none. */
  readonly slot: string;
  readonly slice: number;
  /** What the tokens of a reservation change by. */
  readonly difference: number;
}

/** The windows and slots of all levels. Every method rejects where the table does not answer. */
export interface LimitTable {
  readonly available: boolean;
  /** Counts a request, reserves tokens and takes the slots at every level, or counts nothing; then one state says what denied it. */
  enter(entries: readonly LimitEntry[], reserved: number): Promise<readonly Entered[]>;
  /** Frees the slots and corrects what reservations counted. */
  leave(ends: readonly LimitEnd[]): Promise<void>;
  /** How long each level makes it wait; 0 everywhere where the request was counted. */
  enterClass(entries: readonly ClassEntry[], counted: Exclude<LimitClass, 'requests'>): Promise<readonly number[]>;
  /** In the order of the keys. */
  peek(keys: readonly string[]): Promise<readonly LimitsUsed[]>;
}

interface ClassEntry {
  readonly key: string;
  readonly limit: number;
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

  /** Counts a request with its tokens at every level. Absent where the table does not answer. */
  async function take(
    { limits }: Limited,
    reserved: number,
    slot: string,
  ): Promise<readonly EnteredLevel[] | undefined> {
    const given = limits.map(({ key, rpm, tpm, concurrency }) => ({
      key,
      limits: { rpm, tpm, concurrency },
      slot: concurrency === undefined ? '' : slot,
    }));
    try {
      return levelsOf(limits, await table.enter(given, reserved));
    } catch {
      return undefined;
    }
  }

  // Request ids may come from clients and repeat; a repeated slot would let a second request in for free.
  const newSlot = (requestId: string): string => `${process}:${entries++}:${requestId}`;

  async function enterShared(caller: Limited, requestTokens: number, requestId: string): Promise<Admission> {
    const reserved = countedTokens(requestTokens);
    const slot = newSlot(requestId);
    const levels = await take(caller, reserved, slot);
    if (levels === undefined) return memory.enter(caller, requestTokens, requestId);
    requireRoom(caller, levels, reserved);
    const withTokens = caller.limits.filter(({ tpm }) => tpm !== undefined);
    const reserve = withTokens.length === 0 ? undefined : (tokens: number) => reserveShared(caller, withTokens, tokens);
    return new SharedAdmission(reservationOf(levels, reserved), reserve, slot, change, caller.limits);
  }

  /** A request that asks for more tokens than are left was a request all the same. */
  async function enterWithTokens(caller: Limited, tokens: number, requestId: string): Promise<Admission> {
    const reserved = countedTokens(tokens);
    const slot = newSlot(requestId);
    const levels = await take(caller, reserved, slot);
    if (levels === undefined) return memory.enter(caller, tokens, requestId);
    if (levels.find(isDenied)?.state.denied === 'tokens') countRequest(caller);
    requireRoom(caller, levels, reserved);
    return new SharedAdmission(reservationOf(levels, reserved), undefined, slot, change, caller.limits);
  }

  function countRequest({ limits }: Limited): void {
    const given = limits.flatMap(({ key, rpm }) => (rpm === undefined ? [] : [{ key, limits: { rpm }, slot: '' }]));
    if (given.length > 0) table.enter(given, 0).catch(() => {});
  }

  async function reserveShared(
    caller: Limited,
    withTokens: readonly LevelLimits[],
    tokens: number,
  ): Promise<SharedReservation> {
    const reserved = countedTokens(tokens);
    const given = withTokens.map(({ key, tpm }) => ({ key, limits: { tpm }, slot: '' }));
    let entered: readonly Entered[];
    try {
      entered = await table.enter(given, reserved);
    } catch {
      const { levels, settle } = memory.reserve(caller, tokens);
      return { levels, settle: (actual) => void (actual !== undefined && settle(actual)), ends: () => [] };
    }
    const levels = levelsOf(withTokens, entered);
    requireRoom(caller, levels, reserved);
    return reservationOf(levels, reserved);
  }

  function change(ends: readonly LimitEnd[]): void {
    const changes = ends.filter(({ slot, difference }) => slot !== '' || difference !== 0);
    if (changes.length > 0) table.leave(changes).catch(() => {});
  }

  async function enterClass(caller: Limited, counted: Exclude<LimitClass, 'requests'>): Promise<Admission> {
    const levels = caller.limits.flatMap((level) =>
      level.rpm === undefined ? [] : [{ level, key: level.key, limit: classLimit(level.rpm, counted) }],
    );
    let waits: readonly number[];
    try {
      waits = await table.enterClass(
        levels.map(({ key, limit }) => ({ key, limit })),
        counted,
      );
    } catch {
      return memory.enter(caller, 0, '', counted);
    }
    for (const [index, { level, limit }] of levels.entries()) {
      const waitMs = waits[index] ?? 0;
      if (waitMs > 0) throw classDenial(caller, level, counted, limit, waitMs);
    }
    return openAdmission;
  }

  async function peekShared(caller: Limited): Promise<LimitsLeft> {
    try {
      return limitsLeft(caller.limits, await table.peek(caller.limits.map(({ key }) => key)));
    } catch {
      return memory.peek(caller);
    }
  }

  return {
    enter(caller, requestTokens, requestId, counted = 'requests') {
      if (caller.limits.length === 0) return openAdmission;
      if (!table.available) return memory.enter(caller, requestTokens, requestId, counted);
      if (counted === 'requests') return enterShared(caller, requestTokens, requestId);
      return caller.limits.every(({ rpm }) => rpm === undefined) ? openAdmission : enterClass(caller, counted);
    },
    enterOnReserve(caller, requestId) {
      if (!table.available || caller.limits.every(({ tpm }) => tpm === undefined)) return undefined;
      return new LateAdmission(
        (tokens) => enterWithTokens(caller, tokens, requestId),
        () => countRequest(caller),
      );
    },
    peek: (caller) => (caller.limits.length > 0 && table.available ? peekShared(caller) : memory.peek(caller)),
  };
}

interface EnteredLevel extends LimitedLevel {
  readonly slice: number;
}

function levelsOf(limits: readonly LevelLimits[], entered: readonly Entered[]): readonly EnteredLevel[] {
  return limits.flatMap((own, index) => {
    const found = entered[index];
    return found === undefined ? [] : [{ limits: own, ...found }];
  });
}

const isDenied = ({ state }: EnteredLevel): boolean => state.denied !== undefined;

function requireRoom(caller: Limited, levels: readonly EnteredLevel[], reserved: number): void {
  const refusing = levels.find(isDenied);
  if (refusing !== undefined) throw denialError(caller, refusing, levels, reserved);
}

function reservationOf(levels: readonly EnteredLevel[], reserved: number): SharedReservation {
  return {
    levels,
    settle: () => undefined,
    ends: (actual) =>
      levels.map(({ limits: { key, tpm }, slice }) => ({
        key,
        slot: '',
        slice,
        difference: actual === undefined || tpm === undefined ? 0 : countedTokens(actual) - reserved,
      })),
  };
}

interface SharedReservation {
  /** As they were when it was made. */
  readonly levels: readonly LimitedLevel[];
  /** Replaces what this process counted by itself. */
  settle(actualTokens: number | undefined): void;
  /** What the table must change, at each level that it counted. */
  ends(actualTokens: number | undefined): readonly LimitEnd[];
}

class SharedAdmission implements Admission {
  readonly #reserve: ((tokens: number) => Promise<SharedReservation>) | undefined;
  readonly #slot: string;
  readonly #change: (ends: readonly LimitEnd[]) => void;
  /** The levels that hold the slot. */
  readonly #held: readonly LevelLimits[];
  readonly #headers: LimitHeaders;
  #reservation: SharedReservation;
  /** What was used, where the request has ended. */
  #left: { readonly actualTokens: number | undefined } | undefined;

  constructor(
    reservation: SharedReservation,
    reserve: ((tokens: number) => Promise<SharedReservation>) | undefined,
    slot: string,
    change: (ends: readonly LimitEnd[]) => void,
    limits: readonly LevelLimits[],
  ) {
    this.#reservation = reservation;
    this.#headers = new LimitHeaders(reservation.levels);
    this.#reserve = reserve;
    this.#slot = slot;
    this.#change = change;
    this.#held = limits.filter(({ concurrency }) => concurrency !== undefined);
  }

  get headers(): Readonly<Record<string, string>> {
    return this.#headers.read();
  }

  /** Only a limit of model tokens needs the second call. */
  reserve(tokens: number): Promise<void> | undefined {
    return this.#reserve === undefined ? undefined : this.#take(this.#reserve(tokens));
  }

  async #take(reserving: Promise<SharedReservation>): Promise<void> {
    this.#reservation = await reserving;
    this.#headers.add(this.#reservation.levels);
    // The request ended while the table was being asked.
    if (this.#left !== undefined) this.#settle(this.#left.actualTokens, []);
  }

  leave(actualTokens?: number): void {
    if (this.#left !== undefined) return;
    this.#left = { actualTokens };
    this.#settle(actualTokens, this.#held);
  }

  /** One call: what was used replaces what was reserved, and the slots are free. */
  #settle(actualTokens: number | undefined, held: readonly LevelLimits[]): void {
    this.#reservation.settle(actualTokens);
    const ends = this.#reservation.ends(actualTokens);
    const withSlots = ends.map((end) => (held.some(({ key }) => key === end.key) ? { ...end, slot: this.#slot } : end));
    const others = held
      .filter(({ key }) => !ends.some((end) => end.key === key))
      .map(({ key }) => ({ key, slot: this.#slot, slice: 0, difference: 0 }));
    this.#change([...withSlots, ...others]);
  }
}

/** Counted when it reserves its tokens, or when it ends without that. */
class LateAdmission implements Admission {
  readonly #enter: (tokens: number) => Promise<Admission>;
  readonly #count: () => void;
  #entering: Promise<void> | undefined;
  #entered: Admission | undefined;
  /** What was used, where the request has ended. */
  #left: { readonly actualTokens: number | undefined } | undefined;

  constructor(enter: (tokens: number) => Promise<Admission>, count: () => void) {
    this.#enter = enter;
    this.#count = count;
  }

  get headers(): Readonly<Record<string, string>> {
    return (this.#entered ?? openAdmission).headers;
  }

  reserve(tokens: number): Promise<void> {
    this.#entering ??= this.#take(tokens);
    return this.#entering;
  }

  async #take(tokens: number): Promise<void> {
    this.#entered = await this.#enter(tokens);
    // The request ended while the table was being asked.
    if (this.#left !== undefined) this.#entered.leave(this.#left.actualTokens);
  }

  leave(actualTokens?: number): void {
    if (this.#left !== undefined) return;
    this.#left = { actualTokens };
    if (this.#entering === undefined) this.#count();
    else this.#entered?.leave(actualTokens);
  }
}

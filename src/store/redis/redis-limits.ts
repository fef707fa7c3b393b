/** Limits that all replicas share: Redis decides while it is up, each replica for itself while it is down. */

import type { Caller } from '../../access/caller.ts';
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
  limitHeaders,
  limitsLeft,
  openAdmission,
  sliceCount,
  sliceMs,
} from '../../access/limits.ts';
import { createMemoryLimiter } from '../../access/memory-limiter.ts';
import { Roster } from '../../conversation/tools/roster.ts';
import { createBatchQueue } from '../batching/batch-queue.ts';
import { createRedisConnection, type RedisConnectionOptions } from './redis-connection.ts';
import { batchScript, renewScript } from './redis-limit-scripts.ts';

export interface RedisLimiterOptions extends RedisConnectionOptions {
  /** Monotonic, for what this replica counts by itself. */
  readonly nowMs: () => number;
  /** Which clock the windows follow: the server's, which all replicas share, or `nowMs` where a test controls time. */
  readonly clock?: 'server' | 'given';
  /** A slot whose replica died is released after this long. */
  readonly leaseMs?: number;
}

export interface RedisLimiter extends Limiter {
  /** Redis decides; false means that this replica decides for itself. */
  readonly shared: boolean;
  /** Resolves when the first attempt to connect ended, well or not. */
  readonly tried: Promise<void>;
  /** Extends the lease of every slot in use; runs by itself three times a lease. */
  renew(): Promise<void>;
  close(): void;
}

const renewBatchMax = 500;

interface OpenSlots {
  readonly key: string;
  readonly slots: Roster<string>;
}

export function createRedisLimiter(options: RedisLimiterOptions): RedisLimiter {
  const { nowMs, leaseMs = 60_000 } = options;
  const connection = createRedisConnection({
    ...options,
    scripts: [batchScript, renewScript],
  });
  const memory = createMemoryLimiter({ nowMs });
  const replica = crypto.randomUUID().slice(0, 8);
  const openSlots = new Map<string, OpenSlots>();
  const nowText = (): string => (options.clock === 'given' ? String(nowMs()) : '0');
  let entries = 0;
  const queue = createBatchQueue<Operation, unknown>({
    async send(operations) {
      const common = [nowText(), String(leaseMs), String(sliceMs), String(sliceCount)];
      const keys = operations.flatMap((operation) => operation.keys);
      const values = operations.flatMap((operation) => operation.values);
      return (await connection.run(batchScript, keys, [...common, ...values])) as unknown[];
    },
  });

  async function enterShared(caller: Caller, requestTokens: number, requestId: string): Promise<Admission> {
    const { terms } = caller;
    const keys = keysOf(caller.tokenId);
    const reserved = countedTokens(requestTokens);
    // Request ids may come from clients and repeat; a repeated slot would let a second request in for free.
    const slot = terms.concurrency === undefined ? '' : `${replica}:${entries++}:${requestId}`;
    let reply: unknown;
    try {
      reply = await queue.add({ keys, values: enterValues(terms, reserved, slot) });
    } catch {
      return memory.enter(caller, requestTokens, requestId);
    }
    const { state, slice } = readReply(reply);
    if (state.denied !== undefined) throw denialError(terms, state, reserved);
    if (slot !== '') slotsOf(openSlots, caller.tokenId, keys[1]).add(slot);
    const takeSlot = (): string => {
      if (slot !== '') giveBack(openSlots, caller.tokenId, slot);
      return slot;
    };
    const reserve = terms.tpm === undefined ? undefined : (tokens: number) => reserveShared(caller, tokens);
    return new SharedAdmission(reservationOf(caller, state, slice, reserved), reserve, takeSlot);
  }

  async function reserveShared(caller: Caller, tokens: number): Promise<SharedReservation> {
    const { terms, tokenId } = caller;
    const reserved = countedTokens(tokens);
    let reply: unknown;
    try {
      reply = await queue.add({ keys: keysOf(tokenId), values: enterValues({ tpm: terms.tpm }, reserved, '') });
    } catch {
      const { headers, settle } = memory.reserve(caller, tokens);
      const release = (actual: number | undefined, slot: string): void => {
        if (actual !== undefined) settle(actual);
        change(tokenId, slot, 0, 0);
      };
      return { headers, settle: release };
    }
    const { state, slice } = readReply(reply);
    if (state.denied !== undefined) throw denialError(terms, state, reserved);
    return reservationOf(caller, state, slice, reserved);
  }

  function reservationOf(
    { terms, tokenId }: Caller,
    state: LimitState,
    slice: number,
    reserved: number,
  ): SharedReservation {
    return {
      headers: limitHeaders(terms, state),
      settle(actual, slot) {
        const difference = actual === undefined || terms.tpm === undefined ? 0 : countedTokens(actual) - reserved;
        change(tokenId, slot, slice, difference);
      },
    };
  }

  /** Where this fails the slot's lease runs out and the window passes: nothing is lost for longer than a minute. */
  function change(tokenId: string, slot: string, slice: number, difference: number): void {
    if ((slot === '' && difference === 0) || !connection.available) return;
    const values = ['leave', slot, String(slice), String(difference)];
    queue.add({ keys: keysOf(tokenId), values }).catch(() => {});
  }

  async function enterClass(
    caller: Caller,
    counted: Exclude<LimitClass, 'requests'>,
    limit: number,
  ): Promise<Admission> {
    const key = `weir:limits:{${caller.tokenId}}:${counted}`;
    let reply: unknown;
    try {
      reply = await queue.add({ keys: [key], values: ['class', String(limit)] });
    } catch {
      return memory.enter(caller, 0, '', counted);
    }
    const waitMs = Number(reply);
    if (waitMs > 0) throw classDenial(counted, limit, waitMs);
    return openAdmission;
  }

  async function peekShared(caller: Caller): Promise<LimitsLeft> {
    let reply: unknown;
    try {
      reply = await queue.add({ keys: keysOf(caller.tokenId), values: ['peek'] });
    } catch {
      return memory.peek(caller);
    }
    const [requests, tokens, concurrency] = Array.isArray(reply) ? reply.map(Number) : [];
    return limitsLeft(caller.terms, {
      requests: requests ?? 0,
      tokens: tokens ?? 0,
      concurrency: concurrency ?? 0,
    });
  }

  async function renew(): Promise<void> {
    if (!connection.available) return;
    const batches: Promise<unknown>[] = [];
    for (const { key, slots } of openSlots.values()) {
      const all = slots.all();
      for (let start = 0; start < all.length; start += renewBatchMax) {
        const values = [String(leaseMs), nowText(), ...all.slice(start, start + renewBatchMax)];
        batches.push(connection.run(renewScript, [key], values));
      }
    }
    await Promise.allSettled(batches);
  }

  const timer = setInterval(() => void renew(), leaseMs / 3);
  timer.unref();

  return {
    enter(caller, requestTokens, requestId, counted = 'requests') {
      if (counted !== 'requests') {
        const limit = classLimit(caller.terms, counted);
        if (limit === undefined) return openAdmission;
        return connection.available ? enterClass(caller, counted, limit) : memory.enter(caller, 0, requestId, counted);
      }
      if (!hasLimits(caller.terms)) return openAdmission;
      if (!connection.available) return memory.enter(caller, requestTokens, requestId);
      return enterShared(caller, requestTokens, requestId);
    },
    peek: (caller) => (hasLimits(caller.terms) && connection.available ? peekShared(caller) : memory.peek(caller)),
    get shared() {
      return connection.available;
    },
    tried: connection.tried,
    renew,
    close() {
      clearInterval(timer);
      connection.close();
    },
  };
}

/** One operation of the batch script. */
interface Operation {
  readonly keys: readonly string[];
  readonly values: readonly string[];
}

function enterValues({ rpm, tpm, concurrency }: SharedLimits, reserved: number, slot: string): readonly string[] {
  return ['enter', ...[rpm, tpm, concurrency].map((limit) => String(limit ?? -1)), String(reserved), slot];
}

type Keys = readonly [windows: string, slots: string];
type SharedLimits = { readonly [Name in 'rpm' | 'tpm' | 'concurrency']?: number | undefined };

interface SharedReservation {
  readonly headers: Readonly<Record<string, string>>;
  /** Replaces what was reserved by what was used, if that is known, and frees the slot, in one call. */
  settle(actualTokens: number | undefined, slot: string): void;
}

class SharedAdmission implements Admission {
  readonly #reserve: ((tokens: number) => Promise<SharedReservation>) | undefined;
  readonly #takeSlot: () => string;
  #reservation: SharedReservation;
  /** What was used, where the request has ended. */
  #left: { readonly actualTokens: number | undefined } | undefined;

  constructor(
    reservation: SharedReservation,
    reserve: ((tokens: number) => Promise<SharedReservation>) | undefined,
    takeSlot: () => string,
  ) {
    this.#reservation = reservation;
    this.#reserve = reserve;
    this.#takeSlot = takeSlot;
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
    // The request ended while Redis was being called.
    if (this.#left !== undefined) this.#reservation.settle(this.#left.actualTokens, '');
  }

  leave(actualTokens?: number): void {
    if (this.#left !== undefined) return;
    this.#left = { actualTokens };
    this.#reservation.settle(actualTokens, this.#takeSlot());
  }
}

/** The braces keep a token's keys on one node of a cluster. */
function keysOf(tokenId: string): Keys {
  return [`weir:limits:{${tokenId}}:windows`, `weir:limits:{${tokenId}}:slots`];
}

function slotsOf(openSlots: Map<string, OpenSlots>, tokenId: string, key: string): Roster<string> {
  let open = openSlots.get(tokenId);
  if (open === undefined) {
    open = { key, slots: new Roster() };
    openSlots.set(tokenId, open);
  }
  return open.slots;
}

function giveBack(openSlots: Map<string, OpenSlots>, tokenId: string, slot: string): void {
  const open = openSlots.get(tokenId);
  open?.slots.delete(slot);
  if (open?.slots.size === 0) openSlots.delete(tokenId);
}

const denials: Readonly<Record<string, Denial>> = {
  requests: 'requests',
  tokens: 'tokens',
  concurrency: 'concurrency',
};

function readReply(reply: unknown): { readonly state: LimitState; readonly slice: number } {
  const values: readonly unknown[] = Array.isArray(reply) ? reply : [];
  const numberAt = (index: number): number => Number(values[index] ?? 0);
  return {
    state: {
      denied: denials[String(values[0])],
      retryAfterMs: numberAt(1),
      requestsUsed: numberAt(2),
      tokensUsed: numberAt(3),
      nowMs: numberAt(4),
      newestRequestSlice: numberAt(5),
      newestTokenSlice: numberAt(6),
    },
    slice: numberAt(7),
  };
}

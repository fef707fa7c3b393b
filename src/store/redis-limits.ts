/** Limits that all replicas share: Redis decides while it is there, each replica for itself while it is away. */

import type { Caller } from '../access/caller.ts';
import {
  type Admission,
  countedTokens,
  type Denial,
  denialError,
  hasLimits,
  type Limiter,
  type LimitState,
  type LimitsLeft,
  limitHeaders,
  limitsLeft,
  openAdmission,
  sliceCount,
  sliceMs,
} from '../access/limits.ts';
import { createMemoryLimiter } from '../access/memory-limiter.ts';
import { Roster } from '../conversation/roster.ts';
import { createRedisConnection, type RedisConnectionOptions } from './redis-connection.ts';
import { enterScript, leaveScript, peekScript, renewScript } from './redis-limit-scripts.ts';

export interface RedisLimiterOptions extends RedisConnectionOptions {
  readonly nowMs: () => number;
  /** Whose clock the windows follow: the server's, which all replicas share, or `nowMs` where a test steers time. */
  readonly clock?: 'server' | 'given';
  /** A slot whose replica died comes back after this long. */
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
    scripts: [enterScript, leaveScript, peekScript, renewScript],
  });
  const memory = createMemoryLimiter({ nowMs });
  const replica = crypto.randomUUID().slice(0, 8);
  const openSlots = new Map<string, OpenSlots>();
  const nowText = (): string => (options.clock === 'given' ? String(nowMs()) : '0');
  let entries = 0;

  async function enterShared(caller: Caller, requestTokens: number, requestId: string): Promise<Admission> {
    const { terms } = caller;
    const keys = keysOf(caller.tokenId);
    const reserved = countedTokens(requestTokens);
    // Request ids may come from clients and repeat; a repeated slot would let a second request in for free.
    const slot = terms.concurrency === undefined ? '' : `${replica}:${entries++}:${requestId}`;
    const values = [
      String(terms.rpm ?? -1),
      String(terms.tpm ?? -1),
      String(terms.concurrency ?? -1),
      String(reserved),
      slot,
      String(leaseMs),
      nowText(),
      String(sliceMs),
      String(sliceCount),
    ];
    let reply: unknown;
    try {
      reply = await connection.run(enterScript, keys, values);
    } catch {
      return memory.enter(caller, requestTokens, requestId);
    }
    const { state, slice } = readReply(reply);
    if (state.denied !== undefined) throw denialError(terms, state, reserved);
    if (slot !== '') slotsOf(openSlots, caller.tokenId, keys[1]).add(slot);
    const leave = leaving(caller, keys, slot, terms.tpm === undefined ? undefined : { slice, reserved });
    return { headers: limitHeaders(terms, state), leave };
  }

  async function peekShared(caller: Caller): Promise<LimitsLeft> {
    const values = [nowText(), String(sliceMs), String(sliceCount)];
    let reply: unknown;
    try {
      reply = await connection.run(peekScript, keysOf(caller.tokenId), values);
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

  function leaving(
    caller: Caller,
    keys: readonly [string, string],
    slot: string,
    reservation: { readonly slice: number; readonly reserved: number } | undefined,
  ): Admission['leave'] {
    let left = false;
    return (actualTokens) => {
      if (left) return;
      left = true;
      if (slot !== '') giveBack(openSlots, caller.tokenId, slot);
      const difference =
        reservation === undefined || actualTokens === undefined
          ? 0
          : countedTokens(actualTokens) - reservation.reserved;
      if ((slot === '' && difference === 0) || !connection.available) return;
      const values = [slot, String(reservation?.slice ?? 0), String(difference)];
      // Where this fails the slot's lease runs out and the window passes: nothing is lost for longer than a minute.
      connection.run(leaveScript, keys, values).catch(() => {});
    };
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
    enter(caller, requestTokens, requestId) {
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

/** The braces keep a token's keys on one node of a cluster. */
function keysOf(tokenId: string): readonly [windows: string, slots: string] {
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

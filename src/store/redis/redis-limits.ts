/** Limits that all replicas share: Redis decides while it is up, each replica for itself while it is down. */

import { AheadTable, type Sleep } from '../../access/ahead-table.ts';
import { type Denial, type Limiter, type LimitsUsed, sliceCount, sliceMs } from '../../access/limits.ts';
import { type AheadEnd, UpperClock } from '../../access/limits-ahead.ts';
import { createSharedLimiter, type Entered, type LimitEntry, type LimitTable } from '../../access/table-limiter.ts';
import { Roster } from '../../conversation/tools/roster.ts';
import { createBatchQueue } from '../batching/batch-queue.ts';
import type { RedisFault } from './redis-address.ts';
import { RedisConnection, type RedisConnectionOptions } from './redis-connection.ts';
import { classKey, limitKeys } from './redis-keys.ts';
import { batchScript, renewScript } from './redis-limit-scripts.ts';

export interface RedisLimiterOptions extends RedisConnectionOptions {
  /** Monotonic, for what this replica counts by itself. */
  readonly nowMs: () => number;
  /** Which clock the windows follow: the server's, which all replicas share, or `nowMs` where a test controls time. */
  readonly clock?: 'server' | 'given';
  /** Until other replicas have returned what they counted ahead. */
  readonly sleep?: Sleep;
  /** A slot whose replica died is released after this long. */
  readonly leaseMs?: number;
}

export interface RedisLimiter extends Limiter {
  /** Redis decides; false means that this replica decides for itself. */
  readonly shared: boolean;
  /** Resolves when the first attempt to connect ended, well or not. */
  readonly tried: Promise<void>;
  /** Why Redis does not decide. */
  readonly fault: RedisFault | undefined;
  /** Extends the lease of every slot in use; runs by itself three times a lease. */
  renew(): Promise<void>;
  /** Returns what no request uses. Resolves when Redis has it, or does not answer. */
  finish(): Promise<void>;
  close(): void;
}

const renewBatchMax = 500;

/** A part of a batch, see the script. */
interface Operation {
  readonly keys: readonly string[];
  /** Of one operation, or of ends. */
  readonly values: readonly (string | number)[];
  /** How many numbers it gives; ends give none. */
  readonly gives: number;
}

/** The numbers of one operation in the reply of its batch. */
interface Given {
  readonly reply: readonly number[];
  readonly from: number;
}

export function createRedisLimiter(options: RedisLimiterOptions): RedisLimiter {
  const { nowMs, leaseMs = 60_000 } = options;
  const connection = new RedisConnection({
    ...options,
    scripts: [batchScript, renewScript],
    onChange(available, reason) {
      // It may be back empty: what runs is made known to it before anything else is asked.
      if (available) void renew();
      else for (const { key, slot } of ahead.forget()) slots.delete(limitKeys(key)[1], slot);
      options.onChange?.(available, reason);
    },
  });
  const slots = new OpenSlots();
  const nowText = (): string => (options.clock === 'given' ? String(nowMs()) : '0');
  const serverClock = new UpperClock(nowMs);
  const queue = createBatchQueue<Operation, Given>({
    async send(operations) {
      const { keys, lists } = batchOf(operations);
      const common = [nowText(), String(leaseMs), String(sliceMs), String(sliceCount)];
      const sentMs = nowMs();
      const reply = (await connection.run(batchScript, keys, [...common, ...lists])) as number[];
      serverClock.was(reply[0] ?? 0, sentMs);
      let from = 2;
      return operations.map(({ gives }) => {
        from += gives;
        return { reply, from: from - gives };
      });
    },
  });
  const ahead = new AheadTable({
    get available() {
      return connection.available;
    },
    nowMs: () => serverClock.nowMs(),
    async enter(entries, reserved, isLast) {
      const given = await ask(isLast ? 'enter-again' : 'enter', entries, reserved);
      const entered = entries.map((_, index) => readEntered(given, index));
      if (entered.every(({ state }) => state.denied === undefined))
        for (const { key, slot } of entries) if (slot !== '') slots.add(limitKeys(key)[1], slot);
      return { entered, returnsAfterMs: returnAfterMs(given, entries.length) };
    },
    async countAhead({ key, limits, requests, tokens }) {
      const values = ['ahead', limits.rpm ?? -1, limits.tpm ?? -1, limits.concurrency ?? -1, requests, tokens];
      const { reply, from } = await queue.add({ keys: limitKeys(key), values, gives: 3 });
      const [granted, requestsUsed = 0, tokensUsed = 0] = reply.slice(from, from + 3);
      return granted === 1 ? { slice: reply[1] ?? 0, requestsUsed, tokensUsed } : undefined;
    },
    leave: release,
    sleep: options.sleep,
  });

  async function release(ends: readonly AheadEnd[]): Promise<void> {
    const keys: string[] = [];
    const values: (string | number)[] = [];
    for (const { key, slot, slice, difference, requests } of ends) {
      const own = limitKeys(key);
      if (slot !== '') slots.delete(own[1], slot);
      keys.push(...own);
      values.push(slot, slice, difference, requests);
    }
    if (connection.available) await queue.add({ keys, values, gives: 0 });
  }

  function ask(what: 'enter' | 'enter-again', entries: readonly LimitEntry[], reserved: number): Promise<Given> {
    const keys: string[] = [];
    const values: (string | number)[] = [what, entries.length, reserved];
    for (const { key, limits, slot } of entries) {
      keys.push(...limitKeys(key));
      values.push(limits.rpm ?? -1, limits.tpm ?? -1, limits.concurrency ?? -1, slot);
    }
    return queue.add({ keys, values, gives: entries.length * numbersOfLevel });
  }

  const table: LimitTable = {
    get available() {
      return connection.available;
    },
    enter: (entries, reserved) => ahead.enter(entries, reserved),
    leave: (ends) => ahead.leave(ends),
    async enterClass(entries, counted) {
      const keys = entries.map(({ key }) => classKey(key, counted));
      const values = ['class', entries.length, ...entries.map(({ limit }) => limit)];
      const { reply, from } = await queue.add({ keys, values, gives: entries.length });
      return reply.slice(from, from + entries.length);
    },
    peek: (keys) =>
      Promise.all(
        keys.map(async (key): Promise<LimitsUsed> => {
          const { reply, from } = await queue.add({ keys: limitKeys(key), values: ['peek'], gives: 3 });
          const [requests = 0, tokens = 0, concurrency = 0] = reply.slice(from, from + 3);
          return { requests, tokens, concurrency };
        }),
      ),
  };

  async function renew(): Promise<void> {
    if (!connection.available) return;
    const batches: Promise<unknown>[] = [];
    for (const [key, all] of slots.all()) {
      for (let start = 0; start < all.length; start += renewBatchMax) {
        const values = [String(leaseMs), nowText(), ...all.slice(start, start + renewBatchMax)];
        batches.push(connection.run(renewScript, [key], values));
      }
    }
    await Promise.allSettled(batches);
  }

  async function finish(): Promise<void> {
    ahead.finish();
    await queue.finish();
  }

  const timer = setInterval(() => void renew(), leaseMs / 3);
  timer.unref();

  return {
    ...createSharedLimiter({ table, nowMs }),
    get shared() {
      return connection.available;
    },
    get fault() {
      return connection.fault;
    },
    tried: connection.tried,
    renew,
    finish,
    close() {
      ahead.finish();
      clearInterval(timer);
      connection.close();
    },
  };
}

/** The slots that this replica holds, by their key: their leases are renewed. */
class OpenSlots {
  readonly #byKey = new Map<string, Roster<string>>();

  add(key: string, slot: string): void {
    const known = this.#byKey.get(key) ?? new Roster<string>();
    known.add(slot);
    this.#byKey.set(key, known);
  }

  delete(key: string, slot: string): void {
    const known = this.#byKey.get(key);
    known?.delete(slot);
    if (known?.size === 0) this.#byKey.delete(key);
  }

  *all(): Iterable<readonly [key: string, slots: readonly string[]]> {
    for (const [key, slots] of this.#byKey) yield [key, slots.all()];
  }
}

/** Each key once, then what uses them: ends first. */
function batchOf(operations: readonly Operation[]): { keys: readonly string[]; lists: readonly string[] } {
  const numbers = new Map<string, number>();
  const used: { ends: number[]; others: number[] } = { ends: [], others: [] };
  const values: { ends: (string | number)[]; others: (string | number)[] } = { ends: [], others: [] };
  for (const operation of operations) {
    const part = operation.gives === 0 ? 'ends' : 'others';
    for (const key of operation.keys) {
      const number = numbers.get(key) ?? numbers.size + 1;
      numbers.set(key, number);
      used[part].push(number);
    }
    values[part].push(...operation.values);
  }
  const lists = [[...used.ends, ...used.others], values.ends, values.others].map((list) => JSON.stringify(list));
  return { keys: [...numbers.keys()], lists };
}

const denials: readonly (Denial | undefined)[] = [undefined, 'requests', 'tokens', 'concurrency'];
const numbersOfLevel = 6;

/** How long until other replicas return what would let the request in; 0 where it does not wait for that. */
function returnAfterMs({ reply, from }: Given, levels: number): number {
  let waitMs = 0;
  for (let at = from; at < from + levels * numbersOfLevel; at += numbersOfLevel)
    if ((reply[at] ?? 0) >= denials.length) waitMs = Math.max(waitMs, reply[at + 1] ?? 0, 1);
  return waitMs;
}

function readEntered({ reply, from }: Given, level: number): Entered {
  const at = from + level * numbersOfLevel;
  const [nowMs = 0, slice = 0] = reply;
  return {
    state: {
      denied: denials[reply[at] ?? 0],
      retryAfterMs: reply[at + 1] ?? 0,
      requestsUsed: reply[at + 2] ?? 0,
      tokensUsed: reply[at + 3] ?? 0,
      nowMs,
      newestRequestSlice: reply[at + 4] ?? 0,
      newestTokenSlice: reply[at + 5] ?? 0,
    },
    slice,
  };
}

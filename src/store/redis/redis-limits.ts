/** Limits that all replicas share: Redis decides while it is up, each replica for itself while it is down. */

import {
  type Denial,
  type LimitClass,
  type Limiter,
  type LimitsUsed,
  sliceCount,
  sliceMs,
} from '../../access/limits.ts';
import { createSharedLimiter, type Entered, type LimitEntry, type LimitTable } from '../../access/table-limiter.ts';
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

/** One operation of the batch script. */
interface Operation {
  readonly keys: readonly string[];
  readonly values: readonly string[];
}

export function createRedisLimiter(options: RedisLimiterOptions): RedisLimiter {
  const { nowMs, leaseMs = 60_000 } = options;
  const connection = createRedisConnection({ ...options, scripts: [batchScript, renewScript] });
  const slots = new OpenSlots();
  const nowText = (): string => (options.clock === 'given' ? String(nowMs()) : '0');
  const queue = createBatchQueue<Operation, unknown>({
    async send(operations) {
      const common = [nowText(), String(leaseMs), String(sliceMs), String(sliceCount)];
      const keys = operations.flatMap((operation) => operation.keys);
      const values = operations.flatMap((operation) => operation.values);
      return (await connection.run(batchScript, keys, [...common, ...values])) as unknown[];
    },
  });

  const table: LimitTable = {
    get available() {
      return connection.available;
    },
    async enter(entries, reserved) {
      const keys = entries.flatMap(({ key }) => keysOf(key));
      const values = ['enter', String(entries.length), String(reserved), ...entries.flatMap(enterValues)];
      const reply = await queue.add({ keys, values });
      const entered = Array.isArray(reply) ? reply.map(readReply) : [];
      if (entered.every(({ state }) => state.denied === undefined))
        for (const { key, slot } of entries) if (slot !== '') slots.add(slotsKey(key), slot);
      return entered;
    },
    /** Where this fails the slot's lease runs out and the window passes: nothing is lost for longer than a minute. */
    async leave(ends) {
      for (const { key, slot } of ends) if (slot !== '') slots.delete(slotsKey(key), slot);
      if (!connection.available) return;
      const leaving = ends.map(({ key, slot, slice, difference }) =>
        queue.add({ keys: keysOf(key), values: ['leave', slot, String(slice), String(difference)] }),
      );
      await Promise.all(leaving);
    },
    async enterClass(entries, counted) {
      const keys = entries.map(({ key }) => classKey(key, counted));
      const values = ['class', String(entries.length), ...entries.map(({ limit }) => String(limit))];
      const reply = await queue.add({ keys, values });
      return Array.isArray(reply) ? reply.map(Number) : [];
    },
    peek: (keys) =>
      Promise.all(keys.map(async (key) => readUsed(await queue.add({ keys: keysOf(key), values: ['peek'] })))),
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

  const timer = setInterval(() => void renew(), leaseMs / 3);
  timer.unref();

  return {
    ...createSharedLimiter({ table, nowMs }),
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

function enterValues({ limits: { rpm, tpm, concurrency }, slot }: LimitEntry): readonly string[] {
  return [...[rpm, tpm, concurrency].map((limit) => String(limit ?? -1)), slot];
}

type Keys = readonly [windows: string, slots: string];

/** Of a token or another level. */
function keysOf(level: string): Keys {
  return [`weir:limits:{${level}}:windows`, slotsKey(level)];
}

const slotsKey = (level: string): string => `weir:limits:{${level}}:slots`;
const classKey = (level: string, counted: LimitClass): string => `weir:limits:{${level}}:${counted}`;

const denials: Readonly<Record<string, Denial>> = {
  requests: 'requests',
  tokens: 'tokens',
  concurrency: 'concurrency',
};

function readReply(reply: unknown): Entered {
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

function readUsed(reply: unknown): LimitsUsed {
  const [requests = 0, tokens = 0, concurrency = 0] = Array.isArray(reply) ? reply.map(Number) : [];
  return { requests, tokens, concurrency };
}

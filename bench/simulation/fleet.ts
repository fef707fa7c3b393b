/** A fleet in simulated time: requests through processes of Weir, their batches, PostgreSQL and Redis. */

import { batchLimits } from '../../src/store/batching/batch-queue.ts';
import { percentile } from '../statistics.ts';
import { type Item, SimulatedQueue } from './batches.ts';
import { Clock, Cores, seededRandom, Thread } from './clock.ts';
import { type BatchCost, idle } from './costs.ts';
import { type DatabaseOptions, SimulatedDatabase, SimulatedRedis } from './database.ts';

export interface RequestCosts {
  /** CPU time of Weir without its share of batches. */
  readonly weirMicros: number;
  /** Of that, the share of another thread, which all processes of a replica have in common. */
  readonly offLoopShare: number;
  /** CPU time of Weir for a batch. */
  readonly weirBatchMicros: number;
  /** Absent: SQLite, where a request waits for no batch. */
  readonly postgres?: BatchCost | undefined;
  /** Absent: no limits in Redis. An item is an operation. */
  readonly redis?: BatchCost | undefined;
}

/** All processes on the cores of one machine, with the load generator and the provider, as in the bench. */
export interface SharedMachine {
  readonly cores: number;
  readonly clientMicros: number;
  readonly providerMicros: number;
}

export interface FleetOptions extends Pick<DatabaseOptions, 'roundTripMs' | 'flushMs' | 'lockedShare'> {
  /** Processes that serve: replicas, or replicas by workers. */
  readonly processes: number;
  /** 0: no request counts against a budget. Otherwise each against one of so many. */
  readonly budgets: number;
  /**
   * Which budget and which process a request gets. By turns: each client has its own of both, as in the bench. At random:
   * any of both. By budget: all requests of a budget go to one process, as with a load balancer that hashes the token.
   */
  readonly spread: 'by turns' | 'at random' | 'by budget';
  /** Clients of the fleet that send their next request when they have a reply, or requests a second of the fleet. */
  readonly load: { readonly clients: number } | { readonly perSecond: number };
  readonly costs: RequestCosts;
  /** Absent: each process has a core of its own, and PostgreSQL has `databaseCores`. */
  readonly machine?: SharedMachine | undefined;
  readonly databaseCores: number;
  readonly connections: number;
  readonly timeoutMs: number;
  readonly durationMs: number;
  readonly seed: number;
}

export interface FleetResult {
  readonly perSecond: number;
  readonly started: number;
  readonly served: number;
  readonly refused: number;
  /** Requests that were still in flight at the end. */
  readonly unfinished: number;
  /** Of requests that were served after the first part of the time: how long they waited for both batches. */
  readonly waitMs: { readonly p50: number; readonly p99: number };
  readonly itemsPerBatch: number;
  /** Batches per request. */
  readonly sqlTrips: number;
  readonly redisTrips: number;
  readonly statementsPerSecond: number;
  readonly coresUsed: { readonly weir: number; readonly postgres: number; readonly redis: number };
  /** Shares of what there is, from 0 to 1. */
  readonly used: Readonly<Record<Resource, number>>;
  readonly bottleneck: Resource | 'none' | 'database timeout';
}

/** In the order in which a full one is named: what is behind it is often full because of it. */
export const resources = [
  'CPU of the machine',
  'event loop',
  'CPU of PostgreSQL',
  'CPU of Redis',
  'budget rows',
  'connections',
  'round trips',
] as const;
type Resource = (typeof resources)[number];

/** From this share on a resource limits the fleet. */
const fullShare = 0.9;
/** `limits.concurrent_requests_max` of a process. */
const inFlightMax = 20_000;
/** A client that was refused, and a closing that was not written, are back after this. */
const againMs = 5_000;
/** What is not yet steady does not count. */
const warmUpShare = 0.3;
const secondMs = 1_000;
/** Less than this in the rest of a second is not counted ahead. */
const aheadMin = 4;
/** An operation whose answer nothing waits for. */
const unawaited: Item = { budget: undefined, answered: () => undefined, failed: () => undefined };
/** Parts of Weir's work on a request: until the opening, until the provider, until the closing, until the reply. */
const parts = [0.4, 0.1, 0.4, 0.1] as const;

/** Requests of a token in this second and the one before, and whether they are counted ahead (`store/redis/limits-ahead.ts`). */
interface Counted {
  second: number;
  admitted: number;
  before: number;
  isAhead: boolean;
}

interface Process {
  readonly loop: Thread;
  readonly ledger: SimulatedQueue;
  readonly limits: SimulatedQueue;
  /** By budget. */
  readonly counted: Map<number, Counted>;
  inFlight: number;
}

class Fleet {
  started = 0;
  served = 0;
  refused = 0;
  servedSteady = 0;
  waitsMs: number[] = [];
  readonly clock = new Clock();
  readonly database: SimulatedDatabase;
  readonly processes: readonly Process[];
  readonly redisThread: Thread;
  readonly machineCores: Cores | undefined;
  readonly databaseCores: Cores;
  readonly #options: FleetOptions;
  readonly #random: () => number;
  readonly #client: Thread;
  readonly #provider: Thread;
  readonly #offLoop: Thread;
  #isStopped = false;

  constructor(options: FleetOptions) {
    const { clock } = this;
    const { costs, machine } = options;
    this.#options = options;
    this.#random = seededRandom(options.seed);
    this.machineCores = machine && new Cores(clock, machine.cores);
    const cores = (count: number): Cores => this.machineCores ?? new Cores(clock, count);
    this.databaseCores = cores(options.databaseCores);
    const cost = costs.postgres ?? { fixedMicros: 0, itemMicros: 0 };
    this.database = new SimulatedDatabase(clock, this.databaseCores, { ...options, cost });
    this.redisThread = new Thread(cores(1));
    const redisCost = costs.redis ?? { fixedMicros: 0, itemMicros: 0 };
    const redis = new SimulatedRedis(clock, this.redisThread, { roundTripMs: options.roundTripMs, cost: redisCost });
    this.#client = new Thread(cores(1));
    this.#provider = new Thread(cores(1));
    this.#offLoop = new Thread(cores(1));
    const batchMs = costs.weirBatchMicros / 1_000;
    this.processes = Array.from({ length: options.processes }, () => {
      const loop = new Thread(cores(1));
      const ledger = new SimulatedQueue({ clock, loop, batchMs, send: (batch) => this.database.send(batch) });
      const limits = new SimulatedQueue({ clock, loop, batchMs: 0, send: (batch) => redis.send(batch) });
      return { loop, ledger, limits, counted: new Map(), inFlight: 0 };
    });
  }

  run(): void {
    const { load, durationMs } = this.#options;
    if ('clients' in load) for (let at = 0; at < load.clients; at += 1) this.#clientLoop(at);
    else this.#arrive(1_000 / load.perSecond);
    this.clock.runUntil(durationMs);
    this.#isStopped = true;
  }

  /** Lets requests in flight end; none begin. */
  drain(): void {
    this.clock.runUntil(Number.POSITIVE_INFINITY);
  }

  #clientLoop(at: number): void {
    if (this.#isStopped) return;
    const next = (isServed: boolean): void => {
      if (isServed) this.#clientLoop(at);
      else this.clock.after(againMs, () => this.#clientLoop(at));
    };
    const send = (): void => this.#request(at, next);
    this.#client.run((this.#options.machine?.clientMicros ?? 0) / 1_000, send);
  }

  #budgetOf(at: number): number | undefined {
    const { budgets, spread } = this.#options;
    if (budgets === 0) return undefined;
    return spread === 'by turns' ? at % budgets : Math.floor(this.#random() * budgets);
  }

  #arrive(meanMs: number): void {
    if (this.#isStopped) return;
    const at = Math.floor(this.#random() * this.processes.length);
    this.#request(at, () => undefined);
    this.clock.after(-Math.log(1 - this.#random()) * meanMs, () => this.#arrive(meanMs));
  }

  #request(at: number, ended: (isServed: boolean) => void): void {
    const { costs, machine, spread } = this.#options;
    const budget = this.#budgetOf(at);
    const place = spread === 'by budget' && budget !== undefined ? budget : at;
    const process = this.processes[place % this.processes.length];
    if (process === undefined) throw new Error('a fleet has at least one process');
    const loopMs = (costs.weirMicros * (1 - costs.offLoopShare)) / 1_000;
    let waitedMs = 0;
    const end = (isServed: boolean): void => {
      process.inFlight -= 1;
      if (isServed) this.#count(waitedMs);
      else this.refused += 1;
      ended(isServed);
    };
    const write = (then: () => void, failed: () => void): void => {
      if (costs.postgres === undefined) {
        then();
        return;
      }
      const sinceMs = this.clock.nowMs;
      const answered = (): void => {
        waitedMs += this.clock.nowMs - sinceMs;
        then();
      };
      process.ledger.add({ budget, answered, failed });
    };
    const reply = (): void => process.loop.run(loopMs * parts[3], () => end(true));
    const close = (): void =>
      write(reply, () => {
        // The reply does not wait for a database that is away.
        this.#closeAgain(process, budget);
        reply();
      });
    const open = (): void =>
      write(
        () =>
          process.loop.run(loopMs * parts[1], () =>
            this.#provider.run((machine?.providerMicros ?? 0) / 1_000, () =>
              process.loop.run(loopMs * parts[2], close),
            ),
          ),
        () => end(false),
      );
    this.started += 1;
    process.inFlight += 1;
    if (process.inFlight > inFlightMax) {
      end(false);
      return;
    }
    if (costs.offLoopShare > 0) this.#offLoop.run((costs.weirMicros * costs.offLoopShare) / 1_000, () => undefined);
    process.loop.run(loopMs * parts[0], () =>
      costs.redis === undefined ? open() : this.#limit(process, budget ?? 0, open),
    );
  }

  /** The reply waits for the entry, and not for the end of the reservation. */
  #limit(process: Process, token: number, then: () => void): void {
    const counted = this.#countedAt(process, token);
    counted.admitted += 1;
    if (counted.isAhead) {
      then();
      return;
    }
    const { second } = counted;
    const isBusy = counted.before * (1 - (this.clock.nowMs % secondMs) / secondMs) >= aheadMin;
    const answered = (): void => {
      counted.isAhead ||= isBusy && counted.second === second;
      then();
      if (!counted.isAhead) process.limits.add(unawaited);
    };
    process.limits.add({ budget: undefined, answered, failed: then });
    if (isBusy) process.limits.add(unawaited);
  }

  /** What is ahead when a second ends is returned. */
  #countedAt(process: Process, token: number): Counted {
    const second = Math.floor(this.clock.nowMs / secondMs);
    const known = process.counted.get(token) ?? { second, admitted: 0, before: 0, isAhead: false };
    process.counted.set(token, known);
    if (known.second === second) return known;
    if (known.isAhead) process.limits.add(unawaited);
    known.before = known.second === second - 1 ? known.admitted : 0;
    known.second = second;
    known.admitted = 0;
    known.isAhead = false;
    return known;
  }

  #closeAgain(process: Process, budget: number | undefined): void {
    this.clock.after(againMs, () => {
      const failed = (): void => this.#closeAgain(process, budget);
      process.ledger.add({ budget, answered: () => undefined, failed });
    });
  }

  #count(waitedMs: number): void {
    this.served += 1;
    if (this.clock.nowMs < this.#options.durationMs * warmUpShare || this.#isStopped) return;
    this.servedSteady += 1;
    this.waitsMs.push(waitedMs);
  }
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

export function simulateFleet(options: FleetOptions): FleetResult {
  const fleet = new Fleet(options);
  fleet.run();
  const { durationMs, processes: count, databaseCores, connections, machine, costs } = options;
  const loopMs = fleet.processes.map(({ loop }) => loop.busyMs);
  const ledgers = fleet.processes.map(({ ledger }) => ledger);
  const batches = sum(ledgers.map((queue) => queue.batches));
  const itemsPerBatch = sum(ledgers.map(({ items }) => items)) / Math.max(1, batches);
  const databaseMs =
    machine === undefined ? fleet.databaseCores.busyMs : workMs(costs.postgres, batches, itemsPerBatch);
  const polls = costs.postgres === undefined ? 0 : count * idle.statementsPerSecond;
  const redisBatches = sum(fleet.processes.map(({ limits }) => limits.batches));
  const inFlightMs = sum(ledgers.map((queue) => queue.inFlightMs)) / count;
  const used: Record<Resource, number> = {
    'CPU of the machine': machine === undefined ? 0 : (fleet.machineCores?.busyMs ?? 0) / (machine.cores * durationMs),
    'event loop': Math.max(...loopMs) / durationMs,
    'CPU of PostgreSQL': machine === undefined ? databaseMs / (databaseCores * durationMs) : 0,
    'CPU of Redis': fleet.redisThread.busyMs / durationMs,
    'budget rows': fleet.database.lockedMsMost / durationMs,
    connections: fleet.database.connectionMs / (connections * durationMs),
    'round trips': (inFlightMs / durationMs) * Math.min(1, itemsPerBatch / batchLimits.itemsMax),
  };
  const { started, served, refused } = fleet;
  return {
    perSecond: (fleet.servedSteady / (durationMs * (1 - warmUpShare))) * 1_000,
    started,
    served,
    refused,
    unfinished: started - served - refused,
    waitMs: { p50: percentile(fleet.waitsMs, 50), p99: percentile(fleet.waitsMs, 99) },
    itemsPerBatch,
    sqlTrips: costs.postgres === undefined ? 0 : batches / Math.max(1, served),
    redisTrips: redisBatches / Math.max(1, served),
    statementsPerSecond: (batches / durationMs) * 1_000 + polls,
    coresUsed: {
      weir: sum(loopMs) / durationMs,
      postgres: databaseMs / durationMs + (polls * idle.statementMicros) / 1e6,
      redis: fleet.redisThread.busyMs / durationMs,
    },
    used,
    bottleneck: bottleneckOf(used, fleet.database.timeouts > 0),
  };
}

/** Where batches time out, something is full most of the time, or the database is too far away. */
function bottleneckOf(used: Readonly<Record<Resource, number>>, timesOut: boolean): FleetResult['bottleneck'] {
  const least = timesOut ? fullShare / 2 : fullShare;
  const full = resources.find((name) => used[name] >= fullShare) ?? resources.find((name) => used[name] >= least);
  return full ?? (timesOut ? 'database timeout' : 'none');
}

/** Where PostgreSQL shares its cores with others. */
const workMs = (cost: BatchCost | undefined, batches: number, itemsPerBatch: number): number =>
  cost === undefined ? 0 : (batches * (cost.fixedMicros + cost.itemMicros * itemsPerBatch)) / 1_000;

/** The same, and afterwards all requests in flight end: for a test that none is lost. */
export function simulateToTheEnd(options: FleetOptions): Pick<FleetResult, 'started' | 'served' | 'refused'> {
  const fleet = new Fleet(options);
  fleet.run();
  fleet.drain();
  const { started, served, refused } = fleet;
  return { started, served, refused };
}

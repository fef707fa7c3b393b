/** The connections to one origin: free ones are reused, the last used first, so that the others can expire. */

import type { Connector } from './connect.ts';
import { Connection, type ConnectionOwner } from './connection.ts';
import type { Exchange } from './exchange.ts';
import type { Origin } from './origin.ts';
import type { ReadPace } from './read-pace.ts';

export interface PoolOptions {
  readonly connectionsMax: number;
  readonly headBytesMax: number;
  /** The transport's ticks so far: its clock for idle connections. */
  readonly tick: () => number;
  readonly pace: ReadPace;
}

/** More free connections than this are not worth their descriptors. */
const idleConnectionsMax = 256;

export class Pool implements ConnectionOwner {
  readonly #origin: Origin;
  readonly #connect: Connector;
  readonly #options: PoolOptions;
  /** Sorted by the time of their release, because they come and go at the end. */
  readonly #idle: Connection[] = [];
  readonly #waiting: Exchange[] = [];
  #connectionCount = 0;
  #retired = false;

  constructor(origin: Origin, connect: Connector, options: PoolOptions) {
    this.#origin = origin;
    this.#connect = connect;
    this.#options = options;
  }

  /** Whether it has neither a connection nor a request that waits for one. */
  get empty(): boolean {
    return this.#connectionCount === 0 && this.#waiting.length === 0;
  }

  carry(exchange: Exchange): void {
    for (let free = this.#idle.pop(); free !== undefined; free = this.#idle.pop()) {
      if (free.send(exchange)) return;
    }
    if (this.#connectionCount >= this.#options.connectionsMax) this.#waiting.push(exchange);
    else this.#open(exchange);
  }

  get pace(): ReadPace {
    return this.#options.pace;
  }

  released(connection: Connection): void {
    const next = this.#nextWaiting();
    if (next !== undefined) {
      if (!connection.send(next)) this.carry(next);
      return;
    }
    if (this.#retired || this.#idle.length >= idleConnectionsMax) {
      connection.retire();
      return;
    }
    connection.idleSinceTick = this.#options.tick();
    this.#idle.push(connection);
  }

  closed(connection: Connection): void {
    this.#connectionCount -= 1;
    const index = this.#idle.lastIndexOf(connection);
    if (index >= 0) this.#idle.splice(index, 1);
    const next = this.#nextWaiting();
    if (next !== undefined) this.#open(next);
  }

  /** Closes what has been free since this tick or longer. */
  expire(tick: number): void {
    const { length } = this.#idle;
    let expired = 0;
    while (expired < length && (this.#idle[expired]?.idleSinceTick ?? tick + 1) <= tick) expired += 1;
    for (const connection of this.#idle.splice(0, expired)) connection.retire();
  }

  /** Closes what is free now and later what becomes free. */
  retire(): void {
    this.#retired = true;
    for (const connection of this.#idle.splice(0)) connection.retire();
  }

  #open(exchange: Exchange): void {
    this.#connectionCount += 1;
    this.#connect(this.#origin, new Connection(this, this.#options.headBytesMax, exchange));
  }

  #nextWaiting(): Exchange | undefined {
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      // Its caller may have given up meanwhile.
      if (!next.over) return next;
    }
    return undefined;
  }
}

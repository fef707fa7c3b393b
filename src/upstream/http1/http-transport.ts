/** Weir's own HTTP/1.1 transport over kept connections, at the least cost per request. */

import { isStreamed, type Transport, type UpstreamReply, type UpstreamRequest } from '../transport.ts';
import { type ConnectOptions, createConnector } from './connect.ts';
import { Exchange, type Outgoing } from './exchange.ts';
import { type Route, readRoute } from './origin.ts';
import { Pool, type PoolOptions } from './pool.ts';
import { ReadPace } from './read-pace.ts';
import { requestHead } from './request-head.ts';

export interface HttpTransportOptions extends ConnectOptions {
  /** A free connection is closed after this time: sooner than the other side would, whose close could cross a request. */
  readonly idleConnectionMs?: number;
  readonly connectionsPerOriginMax?: number;
  readonly headBytesMax?: number;
  /** How much of a body may wait unread before reading from the server pauses. */
  readonly highWaterBytes?: number;
  /** Shared by the transports of a process; absent: one of its own. */
  readonly pace?: ReadPace;
}

export interface HttpTransport extends Transport {
  /** Closes free connections at once and the others after their reply; refuses what comes later. */
  close(): void;
}

interface RouteWithPool extends Route {
  readonly pool: Pool;
}

/** A request that is sent when the current events have been handled. */
interface Departure {
  readonly pool: Pool;
  readonly exchange: Exchange;
}

/** URLs contain model names, so there are more of them than servers; URLs beyond this limit are parsed again. */
const routesMax = 1_024;
const ticksPerIdleTime = 4;

export function createHttpTransport(options: HttpTransportOptions): HttpTransport {
  const { idleConnectionMs = 4_000, highWaterBytes = 262_144 } = options;
  const connect = createConnector(options);
  const pools = new Map<string, Pool>();
  const routes = new Map<string, RouteWithPool>();
  let tick = 0;
  let ticker: Timer | undefined;
  let closed = false;
  let due: Departure[] = [];
  const poolOptions: PoolOptions = {
    connectionsMax: options.connectionsPerOriginMax ?? Number.POSITIVE_INFINITY,
    headBytesMax: options.headBytesMax ?? 65_536,
    tick: () => tick,
    pace: options.pace ?? new ReadPace(),
  };

  function onTick(): void {
    tick += 1;
    let empty = true;
    for (const pool of pools.values()) {
      pool.expire(tick - ticksPerIdleTime);
      empty &&= pool.empty;
    }
    if (!empty) return;
    clearInterval(ticker);
    ticker = undefined;
  }

  function findRoute(url: string): RouteWithPool {
    if (routes.size >= routesMax) {
      routes.clear();
      for (const [key, pool] of pools) if (pool.empty) pools.delete(key);
    }
    const route = readRoute(url);
    const { key } = route.origin;
    const pool = pools.get(key) ?? new Pool(route.origin, connect, poolOptions);
    pools.set(key, pool);
    const found = { ...route, pool };
    routes.set(url, found);
    return found;
  }

  function carry(request: UpstreamRequest): Promise<UpstreamReply> {
    const { signal } = request;
    if (signal.aborted) return Promise.reject(signal.reason);
    if (closed) return Promise.reject(new Error('The transport is closed.'));
    const route = routes.get(request.url) ?? findRoute(request.url);
    const outgoing = outgoingOf(request, route);
    if (ticker === undefined) {
      ticker = setInterval(onTick, idleConnectionMs / ticksPerIdleTime);
      ticker.unref();
    }
    return new Promise((resolve, reject) => {
      const exchange = new Exchange(outgoing, signal, highWaterBytes, resolve, reject);
      if (due.push({ pool: route.pool, exchange }) === 1) setImmediate(sendDue);
    });
  }

  /**
   * Sends the requests that came up while current events were handled: writes in quick succession wake the other side
   * once.
   */
  function sendDue(): void {
    const all = due;
    due = [];
    for (const { pool, exchange } of all) if (!exchange.over) pool.carry(exchange);
  }

  const transport: Transport = (request) => {
    try {
      return carry(request);
    } catch (error) {
      return Promise.reject(error);
    }
  };
  return Object.assign(transport, {
    close(): void {
      closed = true;
      clearInterval(ticker);
      ticker = undefined;
      for (const pool of pools.values()) pool.retire();
    },
  });
}

function outgoingOf(request: UpstreamRequest, route: Route): Outgoing {
  const { body } = request;
  // No caller sends this today, but a reply that waited for a body would wait forever.
  const bodiless = (request.method as string) === 'HEAD';
  if (isStreamed(body)) {
    const { bytes } = body;
    if (!Number.isSafeInteger(bytes) || bytes < 0) throw new TypeError(`${bytes} is not the length of a body.`);
    return { head: requestHead(request, route, bytes), body: undefined, streamed: body, bodyBytes: bytes, bodiless };
  }
  const bodyBytes = body === undefined ? undefined : typeof body === 'string' ? Buffer.byteLength(body) : body.length;
  return {
    head: requestHead(request, route, bodyBytes),
    body,
    streamed: undefined,
    bodyBytes: bodyBytes ?? 0,
    bodiless,
  };
}

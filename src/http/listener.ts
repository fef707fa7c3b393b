/**
 * The HTTP server: accepts, finds the route, answers preflights, and turns a handler's exception into the route's
 * error.
 */

import { GatewayError } from '../conversation/gateway-error.ts';
import type { Exchange } from './exchange.ts';
import { properHost } from './host-names.ts';
import { keepPrivate } from './private-headers.ts';
import { plainPath, type ReadOtherPath, type Route, RouteTable } from './route-table.ts';
import { asksForSocket, type SocketData, Sockets } from './sockets.ts';

interface ListenerOptions {
  readonly host: string;
  readonly port: number;
  /** Other processes of the same gateway listen on the port too. */
  readonly reusePort?: boolean;
  readonly routes: readonly Route[];
  /** Further spellings of the routes' paths. */
  readonly otherPath?: ReadOtherPath;
  /** Answers paths without a route, in the error format of the path's prefix. */
  writeUnknown(error: GatewayError, exchange: Exchange): Response;
  readonly bodyTimeoutMs: number;
  /** Read for every request: the setting may change while Weir runs. */
  readonly limits: { readonly concurrentRequestsMax: number };
  /** The largest message of a WebSocket. */
  readonly messageBytesMax: number;
  /** The most that is buffered for a WebSocket client that does not read. */
  readonly backlogBytesMax: number;
  /** Replies whose head was sent and whose body is still being sent. */
  streaming(): number;
  newRequestId(): string;
  nowMs(): number;
  clientAddress(peer: string, forwardedFor: string | null): string;
  /** Whether the peer is a trusted proxy. */
  isTrustedProxy(peer: string): boolean;
  /** Called for every request that fails before its work records the outcome; not for the console and monitoring. */
  onRefused(error: unknown, exchange: Exchange): void;
  /** Called for every request that ended, for metrics. */
  onAnswer(status: number): void;
}

interface Listener {
  readonly port: number;
  readonly host: string;
  readonly inFlight: number;
  /** From now on each reply closes its connection; everything is still served. */
  leave(): void;
  /** Closes the port and idle connections, and refuses new requests on others; running requests continue. */
  drain(): void;
  /** Closes the port; with `force` also running requests. */
  stop(force: boolean): Promise<void>;
}

const corsHeaders = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': '*',
} as const;

/** The runtime's limit, in whole seconds. */
const idleSecondsMax = 255;

/** The port is not available; the message names the setting. */
export class ListenError extends Error {
  override readonly name = 'ListenError';
}

export function listen(options: ListenerOptions): Listener {
  try {
    return open(options);
  } catch (cause) {
    throw listenError(options, cause);
  }
}

function listenError({ host, port }: Pick<ListenerOptions, 'host' | 'port'>, cause: unknown): ListenError {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  if (code === 'EADDRINUSE')
    return new ListenError(`Port ${port} on ${host} is taken. Stop what uses it, or set WEIR_PORT to another.`);
  const what = `Weir cannot listen on ${host}:${port} (${code || String(cause)})`;
  return new ListenError(`${what}. Check WEIR_HOST and WEIR_PORT.`, { cause });
}

/** The port, or a free one for 0, that no other process listens on. */
export function freePort(host: string, port: number): number {
  try {
    const probe = Bun.listen({ hostname: host, port, exclusive: true, socket: { data: () => undefined } });
    probe.stop(true);
    return probe.port;
  } catch (cause) {
    throw listenError({ host, port }, cause);
  }
}

/** Undefined if the request became a WebSocket: then it has no reply. */
type Answer = Response | undefined;

function open(options: ListenerOptions): Listener {
  const table = new RouteTable(options.routes, options.otherPath);
  let inFlight = 0;
  let leaving = false;
  let draining = false;
  const refusal = (): GatewayError | undefined => {
    if (draining) return shuttingDown();
    return inFlight + options.streaming() > options.limits.concurrentRequestsMax ? overloaded() : undefined;
  };
  const sockets = new Sockets({
    messageBytesMax: options.messageBytesMax,
    backlogBytesMax: options.backlogBytesMax,
    socketsMax: () => options.limits.concurrentRequestsMax,
    refusal,
  });

  const upgrade = async (exchange: OpenExchange, route: Required<Pick<Route, 'upgrade'>>): Promise<undefined> => {
    sockets.check(exchange.request.headers);
    const { handler, protocol } = await route.upgrade(exchange);
    if (exchange.upgrade({ handler }, protocol)) return undefined;
    handler.closed(1006, '');
    throw new GatewayError('upgrade_required', 'This request cannot become a WebSocket.');
  };

  const dispatch = (exchange: OpenExchange): Answer | Promise<Answer> => {
    const { method } = exchange.request;
    const match = table.find(method, exchange.path);
    if (match.found === 'nothing') {
      const error = pathNotFound(exchange.path, table.endOf(exchange.path));
      if (carriesCredential(exchange.request.headers)) options.onRefused(error, exchange);
      return options.writeUnknown(error, exchange);
    }
    exchange.route = match.route;
    if (match.found === 'path') {
      if (method === 'OPTIONS' && match.route.ownPagesOnly !== true) return preflight(match.allow);
      const allow = match.allow.join(', ');
      const message = `${exchange.path.slice(0, 200)} takes ${allow}, not ${method.slice(0, 20)}.`;
      throw new GatewayError('method_not_allowed', message, { headers: { allow } });
    }
    if (draining && match.route.whileDraining !== true) throw shuttingDown();
    if (inFlight + options.streaming() > options.limits.concurrentRequestsMax) throw overloaded();
    exchange.params = match.params;
    if (canUpgrade(match.route) && asksForSocket(exchange.request.headers)) return upgrade(exchange, match.route);
    return match.route.handle(exchange);
  };

  const fail = (exchange: OpenExchange, error: unknown): Response => {
    exchange.stamped = false;
    const { route } = exchange;
    if (route === undefined) throw error;
    if (!exchange.recorded && route.ownPagesOnly !== true && route.unrecorded !== true) {
      options.onRefused(error, exchange);
    }
    return route.writeError(error, exchange);
  };

  const finish = (exchange: OpenExchange, response: Answer): Answer => {
    inFlight--;
    if (response === undefined) {
      options.onAnswer(101);
      return undefined;
    }
    if (!exchange.stamped) {
      response.headers.set('x-request-id', exchange.requestId);
      keepPrivate(response.headers);
    }
    if (exchange.request.headers.get('origin') !== null && exchange.route?.ownPagesOnly !== true) {
      for (const [name, value] of Object.entries(corsHeaders)) response.headers.set(name, value);
    }
    if (leaving) response.headers.set('connection', 'close');
    options.onAnswer(response.status);
    return response;
  };

  const server = Bun.serve<SocketData>({
    hostname: options.host,
    port: options.port,
    // Each route has its own limit and answers by itself. The runtime's would cut the connection, and with it the answer.
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    idleTimeout: Math.min(Math.ceil(options.bodyTimeoutMs / 1000), idleSecondsMax),
    development: false,
    // Two gateways on one port would each get half of the requests.
    reusePort: options.reusePort === true,
    websocket: sockets.runtime,
    fetch(request, self) {
      const exchange = new OpenExchange(request, self, options);
      inFlight++;
      try {
        const answered = dispatch(exchange);
        if (!(answered instanceof Promise)) return finish(exchange, answered);
        return answered.then(
          (response) => finish(exchange, response),
          (error: unknown) => finish(exchange, fail(exchange, error)),
        );
      } catch (error) {
        return finish(exchange, fail(exchange, error));
      }
    },
    error(error) {
      // Only failures outside every handler arrive here; the client gets no internal details.
      console.error(`Weir could not answer a request: ${error.message}`);
      return new Response(
        '{"error":{"message":"Internal error.","type":"server_error","param":"","code":"internal_error"}}',
        {
          status: 500,
          headers: { 'content-type': 'application/json' },
        },
      );
    },
  });

  return {
    port: server.port ?? options.port,
    host: options.host,
    get inFlight() {
      return inFlight;
    },
    leave() {
      leaving = true;
    },
    drain() {
      draining = true;
      sockets.drain();
      // A load balancer that finds the port closed tries the next replica, also with a POST: nothing of it was sent.
      void server.stop(false);
    },
    stop(force) {
      // Before that each closes by itself, after the last event of what runs on it.
      if (force) sockets.closeAll();
      return server.stop(force);
    },
  };
}

class OpenExchange implements Exchange {
  readonly request: Request;
  readonly requestId: string;
  readonly path: string;
  readonly query: string;
  readonly startedAtMs: number;
  params: Readonly<Record<string, string>> = noParams;
  stamped = false;
  tokenId = '';
  endpoint = '';
  recorded = false;
  /** Set once a path was found; it determines the format of errors. */
  route: Route | undefined;
  readonly #server: Bun.Server<SocketData>;
  readonly #options: ListenerOptions;

  constructor(request: Request, server: Bun.Server<SocketData>, options: ListenerOptions) {
    this.request = request;
    this.requestId = options.newRequestId();
    this.startedAtMs = options.nowMs();
    this.#server = server;
    this.#options = options;
    // Cheaper than a URL object, and the listener needs only these two. If the host is absent (HTTP/1.0) or malformed,
    // the runtime gives the path alone.
    const { url } = request;
    const start = url.charCodeAt(0) === slash ? 0 : url.indexOf('/', url.indexOf('://') + 3);
    const mark = url.indexOf('?', start);
    this.path = start === -1 ? '/' : plainPath(mark === -1 ? url.slice(start) : url.slice(start, mark));
    this.query = mark === -1 ? '' : url.slice(mark + 1);
  }

  origin(): string {
    const { host } = this.#options;
    const own = `${host.includes(':') ? `[${host}]` : host}:${this.#server.port ?? this.#options.port}`;
    return `http://${properHost(this.request.headers.get('host')) ?? own}`;
  }

  isLocal(): boolean {
    const { headers } = this.request;
    if (forwardingHeaders.some((name) => headers.get(name) !== null)) return false;
    return isLoopback(this.#server.requestIP(this.request)?.address ?? '');
  }

  address(): string {
    const peer = this.#server.requestIP(this.request)?.address ?? '';
    return this.#options.clientAddress(peer, this.request.headers.get('x-forwarded-for'));
  }

  isSecure(): boolean {
    const said = this.request.headers.get('x-forwarded-proto');
    // The last value is from the nearest proxy.
    if (said?.split(',').at(-1)?.trim().toLowerCase() !== 'https') return false;
    return this.#options.isTrustedProxy(this.#server.requestIP(this.request)?.address ?? '');
  }

  keepOpen(): void {
    this.#server.timeout(this.request, 0);
  }

  /** The header is always set: otherwise the runtime answers with the first sub-protocol, which may be a credential. */
  upgrade(data: SocketData, protocol: string): boolean {
    return this.#server.upgrade(this.request, { data, headers: { 'sec-websocket-protocol': protocol } });
  }
}

/** Programs that look for open doors send none; a client with a wrong base URL does, and its operator will search for it. */
function carriesCredential(headers: Headers): boolean {
  return credentialHeaders.some((name) => headers.get(name) !== null);
}

const credentialHeaders = ['authorization', 'x-api-key', 'api-key', 'x-goog-api-key'];

function canUpgrade(route: Route): route is Route & Required<Pick<Route, 'upgrade'>> {
  return route.upgrade !== undefined;
}

const noParams: Readonly<Record<string, string>> = Object.freeze({});
const slash = 0x2f;
/** What proxies add. */
const forwardingHeaders = ['x-forwarded-for', 'forwarded', 'via', 'x-real-ip', 'x-forwarded-host', 'x-forwarded-proto'];

function isLoopback(address: string): boolean {
  return address === '::1' || /^(?:::ffff:)?127\./.test(address);
}

function preflight(allow: readonly string[]): Response {
  return new Response(null, {
    status: 204,
    headers: {
      ...corsHeaders,
      'access-control-allow-methods': [...allow, 'OPTIONS'].join(', '),
      'access-control-allow-headers': '*, authorization',
      'access-control-max-age': '86400',
    },
  });
}

function pathNotFound(path: string, meant: string | undefined): GatewayError {
  const hint = meant === undefined ? '' : ` There is ${meant}: check the base URL that your client uses.`;
  return new GatewayError('path_not_found', `Path ${path.slice(0, 200)} not found.${hint}`);
}

function shuttingDown(): GatewayError {
  return new GatewayError('shutting_down', 'This Weir is shutting down. Try again; another one answers.', {
    headers: { connection: 'close' },
    retryAfterMs: 1000,
  });
}

function overloaded(): GatewayError {
  return new GatewayError(
    'gateway_overloaded',
    'Weir has reached its limit of concurrent requests. Try again in a moment.',
    {
      retryAfterMs: 1000,
    },
  );
}

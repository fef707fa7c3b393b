/**
 * The HTTP server: accepts, finds the route, answers preflights, and turns a handler's exception into the route's
 * error.
 */

import { GatewayError } from '../conversation/gateway-error.ts';
import { type FramingError, HeadTimeoutError, HeadTooLargeError } from '../framing/framing-error.ts';
import type { Exchange } from './exchange.ts';
import { type ExchangeOptions, OpenExchange } from './open-exchange.ts';
import { keepPrivate } from './private-headers.ts';
import { type Reply, WholeReply } from './reply.ts';
import type { RequestHeaders } from './request-headers.ts';
import { type ReadOtherPath, type Route, RouteTable } from './route-table.ts';
import type { ClientConnection } from './server/client-connection.ts';
import type { IncomingRequest } from './server/incoming-request.ts';
import { VersionError } from './server/request-head.ts';
import { Server } from './server/server.ts';
import { asksForSocket, Sockets } from './websocket/sockets.ts';

interface ListenerOptions extends Omit<ExchangeOptions, 'address'> {
  readonly host: string;
  readonly port: number;
  /** Other processes of the same gateway listen on the port too. */
  readonly reusePort?: boolean;
  readonly routes: readonly Route[];
  /** Further spellings of the routes' paths. */
  readonly otherPath?: ReadOtherPath;
  /** Answers paths without a route, in the error format of the path's prefix. */
  writeUnknown(error: GatewayError, exchange: Exchange): Reply;
  readonly bodyTimeoutMs: number;
  /** Read for every request: the setting may change while Weir runs. */
  readonly limits: { readonly concurrentRequestsMax: number };
  /** The largest message of a WebSocket. */
  readonly messageBytesMax: number;
  /** The most that is buffered for a WebSocket client that does not read. */
  readonly backlogBytesMax: number;
  /** Replies whose head was sent and whose body is still being sent. */
  streaming(): number;
  /** Is there too little memory for another request? */
  memoryIsShort?(): boolean;
  /** How long a client may not read its reply, where that is not `bodyTimeoutMs`. */
  unreadMs?(): number;
  /** Called for every request that fails before its work records the outcome; not for the console and monitoring. */
  onRefused(error: unknown, exchange: Exchange): void;
  /** Called for every request that ended, for metrics. */
  onAnswer(status: number): void;
}

interface Listener {
  readonly port: number;
  readonly host: string;
  readonly inFlight: number;
  /** Ends connections whose clients are behind, until they held so much memory. Returns how many. */
  shed(bytes: number): number;
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
type Answer = Reply | undefined;

function open(options: ListenerOptions): Listener {
  const table = new RouteTable(options.routes, options.otherPath);
  let inFlight = 0;
  let leaving = false;
  let draining = false;
  const refusal = (): GatewayError | undefined => {
    if (draining) return shuttingDown();
    if (options.memoryIsShort?.() === true) return shortOfMemory();
    return isFull() ? overloaded() : undefined;
  };
  const isFull = (): boolean => inFlight + options.streaming() > options.limits.concurrentRequestsMax;
  const sockets = new Sockets({
    messageBytesMax: options.messageBytesMax,
    backlogBytesMax: options.backlogBytesMax,
    socketsMax: () => options.limits.concurrentRequestsMax,
    refusal,
    report: (error) => void internalError(error),
  });

  const upgrade = async (
    exchange: OpenExchange,
    connection: ClientConnection,
    route: Required<Pick<Route, 'upgrade'>>,
  ): Promise<undefined> => {
    if (exchange.request.head.length !== 0)
      throw new GatewayError('header_invalid', 'A WebSocket handshake has no body.', { param: 'content-length' });
    const key = sockets.check(exchange.request.headers);
    const { handler, protocol } = await route.upgrade(exchange);
    if (!draining && sockets.accept(connection, { key, protocol, handler })) return undefined;
    handler.closed(1006, '');
    if (draining) throw shuttingDown();
    throw new GatewayError('upgrade_required', 'This request cannot become a WebSocket.');
  };

  const dispatch = (exchange: OpenExchange, connection: ClientConnection): Answer | Promise<Answer> => {
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
    if (isFull()) throw overloaded();
    if (match.route.whileDraining !== true && options.memoryIsShort?.() === true) throw shortOfMemory();
    exchange.params = match.params;
    if (canUpgrade(match.route) && asksForSocket(exchange.request.headers)) {
      return upgrade(exchange, connection, match.route);
    }
    return match.route.handle(exchange);
  };

  const fail = (exchange: OpenExchange, error: unknown): Reply => {
    exchange.stamped = false;
    const { route } = exchange;
    if (route === undefined) return internalError(error);
    if (!exchange.recorded && route.ownPagesOnly !== true && route.unrecorded !== true) {
      options.onRefused(error, exchange);
    }
    return route.writeError(error, exchange);
  };

  const stamp = (exchange: OpenExchange, { status, headers }: Reply): void => {
    if (!exchange.stamped) {
      headers.set('x-request-id', exchange.requestId);
      keepPrivate(headers);
    }
    if (exchange.request.headers.has('origin') && exchange.route?.ownPagesOnly !== true) {
      for (const [name, value] of Object.entries(corsHeaders)) headers.set(name, value);
    }
    // The client of a refused WebSocket may have sent frames ahead, which are no requests.
    const endsConnection = leaving || (status >= 400 && asksForSocket(exchange.request.headers));
    if (endsConnection) headers.set('connection', 'close');
  };

  const finish = (exchange: OpenExchange, reply: Answer): Answer => {
    if (reply !== undefined) stamp(exchange, reply);
    options.onAnswer(reply?.status ?? 101);
    // Last: what fails before it is answered by `failed`, which counts too.
    inFlight--;
    return reply;
  };

  const failed = (exchange: OpenExchange, error: unknown): Answer => {
    try {
      return finish(exchange, fail(exchange, error));
    } catch (fault) {
      inFlight--;
      return internalError(fault);
    }
  };

  const address = { host: options.host, port: options.port };
  const exchangeOptions: ExchangeOptions = { ...options, address };

  const handle = (request: IncomingRequest, connection: ClientConnection): Answer | Promise<Answer> => {
    const exchange = new OpenExchange(request, exchangeOptions);
    inFlight++;
    try {
      const answered = dispatch(exchange, connection);
      if (!(answered instanceof Promise)) return finish(exchange, answered);
      return answered.then((reply) => finish(exchange, reply)).catch((error: unknown) => failed(exchange, error));
    } catch (error) {
      return failed(exchange, error);
    }
  };

  const server = new Server({
    host: options.host,
    port: options.port,
    // Two gateways on one port would each get half of the requests.
    reusePort: options.reusePort === true,
    silentMs: options.bodyTimeoutMs,
    ...(options.unreadMs !== undefined && { unreadMs: options.unreadMs }),
    handle,
    refuse: refused,
    replaceUnsendable: internalError,
    report: (error) => void internalError(error),
  });
  address.port = server.port;

  return {
    port: server.port,
    host: options.host,
    get inFlight() {
      return inFlight;
    },
    shed: (bytes) => server.shed(bytes),
    leave() {
      leaving = true;
    },
    drain() {
      draining = true;
      sockets.drain();
      // A load balancer that finds the port closed tries the next replica, also with a POST: nothing of it was sent.
      server.close();
    },
    async stop(force) {
      server.close();
      if (force) {
        sockets.closeAll();
        server.terminateAll();
      }
      // Before that each closes by itself, after the last event of what runs on it.
      await server.ended();
    },
  };
}

/** Programs that look for open doors send none; a client with a wrong base URL does, and its operator will search for it. */
function carriesCredential(headers: RequestHeaders): boolean {
  return credentialHeaders.some((name) => headers.has(name));
}

const credentialHeaders = ['authorization', 'x-api-key', 'api-key', 'x-goog-api-key'];

function canUpgrade(route: Route): route is Route & Required<Pick<Route, 'upgrade'>> {
  return route.upgrade !== undefined;
}

function preflight(allow: readonly string[]): Reply {
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

function shortOfMemory(): GatewayError {
  const message = 'Weir has too little memory left for another request. Try again in a moment.';
  return new GatewayError('gateway_overloaded', message, { retryAfterMs: 1000 });
}

/** A failure outside of every handler; the client gets no internal details. */
function internalError(error: unknown): Reply {
  console.error(`Weir could not answer a request: ${error instanceof Error ? error.message : String(error)}`);
  return errorBody(new GatewayError('internal_error', 'Internal error.'));
}

/** Nothing is known of such a request, not even its path: the error has the shape that most clients read. */
function refused(error: FramingError): Reply {
  return errorBody(new GatewayError('request_malformed', error.message, { status: statusOf(error) }));
}

function statusOf(error: FramingError): number {
  if (error instanceof VersionError) return 505;
  if (error instanceof HeadTooLargeError) return 431;
  return error instanceof HeadTimeoutError ? 408 : 400;
}

function errorBody({ status, message, code, row }: GatewayError): Reply {
  const body = JSON.stringify({ error: { message, type: row.type, param: '', code } });
  return new WholeReply(body, { 'content-type': 'application/json' }, undefined, status);
}

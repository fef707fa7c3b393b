/** The HTTP edge: accepts, finds the route, answers preflights, and turns whatever escapes a handler into that route's error. */

import { GatewayError } from '../conversation/gateway-error.ts';
import type { Exchange } from './exchange.ts';
import { plainPath, type Route, RouteTable } from './route-table.ts';

export interface ListenerOptions {
  readonly host: string;
  readonly port: number;
  readonly routes: readonly Route[];
  /** Answers for paths that no route knows, in the envelope of the path's family. */
  writeUnknown(error: GatewayError, exchange: Exchange): Response;
  /** The largest body of any route; routes set their own lower limits. */
  readonly bodyBytesMax: number;
  readonly bodyTimeoutMs: number;
  readonly concurrentRequestsMax: number;
  newRequestId(): string;
  nowMs(): number;
  clientAddress(peer: string, forwardedFor: string | null): string;
  /** Told of every request that ended, for metrics. */
  onAnswer(path: string, status: number): void;
}

export interface Listener {
  readonly port: number;
  readonly host: string;
  readonly inFlight: number;
  /** Refuses what comes from now on; what runs goes on. */
  drain(): void;
  /** Closes the port; with `force` also what still runs. */
  stop(force: boolean): Promise<void>;
}

const corsHeaders = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': '*',
} as const;

/** The runtime counts whole seconds and knows 255 at most. */
const idleSecondsMax = 255;

export function listen(options: ListenerOptions): Listener {
  const table = new RouteTable(options.routes);
  let inFlight = 0;
  let draining = false;

  const answer = (exchange: Exchange, route: Route): Response | Promise<Response> => {
    try {
      const answered = route.handle(exchange);
      return answered instanceof Promise
        ? answered.catch((error: unknown) => route.writeError(error, exchange))
        : answered;
    } catch (error) {
      return route.writeError(error, exchange);
    }
  };

  const dispatch = (exchange: Exchange, method: string): Response | Promise<Response> => {
    const match = table.find(method, exchange.path);
    if (match.found === 'nothing') {
      return options.writeUnknown(
        new GatewayError('path_not_found', `Weir has no path ${exchange.path.slice(0, 200)}.`),
        exchange,
      );
    }
    if (match.found === 'path') {
      if (method === 'OPTIONS') return preflight(match.allow);
      const allow = match.allow.join(', ');
      const message = `${exchange.path.slice(0, 200)} takes ${allow}, not ${method.slice(0, 20)}.`;
      return match.route.writeError(new GatewayError('method_not_allowed', message, { headers: { allow } }), exchange);
    }
    if (draining) return match.route.writeError(shuttingDown(), exchange);
    if (inFlight > options.concurrentRequestsMax) return match.route.writeError(overloaded(), exchange);
    return answer({ ...exchange, params: match.params }, match.route);
  };

  const finish = (exchange: Exchange, response: Response): Response => {
    response.headers.set('x-request-id', exchange.requestId);
    if (exchange.request.headers.get('origin') !== null) {
      for (const [name, value] of Object.entries(corsHeaders)) response.headers.set(name, value);
    }
    options.onAnswer(exchange.path, response.status);
    return response;
  };

  const server = Bun.serve({
    hostname: options.host,
    port: options.port,
    maxRequestBodySize: options.bodyBytesMax,
    idleTimeout: Math.min(Math.ceil(options.bodyTimeoutMs / 1000), idleSecondsMax),
    development: false,
    async fetch(request, self) {
      const { path, query } = splitUrl(request.url);
      const exchange: Exchange = {
        request,
        requestId: options.newRequestId(),
        path: plainPath(path),
        query,
        params: {},
        startedAtMs: options.nowMs(),
        address: () =>
          options.clientAddress(self.requestIP(request)?.address ?? '', request.headers.get('x-forwarded-for')),
        keepOpen: () => self.timeout(request, 0),
      };
      inFlight++;
      try {
        return finish(exchange, await dispatch(exchange, request.method));
      } finally {
        inFlight--;
      }
    },
    error(error) {
      // Only what fails outside every handler arrives here; the client learns nothing of its inside.
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
    drain() {
      draining = true;
    },
    stop: (force) => server.stop(force),
  };
}

/** Cheaper than a URL object, and the listener needs no more than these two. */
function splitUrl(url: string): { path: string; query: string } {
  const start = url.indexOf('/', url.indexOf('://') + 3);
  if (start === -1) return { path: '/', query: '' };
  const mark = url.indexOf('?', start);
  if (mark === -1) return { path: url.slice(start), query: '' };
  return { path: url.slice(start, mark), query: url.slice(mark + 1) };
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

function shuttingDown(): GatewayError {
  return new GatewayError('shutting_down', 'This Weir is shutting down. Try again; another one answers.', {
    headers: { connection: 'close' },
    retryAfterMs: 1000,
  });
}

function overloaded(): GatewayError {
  return new GatewayError('gateway_overloaded', 'Weir has as many requests as it can hold. Try again in a moment.', {
    retryAfterMs: 1000,
  });
}

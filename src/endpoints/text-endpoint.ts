/** Makes a route of a wire format: everything a conversation endpoint does apart from its path and its format. */

import type { Caller } from '../access/caller.ts';
import type { Carrier } from '../access/credential.ts';
import type { Format } from '../formats/format.ts';
import { arrivedNow } from '../http/arrived-now.ts';
import type { Deadlines } from '../http/deadlines.ts';
import type { Exchange } from '../http/exchange.ts';
import { readJsonBody } from '../http/json-body.ts';
import { readBody, requireJson } from '../http/read-body.ts';
import type { Route } from '../http/route-table.ts';
import type { Relay } from '../relay/relay.ts';
import type { Admit } from './admit.ts';
import { errorReply, type Report } from './error-reply.ts';

export interface TextEndpoint {
  /** What a token's list of allowed endpoints calls it. */
  readonly name: string;
  readonly path: string;
  readonly carriers: readonly Carrier[];
  readonly format: Format;
}

export interface TextParts {
  readonly admit: Admit;
  readonly relay: Relay;
  readonly report: Report;
  readonly bodyBytesMax: number;
  readonly bodyTimeoutMs: number;
  readonly jsonDepthMax: number;
  readonly deadlines: Deadlines;
}

export function textRoute(endpoint: TextEndpoint, parts: TextParts): Route {
  const limits = { bytesMax: parts.bodyBytesMax, timeoutMs: parts.bodyTimeoutMs, deadlines: parts.deadlines };

  const relay = (exchange: Exchange, caller: Caller, bytes: Uint8Array<ArrayBuffer>): Promise<Response> => {
    const { request } = exchange;
    exchange.stamped = true;
    return parts.relay.handle({
      requestId: exchange.requestId,
      endpoint: endpoint.name,
      format: endpoint.format,
      caller,
      body: readJsonBody(bytes, parts.jsonDepthMax),
      startedAtMs: exchange.startedAtMs,
      hasLeft: () => request.signal.aborted,
      keepOpen: () => exchange.keepOpen(),
      headers: request.headers,
    });
  };

  const read = (exchange: Exchange, caller: Caller): Promise<Response> => {
    requireJson(exchange.request);
    const arriving = readBody(exchange.request, limits);
    const bytes = arrivedNow(arriving);
    return bytes === undefined
      ? arriving.then((late) => relay(exchange, caller, late))
      : relay(exchange, caller, bytes);
  };

  return {
    method: 'POST',
    path: endpoint.path,
    writeError: (error, exchange) => errorReply(error, endpoint.format, exchange, parts.report),
    // Nothing here waits where it need not: for a known token with a small body this is one straight call.
    handle(exchange) {
      const caller = parts.admit(exchange, endpoint.name, endpoint.carriers);
      return caller instanceof Promise ? caller.then((known) => read(exchange, known)) : read(exchange, caller);
    },
  };
}

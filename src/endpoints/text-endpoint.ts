/** Makes a route of a wire format: everything a conversation endpoint does apart from its path and its format. */

import type { Carrier } from '../access/credential.ts';
import type { Format } from '../formats/format.ts';
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
}

export function textRoute(endpoint: TextEndpoint, parts: TextParts): Route {
  const limits = { bytesMax: parts.bodyBytesMax, timeoutMs: parts.bodyTimeoutMs };
  return {
    method: 'POST',
    path: endpoint.path,
    writeError: (error, exchange) => errorReply(error, endpoint.format, exchange, parts.report),
    async handle(exchange) {
      const { request } = exchange;
      const caller = await parts.admit(exchange, endpoint.name, endpoint.carriers);
      requireJson(request);
      const bytes = await readBody(request, limits);
      exchange.keepOpen();
      return parts.relay.handle({
        requestId: exchange.requestId,
        endpoint: endpoint.name,
        format: endpoint.format,
        caller,
        body: readJsonBody(bytes, parts.jsonDepthMax),
        startedAtMs: exchange.startedAtMs,
        clientSignal: request.signal,
        headers: request.headers,
      });
    },
  };
}

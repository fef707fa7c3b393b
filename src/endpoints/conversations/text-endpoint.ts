/** Creates the route of a wire format: everything a conversation endpoint does apart from its path and its format. */

import type { Carrier } from '../../access/credential.ts';
import type { NamedRequest } from '../../formats/codec.ts';
import type { Format } from '../../formats/format.ts';
import type { Bodies } from '../../http/bodies.ts';
import type { Deadlines } from '../../http/deadlines.ts';
import type { Exchange } from '../../http/exchange.ts';
import type { Reply } from '../../http/reply.ts';
import type { RequestHeaders } from '../../http/request-headers.ts';
import type { Route } from '../../http/route-table.ts';
import type { Relay } from '../../relay/relay.ts';
import type { EndpointName } from '../../snippets/endpoints.ts';
import type { Admit, Entry, EntryRule } from '../admit.ts';
import { errorReply, type Report } from '../error-reply.ts';
import { type TakenBody, takeBody, withPathModel } from '../take-body.ts';

export interface TextEndpoint {
  /** Its name in a token's list of allowed endpoints. */
  readonly name: EndpointName;
  readonly path: string;
  readonly carriers: readonly Carrier[];
  readonly format: Format;
  /** Checks the request's head before anything else; throws a GatewayError. */
  checkHead?(headers: RequestHeaders): void;
}

/** Answers a request of a conversation endpoint; `named` holds the path's parameters. */
type TextHandler = (exchange: Exchange, format: Format, named?: NamedRequest) => Reply | Promise<Reply>;

export interface TextParts {
  readonly admit: Admit;
  readonly relay: Relay;
  readonly report: Report;
  readonly bodies: Bodies;
  readonly deadlines: Deadlines;
}

export function textRoute(endpoint: TextEndpoint, parts: TextParts): Route {
  const answer = textHandler(endpoint, parts);
  return {
    method: 'POST',
    path: endpoint.path,
    writeError: (error, exchange) => errorReply(error, endpoint.format, exchange, parts.report),
    handle(exchange) {
      endpoint.checkHead?.(exchange.request.headers);
      return answer(exchange, endpoint.format);
    },
  };
}

/** No unnecessary await: for a cached token with a small body this is synchronous. */
export function textHandler(endpoint: Pick<TextEndpoint, 'name' | 'carriers'>, parts: TextParts): TextHandler {
  const rule: EntryRule = { endpoint: endpoint.name, carriers: endpoint.carriers, counted: 'requests', reserves: true };

  const relay = (
    exchange: Exchange,
    format: Format,
    named: NamedRequest | undefined,
    { caller }: Entry,
    { body, admission }: TakenBody,
  ): Promise<Reply> => {
    const { request } = exchange;
    exchange.stamped = true;
    exchange.recorded = true;
    return parts.relay.handle({
      requestId: exchange.requestId,
      endpoint: endpoint.name,
      format,
      caller,
      admission,
      body: withPathModel(exchange, body),
      named,
      startedAtMs: exchange.startedAtMs,
      hasLeft: () => exchange.hasLeft(),
      headers: request.headers,
    });
  };

  const read = (exchange: Exchange, format: Format, named: NamedRequest | undefined, entry: Entry): Promise<Reply> => {
    const taken = takeBody(parts.bodies, exchange.request, entry);
    return taken instanceof Promise
      ? taken.then((late) => relay(exchange, format, named, entry, late))
      : relay(exchange, format, named, entry, taken);
  };

  return (exchange, format, named) => {
    const entry = parts.admit(exchange, rule, exchange.requestId);
    if (entry instanceof Promise) return entry.then((known) => read(exchange, format, named, known));
    return read(exchange, format, named, entry);
  };
}

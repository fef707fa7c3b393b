/** Counts a request's tokens, for the formats that have such an endpoint. */

import type { Carrier } from '../../access/credential.ts';
import type { NamedRequest } from '../../formats/codec.ts';
import type { Format } from '../../formats/format.ts';
import type { Exchange } from '../../http/exchange.ts';
import { emptyBody } from '../../http/json/json-body.ts';
import { requireJson } from '../../http/read-body.ts';
import type { Reply } from '../../http/reply.ts';
import type { Route } from '../../http/route-table.ts';
import type { CountInput } from '../../relay/count-input.ts';
import type { EndpointName } from '../../snippets/endpoints.ts';
import { type EntryRule, withEntry } from '../admit.ts';
import { errorReply } from '../error-reply.ts';
import type { TextEndpoint, TextParts } from './text-endpoint.ts';

export interface CountParts extends TextParts {
  readonly countInput: CountInput;
}

interface CountEndpoint {
  /** A token that may call the format's endpoint may count for it. */
  readonly name: EndpointName;
  readonly carriers: readonly Carrier[];
  readonly format: Format;
}

export function countHandler(
  { name, carriers, format }: CountEndpoint,
  parts: CountParts,
): (exchange: Exchange, named?: NamedRequest) => Promise<Reply> {
  const rule: EntryRule = { endpoint: name, carriers, counted: 'counting' };
  return (exchange, named) => {
    const { counting } = format;
    if (counting === undefined) throw new Error(`The format ${format.name} does not support counting tokens.`);
    return withEntry(parts.admit(exchange, rule, exchange.requestId), async (caller) => {
      requireJson(exchange.request);
      return parts.bodies.within(exchange.request, caller.tokenId, async (body) => {
        if (body === undefined) throw emptyBody();
        const tokens = await parts.countInput({ format, counting, caller, body, named });
        return Response.json(counting.writeCount(tokens));
      });
    });
  };
}

/** A path below a conversation endpoint that takes the same body and only counts it. */
export function countRoute(endpoint: TextEndpoint, path: string, parts: CountParts): Route {
  const count = countHandler(endpoint, parts);
  return {
    method: 'POST',
    path,
    writeError: (error, exchange) => errorReply(error, endpoint.format, exchange, parts.report),
    handle(exchange) {
      endpoint.checkHead?.(exchange.request.headers);
      return count(exchange);
    },
  };
}

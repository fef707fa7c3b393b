/** `GET /v1/results/{id}`: a result at the signed URL of a reply; the signature replaces the token. */

import { GatewayError } from '../conversation/gateway-error.ts';
import { openaiChat } from '../formats/openai-chat/format.ts';
import type { Exchange } from '../http/exchange.ts';
import { resultReply, type ServedResult } from '../http/file-reply.ts';
import type { Route } from '../http/route-table.ts';
import { errorReply, type Report } from './error-reply.ts';
import { requireStanding, type StandingOf } from './signed-address.ts';

interface KeptResult extends ServedResult {
  /** The token whose request made it. */
  readonly tokenId: string;
}

export interface ResultParts {
  readonly report: Report;
  readonly standingOf: StandingOf;
  findResult(id: string, query: URLSearchParams): Promise<KeptResult | undefined>;
}

export function resultRoutes(parts: ResultParts): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/v1/results/{id}',
      writeError: (error, exchange) => errorReply(error, openaiChat, exchange, parts.report),
      async handle(exchange: Exchange) {
        const found = await parts.findResult(exchange.params['id'] ?? '', new URLSearchParams(exchange.query));
        if (found !== undefined) await requireStanding(parts.standingOf, found.tokenId);
        const reply = found && (await resultReply(found, exchange.request.headers));
        if (reply === undefined) throw new GatewayError('not_found', 'This result does not exist or has expired.');
        return reply;
      },
    },
  ];
}

/** `GET /v1/results/{id}`: a result behind the signed address that a reply gave; no token is needed, the signature is one. */

import { GatewayError } from '../conversation/gateway-error.ts';
import { openaiChat } from '../formats/openai-chat/format.ts';
import type { Exchange } from '../http/exchange.ts';
import { fileReply } from '../http/file-reply.ts';
import type { Route } from '../http/route-table.ts';
import { errorReply, type Report } from './error-reply.ts';
import { requireStanding, type StandingOf } from './signed-address.ts';

export interface KeptResult {
  readonly path: string;
  readonly mediaType: string;
  readonly bytes: number;
  readonly expiresAtMs: number;
  /** The token that it was made for. */
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
        if (found === undefined) throw new GatewayError('not_found', 'There is no such result, or no longer.');
        await requireStanding(parts.standingOf, found.tokenId);
        return fileReply(found, exchange.request.headers);
      },
    },
  ];
}

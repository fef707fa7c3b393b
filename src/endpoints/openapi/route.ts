/** `GET /openapi.json`: the description of the public API, with the URL of the request. */

import { openaiChat } from '../../formats/openai-chat/format.ts';
import { apiAddress } from '../../http/pages/home.ts';
import type { Route } from '../../http/route-table.ts';
import { errorReply, type Report } from '../error-reply.ts';

interface OpenApiParts {
  readonly publicUrl: string | undefined;
  readonly version: string;
  readonly report: Report;
}

export function openApiRoute({ publicUrl, version, report }: OpenApiParts): Route {
  return {
    method: 'GET',
    path: '/openapi.json',
    writeError: (error, exchange) => errorReply(error, openaiChat, exchange, report),
    async handle(exchange) {
      // Built on the first request, so that no start waits for it.
      const { openApiDocument } = await import('./document.ts');
      const origin = apiAddress(publicUrl ?? exchange.origin()).replace(/\/v1$/, '');
      return Response.json(openApiDocument({ origin, version }), {
        headers: { 'cache-control': 'no-cache', 'x-content-type-options': 'nosniff' },
      });
    },
  };
}

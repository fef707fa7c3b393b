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

/** In the place of the URL, which only a request knows. */
const originMark = 'https://origin.invalid';

export function openApiRoute({ publicUrl, version, report }: OpenApiParts): Route {
  let text: Promise<string> | undefined;
  /** Made by the first request, so that no start waits for it, and once: it is large. */
  async function write(): Promise<string> {
    const { openApiDocument } = await import('./document.ts');
    return JSON.stringify(openApiDocument({ origin: originMark, version }));
  }
  return {
    method: 'GET',
    path: '/openapi.json',
    writeError: (error, exchange) => errorReply(error, openaiChat, exchange, report),
    async handle(exchange) {
      text ??= write();
      const origin = apiAddress(publicUrl ?? exchange.origin()).replace(/\/v1$/, '');
      const body = (await text).replace(JSON.stringify(originMark), () => JSON.stringify(origin));
      return new Response(body, {
        headers: {
          'content-type': 'application/json;charset=utf-8',
          'cache-control': 'no-cache',
          'x-content-type-options': 'nosniff',
        },
      });
    },
  };
}

/** `/` and what it loads: the page that shows the base address. */

import { openaiChat } from '../formats/openai-chat/format.ts';
import { homePage, pageAssets, pageSecurityHeaders } from '../http/pages/home.ts';
import type { Route } from '../http/route-table.ts';
import { errorReply, type Report } from './error-reply.ts';

export function homeRoutes(parts: {
  readonly publicUrl: string | undefined;
  readonly report: Report;
}): readonly Route[] {
  const writeError: Route['writeError'] = (error, exchange) => errorReply(error, openaiChat, exchange, parts.report);
  const page: Route = {
    method: 'GET',
    path: '/',
    writeError,
    handle({ request }) {
      const baseUrl = parts.publicUrl ?? new URL(request.url).origin;
      const { body, headers } = homePage({ baseUrl });
      return new Response(body, { headers });
    },
  };
  const assets = Object.entries(pageAssets).map(
    ([path, { body, type }]): Route => ({
      method: 'GET',
      path,
      writeError,
      handle: () =>
        new Response(body, { headers: { ...pageSecurityHeaders, 'content-type': type, 'cache-control': 'no-cache' } }),
    }),
  );
  return [page, ...assets];
}

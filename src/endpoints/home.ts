/** `/` and what it loads: the page that shows the base address. */

import { openaiChat } from '../formats/openai-chat/format.ts';
import { assetReply } from '../http/pages/asset-reply.ts';
import type { ConsoleFiles } from '../http/pages/console-files.ts';
import { homeFiles, homeHidden, homePage } from '../http/pages/home.ts';
import type { Route } from '../http/route-table.ts';
import type { Catalogue } from '../routing/catalogue.ts';
import { errorReply, type Report } from './error-reply.ts';

export interface HomeParts {
  readonly publicUrl: string | undefined;
  readonly report: Report;
  readonly consoleFiles: ConsoleFiles;
  readonly catalogue: Catalogue;
  /** Read for every page: it may change while Weir runs. */
  readonly home: { readonly shown: boolean; readonly title: string | undefined; readonly text: string | undefined };
}

/** Always answers the same way and needs no key, which is what a first call needs. */
const friendliestModel = 'sandbox-chat';

export function homeRoutes(parts: HomeParts): readonly Route[] {
  const writeError: Route['writeError'] = (error, exchange) => errorReply(error, openaiChat, exchange, parts.report);
  const model = (): string => {
    const served = parts.catalogue.served().map(({ id }) => id);
    return served.includes(friendliestModel) ? friendliestModel : (served[0] ?? friendliestModel);
  };
  const page: Route = {
    method: 'GET',
    path: '/',
    writeError,
    async handle(exchange) {
      const { request } = exchange;
      if (!parts.home.shown) return homeHidden();
      // The address is what people come for: it is shown also where the console cannot be built.
      const pack = await parts.consoleFiles.pack().catch(() => undefined);
      return homePage({
        baseUrl: parts.publicUrl ?? exchange.origin(),
        model: model(),
        acceptLanguage: request.headers.get('accept-language'),
        entries: pack?.entries,
        own: parts.home,
      });
    },
  };
  const assets = homeFiles.map(
    (file): Route => ({
      method: 'GET',
      path: file.path,
      writeError,
      handle: ({ request }) => assetReply(file, request.headers),
    }),
  );
  return [page, ...assets];
}

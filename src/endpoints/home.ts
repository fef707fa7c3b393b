/** `/` and what it loads: the page that shows the base URL. */

import { openaiChat } from '../formats/openai-chat/format.ts';
import { assetReply } from '../http/pages/asset-reply.ts';
import type { ConsoleFiles } from '../http/pages/console-files.ts';
import { homeFiles, homeHidden, homePage } from '../http/pages/home.ts';
import type { Route } from '../http/route-table.ts';
import type { Catalogue, ServedModel } from '../routing/catalogue.ts';
import { errorReply, type Report } from './error-reply.ts';
import type { ModelParts } from './models.ts';

export interface HomeParts extends Pick<ModelParts, 'factsOf'> {
  readonly publicUrl: string | undefined;
  readonly report: Report;
  readonly consoleFiles: ConsoleFiles;
  readonly catalogue: Catalogue;
  /** Read for every page: the setting may change while Weir runs. */
  readonly home: { readonly shown: boolean; readonly title: string | undefined; readonly text: string | undefined };
}

/** Always gives the same reply and needs no key: the model of a first call if there is no other. */
const friendliestModel = 'sandbox-chat';
const conversation = 'converse';

export function homeRoutes(parts: HomeParts): readonly Route[] {
  const writeError: Route['writeError'] = (error, exchange) => errorReply(error, openaiChat, exchange, parts.report);
  const page: Route = {
    method: 'GET',
    path: '/',
    writeError,
    async handle(exchange) {
      const { request } = exchange;
      if (!parts.home.shown) return homeHidden();
      // The base URL is shown even if the console cannot be built.
      const pack = await parts.consoleFiles.pack().catch(() => undefined);
      return homePage({
        baseUrl: parts.publicUrl ?? exchange.origin(),
        model: shownModel(parts),
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

/**
 * People paste what they see, so it is a useful model: one of a provider other than the sandbox that can hold a
 * conversation. A name that the operator configured comes first, then one of a known family; a provider's list has no
 * useful order.
 */
function shownModel({ catalogue, factsOf }: HomeParts): string {
  const served = catalogue.served();
  const friendliest = served.find(({ id }) => id === friendliestModel);
  const sandbox = friendliest?.targets[0]?.provider;
  const isReal = (model: ServedModel) =>
    model.targets[0]?.provider !== sandbox && factsOf(model).operations?.includes(conversation) !== false;
  const isKnown = ({ targets: [first] }: ServedModel) =>
    first?.profile?.outputTokensMax !== undefined || first?.profile?.thinking !== undefined;
  const shown =
    served.find((model) => model.alias && isReal(model)) ??
    served.find((model) => isKnown(model) && isReal(model)) ??
    served.find(isReal) ??
    friendliest ??
    served[0];
  return shown?.id ?? friendliestModel;
}

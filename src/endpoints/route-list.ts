/** The route table: every path of Weir, and the error format of unknown ones. */

import type { GatewayError } from '../conversation/gateway-error.ts';
import { errorBody as messagesError } from '../formats/anthropic-messages/errors.ts';
import { namesVersion } from '../formats/anthropic-messages/version.ts';
import type { ErrorWriter } from '../formats/format.ts';
import { errorBody as generateError } from '../formats/gemini-generate/errors.ts';
import { geminiGenerate } from '../formats/gemini-generate/format.ts';
import { showsOwnLibrary } from '../formats/gemini-generate/own-library.ts';
import { openaiChat } from '../formats/openai-chat/format.ts';
import type { Exchange } from '../http/exchange.ts';
import type { Reply } from '../http/reply.ts';
import type { Route } from '../http/route-table.ts';
import type { AdminParts } from './admin/admin-route.ts';
import { adminKeyRoutes, adminRoutes } from './admin/admin-routes.ts';
import { type ConsoleParts, consoleRoutes } from './console.ts';
import { chat } from './conversations/chat.ts';
import { cohereChatEndpoint } from './conversations/cohere-chat.ts';
import { compact } from './conversations/compact.ts';
import { completions } from './conversations/completions.ts';
import { type CountParts, countHandler, countRoute } from './conversations/count-tokens.ts';
import { generateCarriers, generateEndpoint, generateRoutes } from './conversations/generate-content.ts';
import { type KeptParts, keptRoutes } from './conversations/kept-responses.ts';
import { messages } from './conversations/messages.ts';
import { responses } from './conversations/responses.ts';
import { responsesSocketRoute, type SocketParts } from './conversations/responses-socket.ts';
import { type TextEndpoint, textRoute } from './conversations/text-endpoint.ts';
import { errorReply, type Report } from './error-reply.ts';
import { type HealthParts, healthRoutes } from './health.ts';
import { type HomeParts, homeRoutes } from './home.ts';
import { type ModelParts, modelRoutes } from './models.ts';
import { agentRoutes } from './oauth/agent-routes.ts';
import { oauthRoutes } from './oauth/oauth-routes.ts';
import { openApiRoute } from './openapi/route.ts';
import type { OperationParts } from './operation-endpoint.ts';
import { allOperationRoutes, embedActions } from './operations.ts';
import { type OwnTokenParts, ownTokenRoutes } from './own-token.ts';
import { type RealtimeParts, realtimeRoutes } from './realtime.ts';
import { type ResultParts, resultRoutes } from './results.ts';
import { scimRoutes } from './scim/scim-routes.ts';
import { issuerRoutes } from './sign-in/issuer-routes.ts';
import { type VideoParts, videoRoutes } from './videos.ts';

const textEndpoints: readonly TextEndpoint[] = [chat, completions, responses, messages, cohereChatEndpoint];

export interface RouteParts
  extends OperationParts,
    ResultParts,
    CountParts,
    ModelParts,
    HealthParts,
    KeptParts,
    SocketParts,
    RealtimeParts,
    VideoParts,
    OwnTokenParts,
    HomeParts,
    ConsoleParts {
  readonly publicUrl: string | undefined;
  readonly console: AdminParts;
}

export function routeList(parts: RouteParts): readonly Route[] {
  const countContent = countHandler(
    { name: generateEndpoint, carriers: generateCarriers, format: geminiGenerate },
    parts,
  );
  return [
    ...textEndpoints.map((endpoint) => textRoute(endpoint, parts)),
    textRoute(compact, parts),
    responsesSocketRoute(parts),
    ...keptRoutes(parts),
    countRoute(messages, '/v1/messages/count_tokens', parts),
    countRoute(responses, '/v1/responses/input_tokens', parts),
    ...allOperationRoutes(parts),
    ...resultRoutes(parts),
    ...videoRoutes(parts),
    ...realtimeRoutes(parts),
    ...modelRoutes(parts),
    ...ownTokenRoutes(parts),
    ...generateRoutes(parts, {
      countTokens: (exchange, model) => countContent(exchange, { model, stream: false }),
      ...embedActions(parts),
    }),
    ...healthRoutes(parts),
    openApiRoute(parts),
    ...homeRoutes(parts),
    ...oauthRoutes(parts.console),
    ...agentRoutes(parts.admit, parts.console),
    ...adminRoutes(parts.console),
    ...adminKeyRoutes(parts.console),
    ...issuerRoutes(parts.console),
    ...scimRoutes(parts.console),
    // Last, because the page matches every path below its own.
    ...consoleRoutes(parts),
  ];
}

const messagesWriter: ErrorWriter = { errorBody: messagesError };
const generateWriter: ErrorWriter = { errorBody: generateError };

/** An unknown path still belongs to a group of client libraries, each of which reads only its own error format. */
const families: readonly { readonly prefix: string; readonly writer: ErrorWriter }[] = [
  { prefix: '/v1/messages', writer: messagesWriter },
  { prefix: '/v1beta/', writer: generateWriter },
  { prefix: '/upload/v1beta/', writer: generateWriter },
  { prefix: '/', writer: openaiChat },
];

/** The headers of the caller's library count before the path: several libraries share paths, such as `/v1/files`. */
export function writeUnknown(error: GatewayError, exchange: Exchange, report: Report): Reply {
  const { headers } = exchange.request;
  if (namesVersion(headers)) return errorReply(error, messagesWriter, exchange, report);
  if (showsOwnLibrary(headers)) return errorReply(error, generateWriter, exchange, report);
  const family = families.find(({ prefix }) => exchange.path.startsWith(prefix));
  return errorReply(error, family?.writer ?? openaiChat, exchange, report);
}

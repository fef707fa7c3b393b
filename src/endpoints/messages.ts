/** `POST /v1/messages` and `POST /v1/messages/count_tokens`. */

import { anthropicMessages } from '../formats/anthropic-messages/format.ts';
import { checkVersion } from '../formats/anthropic-messages/version.ts';
import type { Route } from '../http/route-table.ts';
import { type CountParts, countHandler } from './count-tokens.ts';
import { errorReply } from './error-reply.ts';
import type { TextEndpoint } from './text-endpoint.ts';

export const messages: TextEndpoint = {
  name: 'messages',
  path: '/v1/messages',
  carriers: ['bearer', 'x-api-key'],
  format: anthropicMessages,
  checkHead: checkVersion,
};

export function countRoute(parts: CountParts): Route {
  const count = countHandler(messages, parts);
  return {
    method: 'POST',
    path: '/v1/messages/count_tokens',
    writeError: (error, exchange) => errorReply(error, anthropicMessages, exchange, parts.report),
    handle(exchange) {
      checkVersion(exchange.request.headers);
      return count(exchange);
    },
  };
}

/**
 * `POST /v1beta/models/{model}:{action}`, also below `/v1`: the model and the action are in the path, separated by its
 * last colon.
 */

import type { Carrier } from '../../access/credential.ts';
import { GatewayError } from '../../conversation/gateway-error.ts';
import { geminiGenerate, geminiGenerateArray } from '../../formats/gemini-generate/format.ts';
import type { Exchange } from '../../http/exchange.ts';
import type { Reply } from '../../http/reply.ts';
import type { Route } from '../../http/route-table.ts';
import { errorReply } from '../error-reply.ts';
import { type TextParts, textHandler } from './text-endpoint.ts';

export const generateCarriers: readonly Carrier[] = ['bearer', 'x-goog-api-key', 'query-key'];
export const generateEndpoint = 'generate-content';

/** The actions after the colon. */
export type ModelAction = (exchange: Exchange, model: string) => Reply | Promise<Reply>;

/** The last path is for a library that omits `models/` before a name with a slash. */
const paths = ['/v1/models/{id...}', '/v1beta/models/{id...}', '/v1beta/{id...}'] as const;

export function generateRoutes(parts: TextParts, further: Readonly<Record<string, ModelAction>>): readonly Route[] {
  const answer = textHandler({ name: generateEndpoint, carriers: generateCarriers }, parts);
  const actions: Readonly<Record<string, ModelAction>> = {
    generateContent: (exchange, model) => answer(exchange, geminiGenerate, { model, stream: false }),
    streamGenerateContent: (exchange, model) => {
      const asEvents = new URLSearchParams(exchange.query).get('alt') === 'sse';
      return answer(exchange, asEvents ? geminiGenerate : geminiGenerateArray, { model, stream: true });
    },
    ...further,
  };
  const act = (exchange: Exchange): Reply | Promise<Reply> => {
    const place = exchange.params['id'] ?? '';
    const colon = place.lastIndexOf(':');
    const name = place.slice(colon + 1);
    const action = Object.hasOwn(actions, name) ? actions[name] : undefined;
    if (colon === -1 && namesModel(exchange)) throw onlyRead();
    if (colon <= 0 || action === undefined) throw unknownAction(exchange.path, colon > 0);
    return action(exchange, place.slice(0, colon));
  };
  return paths.map((path) => ({
    method: 'POST',
    path,
    writeError: (error, exchange) => errorReply(error, geminiGenerate, exchange, parts.report),
    handle: act,
  }));
}

/** Without an action the path names a model of the chat formats, unless a library of this format calls it. */
function namesModel({ path, request }: Exchange): boolean {
  return path.startsWith('/v1/models/') && !request.headers.has('x-goog-api-key');
}

function onlyRead(): GatewayError {
  return new GatewayError(
    'method_not_allowed',
    'A model takes GET, or POST with an action: `{model}:generateContent`.',
    {
      headers: { allow: 'GET, HEAD' },
    },
  );
}

function unknownAction(path: string, hasAction: boolean): GatewayError {
  const shown = path.slice(0, 200);
  const message = hasAction ? `Unknown action after the last colon of ${shown}.` : `Path ${shown} not found.`;
  return new GatewayError('path_not_found', message);
}

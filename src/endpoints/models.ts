/**
 * The lists of models, in the shape of the client's library: the models that this token may use, with what is known
 * about each.
 */

import type { Carrier } from '../access/credential.ts';
import { GatewayError } from '../conversation/gateway-error.ts';
import { errorBody as messagesError } from '../formats/anthropic-messages/errors.ts';
import { modelEntry as messagesEntry, modelList as messagesList } from '../formats/anthropic-messages/model-list.ts';
import { namesVersion } from '../formats/anthropic-messages/version.ts';
import type { ErrorWriter } from '../formats/format.ts';
import { errorBody as generateError } from '../formats/gemini-generate/errors.ts';
import { modelEntry as generateEntry, modelList as generateList } from '../formats/gemini-generate/model-list.ts';
import { showsOwnLibrary } from '../formats/gemini-generate/own-library.ts';
import type { ModelFacts } from '../formats/model-facts.ts';
import { openaiChat } from '../formats/openai-chat/format.ts';
import { modelEntry, modelList } from '../formats/openai-chat/model-list.ts';
import type { Exchange } from '../http/exchange.ts';
import type { Route } from '../http/route-table.ts';
import type { Catalogue, ServedModel } from '../routing/catalogue.ts';
import { type Admit, type EntryRule, withEntry } from './admit.ts';
import { generateCarriers } from './conversations/generate-content.ts';
import { errorReply, type Report } from './error-reply.ts';

export interface ModelParts {
  readonly admit: Admit;
  readonly report: Report;
  readonly catalogue: Catalogue;
  factsOf(model: ServedModel): ModelFacts;
}

/** How a group of client libraries reads models and errors. */
interface Shape {
  readonly errors: ErrorWriter;
  /** The page that the query requests. */
  list(models: readonly ModelFacts[], query: URLSearchParams): object;
  entry(facts: ModelFacts): object;
}

const chatShape: Shape = { errors: openaiChat, list: modelList, entry: modelEntry };
const messagesShape: Shape = { errors: { errorBody: messagesError }, list: messagesList, entry: messagesEntry };
const generateShape: Shape = { errors: { errorBody: generateError }, list: generateList, entry: generateEntry };

/**
 * Three groups of client libraries call the same path: one always sends its version, and one has its own place for the
 * credential.
 */
function shapeOf({ request, query }: Exchange): Shape {
  if (namesVersion(request.headers)) return messagesShape;
  return showsOwnLibrary(request.headers) || new URLSearchParams(query).has('key') ? generateShape : chatShape;
}

export const modelCarriers: readonly Carrier[] = ['bearer', 'x-api-key', 'api-key', 'x-goog-api-key', 'query-key'];
const here: EntryRule = { endpoint: 'models', carriers: modelCarriers, counted: 'reads' };
const beta: EntryRule = { endpoint: 'models', carriers: generateCarriers, counted: 'reads' };

export function modelRoutes(parts: ModelParts): readonly Route[] {
  return [
    ...shapedRoutes('/v1/models', shapeOf, here, parts),
    ...shapedRoutes('/v1beta/models', () => generateShape, beta, parts),
  ];
}

function shapedRoutes(
  path: string,
  shapeOf: (exchange: Exchange) => Shape,
  rule: EntryRule,
  parts: ModelParts,
): readonly Route[] {
  const writeError: Route['writeError'] = (error, exchange) =>
    errorReply(error, shapeOf(exchange).errors, exchange, parts.report);
  return [
    {
      method: 'GET',
      path,
      writeError,
      handle: (exchange) =>
        withEntry(parts.admit(exchange, rule, exchange.requestId), (caller) => {
          const models = parts.catalogue.served().filter(({ id }) => caller.mayUseModel(id));
          return Response.json(shapeOf(exchange).list(models.map(parts.factsOf), new URLSearchParams(exchange.query)));
        }),
    },
    {
      method: 'GET',
      path: `${path}/{id...}`,
      writeError,
      handle: (exchange) =>
        withEntry(parts.admit(exchange, rule, exchange.requestId), (caller) => {
          const id = exchange.params['id'] ?? '';
          const model = parts.catalogue.find(id);
          // A model that this token may not use counts as absent: the list does not show it either.
          if (model === undefined || !caller.mayUseModel(id)) {
            const message = `No model named ${id.slice(0, 200)} is available to this token.`;
            throw new GatewayError('model_not_found', message, { param: 'model' });
          }
          return Response.json(shapeOf(exchange).entry(parts.factsOf(model)));
        }),
    },
  ];
}

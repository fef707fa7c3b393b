/** `GET /v1/models` and `GET /v1/models/{id}`: what this token may use, with what is known about each. */

import type { Caller } from '../access/caller.ts';
import { GatewayError } from '../conversation/gateway-error.ts';
import { openaiChat } from '../formats/openai-chat/format.ts';
import { type ModelFacts, modelEntry, modelList } from '../formats/openai-chat/model-list.ts';
import type { Exchange } from '../http/exchange.ts';
import type { Route } from '../http/route-table.ts';
import type { Catalogue, ServedModel } from '../routing/catalogue.ts';
import type { Admit } from './admit.ts';
import { errorReply, type Report } from './error-reply.ts';

export interface ModelParts {
  readonly admit: Admit;
  readonly report: Report;
  readonly catalogue: Catalogue;
  factsOf(model: ServedModel): ModelFacts;
}

export function modelRoutes(parts: ModelParts): readonly Route[] {
  const writeError: Route['writeError'] = (error, exchange) => errorReply(error, openaiChat, exchange, parts.report);
  const callerOf = (exchange: Exchange) => parts.admit(exchange, 'models', ['bearer', 'x-api-key']);
  const mayUse = (caller: Caller) => (model: ServedModel) => caller.mayUseModel(model.id);
  return [
    {
      method: 'GET',
      path: '/v1/models',
      writeError,
      async handle(exchange) {
        const caller = await callerOf(exchange);
        return Response.json(modelList(parts.catalogue.served().filter(mayUse(caller)).map(parts.factsOf)));
      },
    },
    {
      method: 'GET',
      path: '/v1/models/{id...}',
      writeError,
      async handle(exchange) {
        const caller = await callerOf(exchange);
        const id = exchange.params['id'] ?? '';
        const model = parts.catalogue.find(id);
        // A model that this token may not use is as good as absent: the list does not show it either.
        if (model === undefined || !caller.mayUseModel(id)) {
          const message = `No model called ${id.slice(0, 200)} is served to this token.`;
          throw new GatewayError('model_not_found', message, { param: 'model' });
        }
        return Response.json(modelEntry(parts.factsOf(model)));
      },
    },
  ];
}

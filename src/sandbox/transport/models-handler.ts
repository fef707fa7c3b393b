/** Lists the sandbox's models as a provider of the chat format does. */

import { type ModelFacts, modelEntry, modelList } from '../../formats/openai-chat/model-list.ts';
import { writeErrorBody } from '../../formats/openai-chat/wire.ts';
import { findModel, parametersOf, type SandboxModel, sandboxModels } from '../models.ts';

/** A fixed day, so that the list can be cached. */
const createdAtMs = Date.UTC(2025, 0, 1);

/** The whole list, or one model of it. */
export function handleModels(id: string | undefined): Response {
  if (id === undefined) return Response.json(modelList(sandboxModels.map(factsOf)));
  const model = findModel(id);
  if (model !== undefined) return Response.json(modelEntry(factsOf(model)));
  const message = `The sandbox has no model '${id.slice(0, 100)}'.`;
  const error = { message, type: 'invalid_request_error', param: 'model', code: 'model_not_found' };
  return Response.json(writeErrorBody(error), { status: 404 });
}

function factsOf(model: SandboxModel): ModelFacts {
  return {
    id: model.id,
    createdAtMs,
    providers: ['sandbox'],
    contextTokens: model.contextTokens,
    inputModalities: model.modalities.input,
    parameters: parametersOf(model),
    description: model.description,
    pricing: { prompt: '0', completion: '0', source: 'free', version: 'sandbox' },
  };
}

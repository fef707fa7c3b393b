/** Model lists in the chat format. */

import type { ModelFacts } from '../model-facts.ts';
import { parameterWireNames } from '../parameter-wire-names.ts';

export type { ModelFacts };

export function modelEntry(facts: ModelFacts): object {
  return {
    id: facts.id,
    object: 'model',
    created: Math.floor(facts.createdAtMs / 1000),
    owned_by: facts.providers[0] ?? 'weir',
    providers: facts.providers,
    ...(facts.description !== undefined && { description: facts.description }),
    ...(facts.deprecatedAt !== undefined && { deprecation_date: facts.deprecatedAt }),
    ...(facts.shutdownAt !== undefined && { shutdown_date: facts.shutdownAt }),
    ...(facts.contextTokens !== undefined && { context_length: facts.contextTokens }),
    ...((facts.contextTokens ?? facts.outputTokensMax) !== undefined && {
      top_provider: {
        ...(facts.contextTokens !== undefined && { context_length: facts.contextTokens }),
        ...(facts.outputTokensMax !== undefined && { max_completion_tokens: facts.outputTokensMax }),
      },
    }),
    ...(facts.inputModalities !== undefined && {
      architecture: { input_modalities: facts.inputModalities, output_modalities: facts.outputModalities ?? ['text'] },
    }),
    ...(facts.operations !== undefined && { operations: facts.operations }),
    ...(facts.parameters !== undefined && {
      supported_parameters: facts.parameters.flatMap((name) => parameterWireNames[name]),
    }),
    ...(facts.pricing !== undefined && { pricing: facts.pricing }),
  };
}

export function modelList(models: readonly ModelFacts[]): object {
  return { object: 'list', data: models.map(modelEntry) };
}

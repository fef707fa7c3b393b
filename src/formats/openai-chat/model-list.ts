/** Model lists in the chat format: reading a provider's, writing ours. */

import { isObject } from '../../conversation/json-tree.ts';
import type { ParameterName } from '../../conversation/parameters.ts';
import type { ModelFacts } from '../model-facts.ts';

export type { ModelFacts };

export function modelEntry(facts: ModelFacts): object {
  return {
    id: facts.id,
    object: 'model',
    created: Math.floor(facts.createdAtMs / 1000),
    owned_by: facts.providers[0] ?? 'weir',
    providers: facts.providers,
    ...(facts.description !== undefined && { description: facts.description }),
    ...(facts.contextTokens !== undefined && { context_length: facts.contextTokens }),
    ...(facts.inputModalities !== undefined && {
      architecture: { input_modalities: facts.inputModalities, output_modalities: facts.outputModalities ?? ['text'] },
    }),
    ...(facts.operations !== undefined && { operations: facts.operations }),
    ...(facts.parameters !== undefined && {
      supported_parameters: facts.parameters.flatMap((name) => wireNames[name]),
    }),
    ...(facts.pricing !== undefined && { pricing: facts.pricing }),
  };
}

/** The words that public lists of models use, which are mostly the fields of this format. */
const wireNames: Readonly<Record<ParameterName, readonly string[]>> = {
  temperature: ['temperature'],
  topP: ['top_p'],
  topK: ['top_k'],
  maxOutputTokens: ['max_tokens'],
  stop: ['stop'],
  seed: ['seed'],
  presencePenalty: ['presence_penalty'],
  frequencyPenalty: ['frequency_penalty'],
  logitBias: ['logit_bias'],
  logprobs: ['logprobs', 'top_logprobs'],
  tools: ['tools'],
  toolChoice: ['tool_choice'],
  parallelToolCalls: ['parallel_tool_calls'],
  jsonOutput: ['response_format'],
  schemaOutput: ['structured_outputs'],
  thinking: ['reasoning', 'reasoning_effort'],
  verbosity: ['verbosity'],
};

export function modelList(models: readonly ModelFacts[]): object {
  return { object: 'list', data: models.map(modelEntry) };
}

/** Providers write `data: [{id}]`; some `models: [{name}]`; one a bare array. */
export function readModelList(tree: unknown): readonly string[] | undefined {
  const rows = Array.isArray(tree) ? tree : isObject(tree) ? (tree['data'] ?? tree['models']) : undefined;
  if (!Array.isArray(rows)) return undefined;
  const names = rows.flatMap((row: unknown) => {
    if (!isObject(row)) return [];
    const name = row['id'] ?? row['name'];
    return typeof name === 'string' && name !== '' && name.length <= 300 ? [name.replace(/^models\//, '')] : [];
  });
  return [...new Set(names)];
}

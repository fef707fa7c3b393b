/** Model lists in the chat format: reading a provider's, writing ours. */

import { isObject } from './usage.ts';

export interface ModelFacts {
  readonly id: string;
  readonly createdAtMs: number;
  readonly providers: readonly string[];
  readonly contextTokens: number | undefined;
  readonly inputModalities: readonly string[] | undefined;
  readonly description: string | undefined;
  /** USD per token as decimal strings, so that no digit is lost. */
  readonly pricing: { readonly prompt: string; readonly completion: string } | undefined;
}

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
      architecture: { input_modalities: facts.inputModalities, output_modalities: ['text'] },
    }),
    ...(facts.pricing !== undefined && { pricing: facts.pricing }),
  };
}

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

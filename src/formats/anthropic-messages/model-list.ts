/** Model lists in the shape that clients of the messages format read. */

import type { ModelFacts } from '../model-facts.ts';

export function modelEntry(facts: ModelFacts): { readonly id: string } & Readonly<Record<string, unknown>> {
  return {
    type: 'model',
    id: facts.id,
    display_name: facts.id,
    created_at: new Date(facts.createdAtMs).toISOString(),
    ...(facts.contextTokens !== undefined && { max_input_tokens: facts.contextTokens }),
    ...(facts.outputTokensMax !== undefined && { max_tokens: facts.outputTokensMax }),
  };
}

/** One page holds them all, whatever `limit` asks for: a client that pages on is told that there is no more. */
export function modelList(models: readonly ModelFacts[]): object {
  const data = models.map(modelEntry);
  return { data, has_more: false, first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null };
}

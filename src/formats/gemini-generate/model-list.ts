/** Model lists in the content-generation format. */

import type { ModelFacts } from '../model-facts.ts';

export function modelEntry(facts: ModelFacts): object {
  return {
    name: `models/${facts.id}`,
    baseModelId: facts.id,
    version: '',
    displayName: facts.id,
    ...(facts.description !== undefined && { description: facts.description }),
    ...(facts.contextTokens !== undefined && { inputTokenLimit: facts.contextTokens }),
    supportedGenerationMethods: ['generateContent', 'streamGenerateContent', 'countTokens'],
  };
}

export function modelList(models: readonly ModelFacts[]): object {
  return { models: models.map(modelEntry) };
}

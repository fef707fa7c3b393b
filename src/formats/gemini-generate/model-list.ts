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
    ...(facts.outputTokensMax !== undefined && { outputTokenLimit: facts.outputTokensMax }),
    ...(facts.temperatureMax !== undefined && { maxTemperature: facts.temperatureMax }),
    // Where it is left out it means that nothing is known; defaults of sampling never are.
    ...(facts.parameters !== undefined && { thinking: facts.parameters.includes('thinking') }),
    supportedGenerationMethods: methodsOf(facts.operations ?? ['converse']),
  };
}

const methods: Readonly<Record<string, readonly string[]>> = {
  converse: ['generateContent', 'streamGenerateContent', 'countTokens'],
  embed: ['embedContent', 'batchEmbedContents'],
};

function methodsOf(operations: readonly string[]): readonly string[] {
  return operations.flatMap((name) => methods[name] ?? []);
}

export function modelList(models: readonly ModelFacts[]): object {
  return { models: models.map(modelEntry) };
}

/** The models that a token may use, as the public list tells them. */

import { countOf, fieldsOf, listOf, textOf } from './formats/read-values.ts';
import type { PlaygroundModel } from './playground-contract.ts';

export function readModels(answer: unknown): readonly PlaygroundModel[] {
  return listOf(fieldsOf(answer)['data']).flatMap((row) => {
    const model = readModel(row);
    return model === undefined ? [] : [model];
  });
}

function readModel(row: unknown): PlaygroundModel | undefined {
  const fields = fieldsOf(row);
  const id = textOf(fields['id']);
  if (id === '') return undefined;
  const shape = fieldsOf(fields['architecture']);
  const texts = (value: unknown): readonly string[] => listOf(value).filter((entry) => typeof entry === 'string');
  const operations = texts(fields['operations']);
  const providers = texts(fields['providers']);
  const description = textOf(fields['description']);
  const contextTokens = countOf(fields['context_length']);
  const outputTokensMax = countOf(fieldsOf(fields['top_provider'])['max_completion_tokens']);
  const { prompt, completion, source } = fieldsOf(fields['pricing']);
  const parameters = fields['supported_parameters'];
  return {
    id,
    providers: providers.length > 0 ? providers : [textOf(fields['owned_by'])],
    operations: operations.length > 0 ? operations : ['converse'],
    inputModalities: texts(shape['input_modalities']),
    outputModalities: texts(shape['output_modalities']),
    ...(description !== '' && { description }),
    ...(contextTokens !== undefined && { contextTokens }),
    ...(outputTokensMax !== undefined && { outputTokensMax }),
    ...(typeof prompt === 'string' && typeof completion === 'string' && { pricing: { prompt, completion } }),
    ...(source === 'unknown' && { isPriceUnknown: true as const }),
    ...(Array.isArray(parameters) && { parameters: texts(parameters) }),
  };
}

/** A group for the picker: models of one provider, or of the same several ones. */
interface ModelGroup {
  readonly provider: string;
  readonly models: readonly PlaygroundModel[];
}

/** Every word must be found somewhere in the name or the provider. */
export function findModels(models: readonly PlaygroundModel[], text: string): readonly ModelGroup[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const groups = new Map<string, PlaygroundModel[]>();
  for (const model of models) {
    const name = `${model.id} ${model.providers.join(' ')}`.toLowerCase();
    if (!words.every((word) => name.includes(word))) continue;
    const provider = model.providers.join(', ');
    groups.set(provider, [...(groups.get(provider) ?? []), model]);
  }
  return [...groups].map(([provider, found]) => ({ provider, models: found }));
}

/** Every model that is asked costs nothing and is nobody's. */
export function isSandbox(catalogue: readonly PlaygroundModel[], asked: readonly string[]): boolean {
  const known = asked.map((id) => catalogue.find((model) => model.id === id));
  return known.length > 0 && known.every((model) => model?.providers[0] === 'sandbox');
}

export const converses = ({ operations }: PlaygroundModel): boolean => operations.includes('converse');

const tokensPerPrice = 1_000_000;
const nanoPerDollar = 1_000_000_000;

/** Per million tokens, which is how people compare prices, in billionths of a dollar. */
export function pricePerMillionNano(usdPerToken: string): string {
  return Math.round(Number(usdPerToken) * tokensPerPrice * nanoPerDollar).toString();
}

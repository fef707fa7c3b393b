/**
 * Reads a provider's list of models, whatever its shape, with what it says of each. The fields are those of
 * https://openrouter.ai/docs/api/api-reference/models, https://platform.claude.com/docs/en/api/models-list,
 * https://ai.google.dev/api/models, https://console.groq.com/docs/models, https://docs.mistral.ai/api and of vLLM
 * (read 2026-11-15), https://vercel.com/docs/ai-gateway, https://novita.ai/docs/api-reference/model-apis-llm-list-models,
 * https://docs.deepinfra.com, https://inference-docs.cerebras.ai, https://docs.venice.ai/api-reference/endpoint/models/list,
 * and of Chutes (read 2026-11-16); where several say the same, the first that does counts.
 */

import { defined, isObject, type Tree } from '../conversation/json-tree.ts';
import type { ListedModel, Modality, ModelProfile, ThinkingRule } from '../conversation/model-profile.ts';
import type { ParameterName } from '../conversation/parameters.ts';
import { datesIn } from './list-dates.ts';
import { type ListPricing, priceIn } from './list-prices.ts';
import { parameterWireNames } from './parameter-wire-names.ts';

/** Providers write `data: [{id}]`; some `models: [{name}]`; one a bare array. `pricing` locates its prices. */
export function readListedModels(tree: unknown, pricing?: ListPricing): readonly ListedModel[] | undefined {
  const rows = Array.isArray(tree) ? tree : isObject(tree) ? (tree['data'] ?? tree['models']) : undefined;
  if (!Array.isArray(rows)) return undefined;
  const models = new Map<string, ListedModel>();
  for (const row of rows) {
    if (!isObject(row)) continue;
    const said = row['id'] ?? row['name'];
    if (typeof said !== 'string' || said === '' || said.length > 300) continue;
    const name = said.replace(/^models\//, '');
    if (!models.has(name))
      models.set(name, { name, ...factsIn(row), ...defined('price', priceIn(row, pricing)), ...datesIn(row) });
  }
  return [...models.values()];
}

function factsIn(row: Tree): Omit<ListedModel, 'name'> {
  const parameters = parametersIn(row);
  const profile: ModelProfile = {
    ...defined('contextTokens', contextIn(row)),
    ...defined('outputTokensMax', outputIn(row)),
    ...defined('temperatureMax', positive(row['maxTemperature'])),
    ...defined('thinking', thinkingIn(row)),
    ...defined('input', modalitiesIn(row, 'input')),
    ...defined('output', modalitiesIn(row, 'output')),
    ...(parameters !== undefined && { refuses: parameters.refuses }),
  };
  return {
    ...(Object.keys(profile).length > 0 && { profile }),
    ...(parameters !== undefined && { takes: parameters.takes }),
  };
}

function contextIn(row: Tree): number | undefined {
  return firstSize(
    row['context_length'],
    row['context_window'],
    row['max_context_length'],
    row['context_size'],
    row['max_model_len'],
    row['inputTokenLimit'],
    row['max_input_tokens'],
    treeAt(row, 'meta')['n_ctx'],
    treeAt(row, 'metadata')['context_length'],
    treeAt(row, 'limits')['max_context_length'],
    treeAt(row, 'model_spec')['availableContextTokens'],
  );
}

function outputIn(row: Tree): number | undefined {
  // Alone, `max_tokens` is the context of some and the reply of others.
  const isReply = row['max_input_tokens'] !== undefined || row['context_window'] !== undefined;
  return firstSize(
    treeAt(row, 'top_provider')['max_completion_tokens'],
    row['max_completion_tokens'],
    row['max_output_tokens'],
    row['max_output_length'],
    row['outputTokenLimit'],
    treeAt(row, 'limits')['max_completion_tokens'],
    treeAt(row, 'model_spec')['maxCompletionTokens'],
    isReply ? row['max_tokens'] : undefined,
  );
}

const tokensMax = 100_000_000;

function firstSize(...values: readonly unknown[]): number | undefined {
  return values.find((value): value is number => Number.isInteger(value) && isWithin(value as number));
}

function isWithin(tokens: number): boolean {
  return tokens > 0 && tokens <= tokensMax;
}

function positive(value: unknown): number | undefined {
  return typeof value === 'number' && value > 0 && value <= 10 ? value : undefined;
}

const modalityOf: Readonly<Record<string, Modality>> = {
  text: 'text',
  image: 'image',
  file: 'pdf',
  pdf: 'pdf',
  audio: 'audio',
  video: 'video',
};

function modalitiesIn(row: Tree, side: 'input' | 'output'): readonly Modality[] | undefined {
  const said =
    treeAt(row, 'architecture')[`${side}_modalities`] ?? row[`${side}_modalities`] ?? treeAt(row, 'modalities')[side];
  if (Array.isArray(said)) return [...new Set(said.flatMap((word) => modalityOf[String(word)] ?? []))];
  const capabilities = treeAt(row, 'capabilities');
  const images = supports(capabilities, 'image_input') ?? capabilities['vision'];
  if (side === 'output' || typeof images !== 'boolean') return undefined;
  const pdf = supports(capabilities, 'pdf_input') === true;
  return ['text', ...(images ? (['image'] as const) : []), ...(pdf ? (['pdf'] as const) : [])];
}

/** Those that every such list names where they are taken. */
const listedParameters: readonly ParameterName[] = [
  'temperature',
  'topP',
  'topK',
  'stop',
  'seed',
  'presencePenalty',
  'frequencyPenalty',
  'logitBias',
  'logprobs',
  'tools',
  'toolChoice',
  'jsonOutput',
  'schemaOutput',
];

interface ListedParameters {
  readonly takes: readonly ParameterName[];
  readonly refuses: readonly ParameterName[];
}

function parametersIn(row: Tree): ListedParameters | undefined {
  const words = row['supported_parameters'];
  if (Array.isArray(words)) {
    const takes = (name: ParameterName): boolean => parameterWireNames[name].some((word) => words.includes(word));
    return { takes: listedParameters.filter(takes), refuses: listedParameters.filter((name) => !takes(name)) };
  }
  const shaped = supports(treeAt(row, 'capabilities'), 'structured_outputs');
  if (shaped === undefined) return undefined;
  return shaped ? { takes: ['schemaOutput'], refuses: [] } : { takes: [], refuses: ['schemaOutput'] };
}

/** A list that only says that a model thinks leaves it to the family to say how. */
function thinkingIn(row: Tree): ThinkingRule | undefined {
  const words = row['supported_parameters'];
  const isNamed = Array.isArray(words) && parameterWireNames.thinking.some((word) => words.includes(word));
  if ((Array.isArray(words) && !isNamed) || row['thinking'] === false) return { kind: 'never' };
  const capabilities = treeAt(row, 'capabilities');
  const thinking = treeAt(capabilities, 'thinking');
  if (thinking['supported'] === false) return { kind: 'never' };
  const types = treeAt(thinking, 'types');
  const canBeOff = supports(types, 'disabled') ?? true;
  const takesBudgets = supports(types, 'enabled') === true;
  const levels = treeAt(capabilities, 'effort');
  const efforts = (['low', 'medium', 'high', 'xhigh', 'max'] as const).filter(
    (word) => supports(levels, word) === true,
  );
  const tokensMin = 1_024;
  if (supports(types, 'adaptive') === true) {
    return { kind: 'adaptive', efforts, canBeOff, ...(takesBudgets && { budgets: { tokensMin } }) };
  }
  if (!takesBudgets) return undefined;
  return { kind: 'budget', tokensMin, canBeOff, ...(efforts.length > 0 && { efforts }) };
}

function supports(capabilities: Tree, name: string): boolean | undefined {
  const { supported } = treeAt(capabilities, name);
  return typeof supported === 'boolean' ? supported : undefined;
}

const nothing: Tree = {};

function treeAt(tree: Tree, name: string): Tree {
  const value = tree[name];
  return isObject(value) ? value : nothing;
}

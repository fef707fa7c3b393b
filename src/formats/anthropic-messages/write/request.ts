/** Writes a neutral request in the messages format; what the format does not support is reported. */

import { DerivedTexts } from '../../../conversation/derived-texts.ts';
import { isObject, type Tree } from '../../../conversation/json-tree.ts';
import { LossList } from '../../../conversation/loss-list.ts';
import type { Converted } from '../../../conversation/parts.ts';
import type { JsonSchema, OutputShape, TextRequest } from '../../../conversation/text-request.ts';
import type { WriteTarget } from '../../codec.ts';
import { fitSchema } from '../output-schema.ts';
import { formatName } from '../wire.ts';
import { writeMessages } from './messages.ts';
import { writeThinking } from './thinking.ts';
import { writeTools } from './tools.ts';

export function writeRequest(request: TextRequest, target: WriteTarget): Converted<Tree> {
  const losses = new LossList();
  losses.addForeign(request.extras, formatName);
  const own: Tree = request.extras?.format === formatName ? request.extras.fields : {};
  const { maxTokens, thinking, effort, thinks } = writeThinking(request, target, losses);
  const stops = writeStops(request.stop, losses);
  const config = {
    ...(isObject(own.output_config) && own.output_config),
    ...(effort !== undefined && { effort }),
    ...writeOutput(request.output, losses),
  };
  const metadata = {
    ...(isObject(own.metadata) && own.metadata),
    ...(request.user !== undefined && { user_id: request.user }),
  };
  reportUnsupported(request, losses);
  const value = {
    ...own,
    model: target.origin.model,
    max_tokens: maxTokens,
    ...writeMessages(request.messages, losses, (target.derived ?? new DerivedTexts()).arguments),
    ...writeTools(request, losses),
    ...(request.stream && { stream: true }),
    ...(stops.length > 0 && { stop_sequences: stops }),
    ...writeSampling(request, thinks, losses),
    ...(thinking !== undefined && { thinking }),
    ...writeTier(request.serviceTier, losses),
    output_config: config,
    metadata,
  };
  return { value: withoutRejected(value, target, losses), losses: losses.all };
}

function withoutRejected(tree: Record<string, unknown>, { quirks }: WriteTarget, losses: LossList): Tree {
  for (const name of ['output_config', 'metadata']) {
    if (Object.keys(tree[name] as object).length === 0) delete tree[name];
  }
  for (const name of quirks.rejectsFields ?? []) {
    if (tree[name] === undefined) continue;
    delete tree[name];
    losses.add(name, 'is rejected by the provider');
  }
  return tree;
}

/** The provider refuses sequences that are empty or white space alone. */
function writeStops(stop: readonly string[], losses: LossList): readonly string[] {
  const stops = stop.filter((sequence) => sequence.trim() !== '');
  if (stops.length < stop.length) losses.add('stop', 'holds white space alone, which the format refuses');
  return stops;
}

function writeOutput(output: OutputShape, losses: LossList): { readonly format?: object } {
  if (output.kind === 'text') return {};
  if (output.kind === 'json') {
    losses.add('JSON mode', 'is not supported by the format without a schema');
    return {};
  }
  return { format: { type: 'json_schema', schema: fitSchema(described(output.schema, output.description), losses) } };
}

/** The format has no field for the description of the shape, a schema does. */
function described(schema: JsonSchema, description: string | undefined): JsonSchema {
  if (description === undefined || !isObject(schema) || schema.description !== undefined) return schema;
  return { ...schema, description };
}

function writeSampling(request: TextRequest, thinks: boolean, losses: LossList): Tree {
  const { temperature, topP, topK } = request;
  const sampling: Record<string, number> = {};
  if (temperature !== undefined) {
    const warmth = Math.min(Math.max(temperature, 0), 1);
    if (thinks && temperature !== 1) losses.add('temperature', 'cannot be set while the model thinks');
    else {
      if (warmth !== temperature) losses.add('temperature', `ranges from 0 to 1 in the format; ${warmth} is sent`);
      sampling['temperature'] = warmth;
    }
  }
  // The whole distribution is the format's default.
  if (topP !== undefined && !(topP === 1 && temperature !== undefined)) {
    if (thinks && topP < 0.95) losses.add('top_p', 'cannot be set below 0.95 while the model thinks');
    else if (sampling['temperature'] !== undefined) losses.add('top_p', 'cannot be combined with a temperature');
    else sampling['top_p'] = topP;
  }
  if (topK !== undefined) {
    if (thinks) losses.add('top_k', 'cannot be set while the model thinks');
    else sampling['top_k'] = topK;
  }
  return sampling;
}

/** Capacity bought in advance is used by `auto` and spared by `standard_only`; the format has no other tiers. */
function writeTier(tier: string | undefined, losses: LossList): { readonly service_tier?: string } {
  if (tier === undefined) return {};
  if (tier === 'auto') return { service_tier: 'auto' };
  if (tier === 'default') return { service_tier: 'standard_only' };
  if (tier === 'priority') return { service_tier: 'auto' };
  losses.add(`service tier ${tier}`, 'is not supported by the format');
  return {};
}

function reportUnsupported(request: TextRequest, losses: LossList): void {
  const unsupported: readonly (readonly [string, boolean])[] = [
    ['n', request.candidates > 1],
    ['seed', request.seed !== undefined],
    ['presence_penalty', (request.presencePenalty ?? 0) !== 0],
    ['frequency_penalty', (request.frequencyPenalty ?? 0) !== 0],
    ['logprobs', request.logprobs !== undefined],
    ['logit_bias', Object.keys(request.logitBias ?? {}).length > 0],
    ['modalities', (request.modalities ?? []).some((modality) => modality !== 'text')],
    ['audio', request.audio !== undefined],
    ['verbosity', request.verbosity !== undefined],
    ['metadata', Object.keys(request.metadata ?? {}).length > 0],
    ['prompt_cache_key', request.promptCacheKey !== undefined],
    ['store', request.store === true],
    ['previous reply', request.previousReplyId !== undefined],
  ];
  for (const [name, isSet] of unsupported) if (isSet) losses.add(name, 'is not supported by the format');
}

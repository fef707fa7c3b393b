/**
 * Writes a neutral request as a content-generation body, for a provider. The URL names the model and whether to stream.
 */

import { DerivedTexts } from '../../../conversation/derived-texts.ts';
import { defined, type Tree } from '../../../conversation/json-tree.ts';
import { LossList } from '../../../conversation/loss-list.ts';
import { type ModelProfile, unknownProfile } from '../../../conversation/model-profile.ts';
import type { Converted } from '../../../conversation/parts.ts';
import type { InlinedSchemas } from '../../../conversation/schema/inlined-schemas.ts';
import type { OutputShape, TextRequest } from '../../../conversation/text-request.ts';
import type { WriteTarget } from '../../codec.ts';
import { formatName } from '../wire.ts';
import { writeContents } from './contents.ts';
import { survey } from './survey.ts';
import { writeThinking } from './thinking.ts';
import { writeSchema, writeTools } from './tools.ts';

const stopSequencesMax = 5;
const seedMax = 2 ** 31 - 1;

const unknownModel = { profile: unknownProfile };

export function writeRequest(
  request: TextRequest,
  { profile, derived = new DerivedTexts() }: Pick<WriteTarget, 'profile' | 'derived'> = unknownModel,
): Converted<Tree> {
  const losses = new LossList();
  const looked = survey(request.messages);
  const { contents, systemInstruction } = writeContents(request.messages, looked, losses, derived.arguments);
  const body: Record<string, unknown> = {
    contents,
    ...defined('systemInstruction', systemInstruction),
    ...writeTools(request, losses, derived.schemas),
    ...writeTier(request, losses),
  };
  const config = {
    ...writeConfig(request, profile, losses, derived.schemas),
    ...defined('mediaResolution', looked.sharedResolution),
  };
  if (Object.keys(config).length > 0) body.generationConfig = config;
  if (looked.hasCacheMarks || request.tools.some((tool) => tool.cacheMark !== undefined)) {
    losses.add('cache marks', 'the format caches by itself and has no field for them');
  }
  reportUnsupported(request, losses);
  const { extras } = request;
  losses.addForeign(extras, formatName);
  if (extras?.format === formatName) {
    for (const [path, value] of Object.entries(extras.fields)) place(body, path, value);
  }
  return { value: body, losses: losses.all };
}

/** Fields that were kept by their path in the body return to that place; the request's own fields take precedence. */
function place(body: Record<string, unknown>, path: string, value: unknown): void {
  const dot = path.indexOf('.');
  const holder = path.slice(0, dot);
  if (holder !== 'generationConfig' && holder !== 'toolConfig') {
    body[path] ??= value;
    return;
  }
  body[holder] = { [path.slice(dot + 1)]: value, ...(body[holder] as Tree | undefined) };
}

function writeConfig(request: TextRequest, profile: ModelProfile, losses: LossList, inlined: InlinedSchemas): Tree {
  return {
    ...defined('temperature', request.temperature),
    ...defined('topP', request.topP),
    ...defined('topK', request.topK),
    ...defined('maxOutputTokens', request.maxOutputTokens),
    ...(request.candidates > 1 && { candidateCount: request.candidates }),
    ...writeStops(request.stop, losses),
    ...writeSeed(request.seed, losses),
    ...defined('presencePenalty', request.presencePenalty),
    ...defined('frequencyPenalty', request.frequencyPenalty),
    ...(request.logprobs !== undefined && {
      responseLogprobs: true,
      ...(request.logprobs.top > 0 && { logprobs: request.logprobs.top }),
    }),
    ...writeOutput(request.output, losses, inlined),
    ...(request.modalities !== undefined && {
      responseModalities: request.modalities.map((modality) => modality.toUpperCase()),
    }),
    ...writeSpeech(request, losses),
    ...writeThinking(request, profile, losses),
  };
}

function writeStops(stops: readonly string[], losses: LossList): Tree {
  if (stops.length === 0) return {};
  if (stops.length > stopSequencesMax) losses.add('stop', `the format accepts ${stopSequencesMax} of them at most`);
  return { stopSequences: stops.slice(0, stopSequencesMax) };
}

function writeSeed(seed: number | undefined, losses: LossList): Tree {
  if (seed === undefined) return {};
  if (Number.isInteger(seed) && Math.abs(seed) <= seedMax) return { seed };
  losses.add('seed', 'the format accepts whole numbers of 32 bits');
  return {};
}

/** A shape's name is only a label, and every shape is enforced: neither is a loss. */
function writeOutput(output: OutputShape, losses: LossList, inlined: InlinedSchemas): Tree {
  if (output.kind === 'text') return {};
  if (output.kind === 'json') return { responseMimeType: 'application/json' };
  if (output.description !== undefined) losses.add('output schema description', 'the format has no field for it');
  return {
    responseMimeType: 'application/json',
    responseJsonSchema: writeSchema(output.schema, 'output schema', losses, inlined),
  };
}

function writeSpeech({ audio }: TextRequest, losses: LossList): Tree {
  if (audio?.format !== undefined) losses.add('audio.format', 'the format does not let it be chosen');
  if (audio?.voice === undefined) return {};
  return { speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: audio.voice } } } };
}

/** The standard tier is the default. */
function writeTier({ serviceTier }: TextRequest, losses: LossList): Tree {
  if (serviceTier === undefined || serviceTier === 'auto' || serviceTier === 'default') return {};
  if (serviceTier === 'flex' || serviceTier === 'priority') return { serviceTier };
  losses.add('service_tier', `the format has no tier ${serviceTier}`);
  return {};
}

function reportUnsupported(request: TextRequest, losses: LossList): void {
  const why = 'the format has no field for it';
  if (request.logitBias !== undefined) losses.add('logit_bias', why);
  if (request.verbosity !== undefined) losses.add('verbosity', why);
  if (request.metadata !== undefined) losses.add('metadata', why);
  if (request.user !== undefined) losses.add('user', why);
  if (request.promptCacheKey !== undefined) losses.add('prompt_cache_key', why);
  if (request.store === true) losses.add('store', 'providers of the format keep no replies for later reference');
}

/** Reads a content-generation request body into the neutral request; nothing throws, and what has no neutral name is kept for this format. */

import { defined, isObject, type Tree } from '../../../conversation/json-tree.ts';
import { LossList } from '../../../conversation/loss-list.ts';
import type { Converted } from '../../../conversation/parts.ts';
import type { OutputShape, TextRequest, Thinking } from '../../../conversation/text-request.ts';
import type { NamedRequest } from '../../codec.ts';
import { readFields } from '../../fields/carried-fields.ts';
import { reportUnread } from '../../fields/unread-fields.ts';
import { enumWord, outputModalities } from '../enum-words.ts';
import { configRows, fields } from '../fields.ts';
import { formatName, listOf, said } from '../wire.ts';
import { readContents } from './contents.ts';
import { readOpenApiSchema } from './openapi-schema.ts';
import { isSchema, readTools } from './tools.ts';

type Unread = (readonly [string, unknown])[];

const carriedFields = readFields(fields.table);

const candidatesMax = 128;
const noConfig: Tree = {};

export function readRequest(tree: Tree, named?: NamedRequest): Converted<TextRequest> {
  const losses = new LossList();
  reportUnread(tree, fields.table, losses);
  const given = said(tree, 'generationConfig');
  const config = isObject(given) ? given : noConfig;
  const { unread: unreadToolConfig, ...tools } = readTools(tree, losses);
  const unread: Unread = [...unreadToolConfig];
  for (const [name, value] of Object.entries(tree)) {
    if (value !== null && !carriedFields.has(name)) unread.push([name, value]);
  }
  for (const [name, value] of Object.entries(config)) {
    if (value !== null && !configRows.has(name)) unread.push([`generationConfig.${name}`, value]);
  }
  const value: TextRequest = {
    model: named?.model ?? (typeof tree.model === 'string' ? tree.model.replace(/^models\//, '') : ''),
    messages: readContents(tree, losses),
    stream: named?.stream ?? false,
    ...tools,
    output: readOutput(config, unread, losses),
    candidates: Math.min(candidatesMax, Math.max(1, Math.trunc(readNumber(config, 'candidateCount', losses) ?? 1))),
    stop: readStops(config, losses),
    ...readSampling(config, unread, losses),
    ...readModalities(config),
    ...readSpeech(config, unread),
    ...defined('thinking', readThinking(config)),
    ...defined('serviceTier', readTier(tree, unread)),
    ...(unread.length > 0 && { extras: { format: formatName, fields: Object.fromEntries(unread) } }),
  };
  return { value, losses: losses.all };
}

function readNumber(config: Tree, name: string, losses: LossList): number | undefined {
  const value = said(config, name);
  if (value === undefined) return undefined;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  losses.add(`generationConfig.${name}`, 'is not a number');
  return undefined;
}

function readSampling(config: Tree, unread: Unread, losses: LossList): Partial<TextRequest> {
  const limit = readNumber(config, 'maxOutputTokens', losses);
  const top = readNumber(config, 'logprobs', losses);
  const likely = said(config, 'responseLogprobs') === true;
  // Without the field that asks for them, their number asks for nothing.
  if (top !== undefined && !likely) unread.push(['generationConfig.logprobs', top]);
  return {
    ...defined('temperature', readNumber(config, 'temperature', losses)),
    ...defined('topP', readNumber(config, 'topP', losses)),
    ...defined('topK', readNumber(config, 'topK', losses)),
    ...defined('seed', readNumber(config, 'seed', losses)),
    ...defined('presencePenalty', readNumber(config, 'presencePenalty', losses)),
    ...defined('frequencyPenalty', readNumber(config, 'frequencyPenalty', losses)),
    ...(limit !== undefined && { maxOutputTokens: Math.max(0, Math.trunc(limit)) }),
    ...(likely && { logprobs: { top: Math.max(0, Math.trunc(top ?? 0)) } }),
  };
}

function readStops(config: Tree, losses: LossList): string[] {
  const list = listOf(said(config, 'stopSequences'));
  const stops = list.filter((entry): entry is string => typeof entry === 'string' && entry !== '');
  if (stops.length !== list.length) {
    losses.add('generationConfig.stopSequences', 'holds something that is not a text');
  }
  return stops;
}

/**
 * A schema in either dialect asks for JSON of that shape; a single word out of a list is an option of this format only.
 */
function readOutput(config: Tree, unread: Unread, losses: LossList): OutputShape {
  const mediaType = said(config, 'responseMimeType');
  const schema = said(config, 'responseJsonSchema') ?? said(config, '_responseJsonSchema');
  const older = said(config, 'responseSchema');
  if (mediaType !== undefined && mediaType !== 'application/json' && mediaType !== 'text/plain') {
    unread.push(['generationConfig.responseMimeType', mediaType]);
    if (older !== undefined) unread.push(['generationConfig.responseSchema', older]);
    if (schema !== undefined) unread.push(['generationConfig.responseJsonSchema', schema]);
    return { kind: 'text' };
  }
  const shape = isSchema(schema) ? schema : readOpenApiSchema(older);
  if (shape !== undefined) return { kind: 'json-schema', schema: shape };
  if (schema !== undefined || older !== undefined) losses.add('generationConfig.responseSchema', 'is not a schema');
  return mediaType === 'application/json' ? { kind: 'json' } : { kind: 'text' };
}

function readModalities(config: Tree): Partial<TextRequest> {
  const modalities = listOf(said(config, 'responseModalities'))
    .map((entry) => enumWord(entry, outputModalities))
    .filter((entry) => typeof entry === 'string')
    .filter((entry) => entry !== 'MODALITY_UNSPECIFIED')
    .map((entry) => entry.toLowerCase());
  return modalities.length === 0 ? {} : { modalities };
}

/** One voice has a neutral name; several speakers, languages and the like are this format's own. */
function readSpeech(config: Tree, unread: Unread): Partial<TextRequest> {
  const speech = said(config, 'speechConfig');
  if (speech === undefined) return {};
  const voice = onlyText(onlyObject(onlyObject(speech, 'voiceConfig'), 'prebuiltVoiceConfig'), 'voiceName');
  if (voice !== undefined) return { audio: { voice } };
  unread.push(['generationConfig.speechConfig', speech]);
  return {};
}

function onlyObject(holder: unknown, name: string): unknown {
  return isObject(holder) && Object.keys(holder).length === 1 ? said(holder, name) : undefined;
}

function onlyText(holder: unknown, name: string): string | undefined {
  const value = onlyObject(holder, name);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** A budget of 0 switches thinking off, -1 leaves the amount to the model. */
export function readThinking(config: Tree): Thinking | undefined {
  const given = said(config, 'thinkingConfig');
  if (!isObject(given)) return undefined;
  const budget = said(given, 'thinkingBudget');
  const level = said(given, 'thinkingLevel');
  const visible = said(given, 'includeThoughts');
  const effort = typeof level === 'string' && level !== 'THINKING_LEVEL_UNSPECIFIED' ? level.toLowerCase() : undefined;
  const thinking: Thinking = {
    ...readBudget(budget),
    ...defined('effort', effort),
  };
  if (typeof visible === 'boolean') return { ...thinking, visible };
  // This format shows thinking only on request; other formats show it whenever thinking is requested.
  if (thinking.mode === 'on' || thinking.mode === 'adaptive') return { ...thinking, visible: false };
  return Object.keys(thinking).length === 0 ? undefined : thinking;
}

function readBudget(budget: unknown): Thinking {
  if (typeof budget !== 'number' || !Number.isFinite(budget)) return {};
  if (budget < 0) return { mode: 'adaptive' };
  return budget === 0 ? { mode: 'off' } : { mode: 'on', budgetTokens: Math.trunc(budget) };
}

function readTier(tree: Tree, unread: Unread): string | undefined {
  const tier = said(tree, 'serviceTier');
  if (tier === undefined || tier === 'unspecified') return undefined;
  switch (typeof tier === 'string' ? tier.toLowerCase() : '') {
    case 'standard':
      return 'default';
    case 'flex':
      return 'flex';
    case 'priority':
      return 'priority';
    default:
      unread.push(['serviceTier', tier]);
      return undefined;
  }
}

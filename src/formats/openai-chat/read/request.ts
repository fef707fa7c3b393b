/** Reads a chat-format request body into the neutral request; what the neutral form cannot carry is kept or reported, nothing throws. */

import { defined, isObject, type Tree } from '../../../conversation/json-tree.ts';
import { LossList } from '../../../conversation/loss-list.ts';
import type { Converted } from '../../../conversation/parts.ts';
import type { TextRequest, Thinking } from '../../../conversation/text-request.ts';
import { readFields } from '../../fields/carried-fields.ts';
import { reportUnread } from '../../fields/unread-fields.ts';
import { fields } from '../fields.ts';
import { formatName } from '../wire.ts';
import { readMessages, unknownRoleIn } from './messages.ts';
import { readOutput, readToolChoice, readTools } from './tools.ts';

const ownFields = readFields(fields.table);

const candidatesMax = 128;

export function readRequest(body: Tree): Converted<TextRequest> {
  const losses = new LossList();
  reportUnread(body, fields.table, losses);
  const unknown: Record<string, unknown> = {};
  for (const field in body) {
    if (!ownFields.has(field) && body[field] !== null && body[field] !== undefined) unknown[field] = body[field];
  }
  const { tools, hosted } = readTools(body, losses);
  const output = readOutput(body.response_format);
  if (output === undefined) unknown.response_format = body.response_format;
  const value: TextRequest = {
    model: typeof body.model === 'string' ? body.model : '',
    messages: readMessages(body.messages, losses),
    stream: body.stream === true,
    tools,
    ...(hosted.length > 0 && { hostedTools: hosted }),
    toolChoice: readToolChoice(body, losses),
    ...defined('parallelToolCalls', bool(body.parallel_tool_calls)),
    output: output ?? { kind: 'text' },
    ...defined('maxOutputTokens', readOutputLimit(body, losses)),
    candidates: Math.min(candidatesMax, Math.max(1, readInteger(body, 'n', losses) ?? 1)),
    stop: readStop(body.stop, losses),
    ...readSampling(body, losses),
    ...defined('thinking', readThinking(body, losses)),
    ...readOptions(body, unknown),
    ...defined('unsupported', unknownRoleIn(body.messages)),
    ...(Object.keys(unknown).length > 0 && { extras: { format: formatName, fields: unknown } }),
  };
  return { value, losses: losses.all };
}

function bool(value: unknown): boolean | undefined {
  return typeof value === 'boolean' ? value : undefined;
}

function word(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function readNumber(body: Tree, field: string, losses: LossList): number | undefined {
  const value = body[field];
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  losses.add(field, 'is not a number');
  return undefined;
}

export function readInteger(body: Tree, field: string, losses: LossList): number | undefined {
  const value = readNumber(body, field, losses);
  return value === undefined ? undefined : Math.trunc(value);
}

/** What the chat and the legacy format call by the same names. */
export function readSampling(body: Tree, losses: LossList): Partial<TextRequest> {
  return {
    ...defined('temperature', readNumber(body, 'temperature', losses)),
    ...defined('topP', readNumber(body, 'top_p', losses)),
    ...defined('topK', readInteger(body, 'top_k', losses)),
    ...defined('seed', readInteger(body, 'seed', losses)),
    ...defined('presencePenalty', readNumber(body, 'presence_penalty', losses)),
    ...defined('frequencyPenalty', readNumber(body, 'frequency_penalty', losses)),
    ...defined('logitBias', readLogitBias(body.logit_bias, losses)),
  };
}

function readLogitBias(value: unknown, losses: LossList): Record<string, number> | undefined {
  if (value === undefined || value === null) return undefined;
  if (isObject(value) && Object.values(value).every((bias) => typeof bias === 'number')) {
    return Object.keys(value).length === 0 ? undefined : (value as Record<string, number>);
  }
  losses.add('logit_bias', 'is not a map of numbers');
  return undefined;
}

/** The newer field wins; the older one means the same. */
function readOutputLimit(body: Tree, losses: LossList): number | undefined {
  const limit = readInteger(body, 'max_completion_tokens', losses) ?? readInteger(body, 'max_tokens', losses);
  return limit === undefined ? undefined : Math.max(0, limit);
}

export function readStop(value: unknown, losses: LossList): string[] {
  if (value === undefined || value === null) return [];
  const list = Array.isArray(value) ? value : [value];
  const stops = list.filter((entry): entry is string => typeof entry === 'string' && entry !== '');
  if (stops.length !== list.length) losses.add('stop', 'holds something that is not a text');
  return stops;
}

/** The original field, and the two objects in which compatible services ask for thinking. */
export function readThinking(body: Tree, losses: LossList): Thinking | undefined {
  const thinking: { -readonly [Name in keyof Thinking]: Thinking[Name] } = {};
  const effort = word(body.reasoning_effort);
  if (effort !== undefined) thinking.effort = effort;
  if (isObject(body.reasoning)) readReasoning(body.reasoning, thinking);
  if (isObject(body.thinking)) {
    const { type, budget_tokens: budget } = body.thinking;
    if (type === 'disabled') thinking.mode = 'off';
    else if (type === 'enabled') thinking.mode = 'on';
    else if (type === 'adaptive' || type === 'auto') thinking.mode = 'adaptive';
    else losses.add('thinking.type', 'is not known');
    if (typeof budget === 'number') thinking.budgetTokens = budget;
  }
  if (thinking.effort === 'none') thinking.mode = 'off';
  return Object.keys(thinking).length === 0 ? undefined : thinking;
}

function readReasoning(reasoning: Tree, thinking: { -readonly [Name in keyof Thinking]: Thinking[Name] }): void {
  const effort = word(reasoning.effort);
  if (effort !== undefined) thinking.effort = effort;
  if (typeof reasoning.max_tokens === 'number') thinking.budgetTokens = reasoning.max_tokens;
  if (typeof reasoning.exclude === 'boolean') thinking.visible = !reasoning.exclude;
  if (typeof reasoning.enabled === 'boolean') thinking.mode = reasoning.enabled ? 'on' : 'off';
  const summary = word(reasoning.summary);
  if (summary !== undefined) thinking.summary = summary;
}

/** What is neither the conversation nor its sampling. A value that the neutral field cannot hold stays with its format. */
function readOptions(body: Tree, unknown: Record<string, unknown>): Partial<TextRequest> {
  const options: { -readonly [Name in keyof TextRequest]?: TextRequest[Name] } = {};
  const keep = (field: string): void => {
    if (body[field] !== undefined && body[field] !== null) unknown[field] = body[field];
  };
  if (body.logprobs === true) options.logprobs = { top: typeof body.top_logprobs === 'number' ? body.top_logprobs : 0 };
  else if (body.top_logprobs !== 0) keep('top_logprobs');
  const modalities = body.modalities;
  if (!Array.isArray(modalities) || !modalities.every((one) => typeof one === 'string')) keep('modalities');
  else if (modalities.some((one) => one !== 'text')) options.modalities = modalities;
  const audio = isObject(body.audio) ? readAudio(body.audio) : undefined;
  if (audio === undefined) keep('audio');
  else options.audio = audio;
  for (const [field, name] of wordFields) {
    const value = word(body[field]);
    if (value !== undefined) options[name] = value;
  }
  const identifier = word(body.safety_identifier);
  if (options.user !== undefined) keep('safety_identifier');
  else if (identifier !== undefined) options.user = identifier;
  const { metadata, store } = body;
  if (!isObject(metadata) || !Object.values(metadata).every((one) => typeof one === 'string')) keep('metadata');
  else if (Object.keys(metadata).length > 0) options.metadata = metadata as Record<string, string>;
  if (typeof store === 'boolean') options.store = store;
  return options;
}

const wordFields = [
  ['verbosity', 'verbosity'],
  ['service_tier', 'serviceTier'],
  ['user', 'user'],
  ['prompt_cache_key', 'promptCacheKey'],
] as const;

/** A voice may also be an object, which only the original service supports. */
function readAudio(audio: Tree): { voice?: string; format?: string } | undefined {
  if (audio.voice !== undefined && typeof audio.voice !== 'string') return undefined;
  return { ...defined('voice', word(audio.voice)), ...defined('format', word(audio.format)) };
}

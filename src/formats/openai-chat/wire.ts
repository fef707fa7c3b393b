/**
 * OpenAI Chat Completions: finish reasons, usage, ids and errors. https://developers.openai.com/api/reference/overview
 * (read 2026-11-15).
 */

import { isObject, type Tree } from '../../conversation/json-tree.ts';
import type { LossList } from '../../conversation/loss-list.ts';
import type { Part, Seal } from '../../conversation/parts.ts';
import { writeSeal } from '../../conversation/seals/seal.ts';
import type { Finish, FinishReason } from '../../conversation/text-reply.ts';
import type { Usage } from '../../conversation/usage.ts';

export const formatName = 'openai-chat';
export const replyIdPrefix = 'chatcmpl-';
export const callIdPrefix = 'call_';

type FinishWord = 'stop' | 'length' | 'tool_calls' | 'content_filter' | 'function_call';

const finishWords: Readonly<Record<FinishReason, FinishWord>> = {
  stop: 'stop',
  'stop-sequence': 'stop',
  length: 'length',
  'tool-calls': 'tool_calls',
  'content-filter': 'content_filter',
  refusal: 'content_filter',
  pause: 'stop',
  'malformed-call': 'stop',
  other: 'stop',
};

/** Reasons that the format can only write as `stop`. */
const unsupportedReasons: ReadonlySet<FinishReason> = new Set(['pause', 'malformed-call', 'other']);

/** `legacyFunctions` is the dialect before tools: the caller declared `functions` and reads only `function_call`. */
export function finishWord(finish: Finish, legacyFunctions: boolean, losses: LossList): FinishWord {
  if (unsupportedReasons.has(finish.reason))
    losses.add(`finish reason ${finish.raw ?? finish.reason}`, 'is written as `stop`');
  if (finish.stopSequence !== undefined) losses.add('stop sequence', 'the format does not say which one was met');
  // The original service ends a refusal with `stop`; where it was read from there, it is written back so.
  if (finish.reason === 'refusal' && finish.raw === 'stop') return 'stop';
  const word = finishWords[finish.reason];
  return legacyFunctions && word === 'tool_calls' ? 'function_call' : word;
}

/** The words of the original service and those that compatible ones use for the same. */
const finishReasons: ReadonlyMap<string, FinishReason> = new Map<string, FinishReason>([
  ['stop', 'stop'],
  ['eos', 'stop'],
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop-sequence'],
  ['length', 'length'],
  ['max_tokens', 'length'],
  ['model_length', 'length'],
  ['tool_calls', 'tool-calls'],
  ['function_call', 'tool-calls'],
  ['tool_use', 'tool-calls'],
  ['content_filter', 'content-filter'],
  ['safety', 'content-filter'],
  ['refusal', 'refusal'],
]);

/**
 * Some services send `stop` beside calls, and the original one beside a refusal: the content decides, the word is kept.
 */
export function readFinish(word: unknown, said: { readonly calls: boolean; readonly refusal: boolean }): Finish {
  if (typeof word !== 'string' || word === '') return { reason: said.calls ? 'tool-calls' : 'other' };
  const reason = finishReasons.get(word) ?? 'other';
  if (reason !== 'stop') return { reason, raw: word };
  return { reason: said.calls ? 'tool-calls' : said.refusal ? 'refusal' : 'stop', raw: word };
}

interface WireUsage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
  readonly prompt_tokens_details?: Readonly<Record<string, number>>;
  readonly completion_tokens_details?: Readonly<Record<string, number>>;
}

/** Undefined where nothing is known: a reply without `usage` is honest, one with invented zeros is not. */
export function writeUsage(usage: Usage): WireUsage | undefined {
  const { input, output } = usage;
  if (input.total === undefined && output.total === undefined) return undefined;
  const promptTokens = input.total ?? 0;
  const completionTokens = output.total ?? 0;
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
    ...details('prompt_tokens_details', 'cached_tokens', {
      cached_tokens: input.cacheRead,
      cache_write_tokens: input.cacheWrite,
      audio_tokens: input.audio,
      image_tokens: input.image,
      video_tokens: input.video,
    }),
    ...details('completion_tokens_details', 'reasoning_tokens', {
      reasoning_tokens: output.thinking,
      audio_tokens: output.audio,
      image_tokens: output.image,
      video_tokens: output.video,
      text_tokens: output.text,
    }),
  };
}

/** Nothing where no class is known: strict clients reject details without the member that all of them read. */
function details(
  holder: string,
  demanded: string,
  counts: Readonly<Record<string, number | undefined>>,
): { readonly [name: string]: Readonly<Record<string, number>> } {
  const known = Object.entries(counts).filter(([, count]) => count !== undefined);
  if (known.length === 0) return {};
  return { [holder]: { [demanded]: 0, ...(Object.fromEntries(known) as Record<string, number>) } };
}

/** The error envelope as the original service writes it: what is unknown is null. */
export function writeErrorBody(error: {
  readonly message: string;
  readonly type: string;
  readonly param?: string;
  readonly code?: string;
}): object {
  return {
    error: { message: error.message, type: error.type, param: error.param ?? null, code: error.code ?? null },
  };
}

/** Did the caller ask for the chunk that carries usage? */
export function asksForUsage(body: Tree): boolean {
  return isObject(body.stream_options) && body.stream_options.include_usage === true;
}

/** Does the caller use the dialect before tools? Its replies then carry `function_call`. */
export function usesLegacyFunctions(body: Tree): boolean {
  return Array.isArray(body.functions) && body.functions.length > 0 && !Array.isArray(body.tools);
}

/** An id of our own or of another format gets the prefix that clients of this one expect. */
export function prefixedId(id: string, prefix: string, newId: (prefix: string) => string): string {
  if (id === '') return newId(prefix);
  return id.startsWith(prefix) ? id : prefix + id;
}

const serviceTiers: ReadonlySet<string> = new Set(['auto', 'default', 'flex', 'scale', 'priority', 'fast']);

/** Strict clients reject a tier that is not of the list. */
export function writeServiceTier(tier: string | undefined, losses: LossList): { service_tier?: string } {
  if (tier === undefined) return {};
  if (serviceTiers.has(tier)) return { service_tier: tier };
  losses.add(`service tier ${tier}`, 'is not one of the format');
  return {};
}

/** Where compatible services put the signature of a call; clients that know them send it back. */
export function readCallSignature(call: Tree): string | undefined {
  const extra = call.extra_content;
  const holder = isObject(extra) && isObject(extra.google) ? extra.google.thought_signature : undefined;
  return typeof holder === 'string' && holder !== '' ? holder : undefined;
}

export function writeCallSignature(signature: string): object {
  return { google: { thought_signature: signature } };
}

export function writeCallSeal(seal: Seal | undefined): object {
  return seal === undefined ? {} : { extra_content: writeCallSignature(writeSeal(seal)) };
}

/** The signature of a call has a field, that of thinking is remembered with its calls; that of a text is lost. */
export function reportTextSeal(losses: LossList): void {
  losses.addOnce('signature of a text', 'the format has no field for it');
}

/** A message has one field for each kind, in this order; no other order of parts is supported. */
function rank(part: Part): number {
  if (part.type === 'thinking') return 0;
  return part.type === 'tool-call' ? 2 : 1;
}

export function keepsOrder(parts: readonly Part[]): boolean {
  let last = 0;
  for (const part of parts) {
    const own = rank(part);
    if (own < last) return false;
    last = own;
  }
  return true;
}

/** The chat format's small shared shapes: how it spells finish reasons, usage and errors. */

import type { FinishReason } from '../../conversation/text-reply.ts';
import type { Usage } from '../../conversation/usage.ts';
import { isObject } from './usage.ts';

export const formatName = 'openai-chat';

export type WireObject = { readonly [key: string]: unknown };

export type FinishWord = 'stop' | 'length' | 'tool_calls' | 'content_filter' | 'function_call';

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

/** `legacyFunctions` is the dialect of before tools: the caller declared `functions` and knows only `function_call`. */
export function finishWord(reason: FinishReason, legacyFunctions: boolean): FinishWord {
  const word = finishWords[reason];
  return legacyFunctions && word === 'tool_calls' ? 'function_call' : word;
}

export interface WireUsage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
  readonly prompt_tokens_details: Readonly<Record<string, number>>;
  readonly completion_tokens_details: Readonly<Record<string, number>>;
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
    prompt_tokens_details: known({
      cached_tokens: input.cacheRead,
      cache_write_tokens: input.cacheWrite,
      audio_tokens: input.audio,
      image_tokens: input.image,
    }),
    completion_tokens_details: known({
      reasoning_tokens: output.thinking,
      audio_tokens: output.audio,
      text_tokens: output.text,
    }),
  };
}

function known(counts: Readonly<Record<string, number | undefined>>): Record<string, number> {
  const result: Record<string, number> = {};
  for (const [name, count] of Object.entries(counts)) if (count !== undefined) result[name] = count;
  return result;
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
export function asksForUsage(body: WireObject): boolean {
  return isObject(body.stream_options) && body.stream_options.include_usage === true;
}

/** Does the caller speak the dialect of before tools? Its replies then carry `function_call`. */
export function speaksLegacyFunctions(body: WireObject): boolean {
  return Array.isArray(body.functions) && body.functions.length > 0 && !Array.isArray(body.tools);
}

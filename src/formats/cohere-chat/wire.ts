/**
 * Cohere Chat API v2: finish reasons, usage and sources. https://docs.cohere.com/reference/chat and
 * https://docs.cohere.com/reference/chat-stream (read 2026-11-15).
 */

import { countOf, defined, isObject } from '../../conversation/json-tree.ts';
import type { LossList } from '../../conversation/loss-list.ts';
import type { Citation } from '../../conversation/parts.ts';
import type { Finish, FinishReason } from '../../conversation/text-reply.ts';
import type { Usage } from '../../conversation/usage.ts';

export const formatName = 'cohere-chat';

type FinishWord = 'COMPLETE' | 'STOP_SEQUENCE' | 'MAX_TOKENS' | 'TOOL_CALL' | 'ERROR' | 'TIMEOUT';

const finishWords: Readonly<Record<FinishReason, FinishWord>> = {
  stop: 'COMPLETE',
  'stop-sequence': 'STOP_SEQUENCE',
  length: 'MAX_TOKENS',
  'tool-calls': 'TOOL_CALL',
  'content-filter': 'ERROR',
  refusal: 'COMPLETE',
  pause: 'COMPLETE',
  'malformed-call': 'ERROR',
  other: 'COMPLETE',
};

const unsupportedReasons: ReadonlySet<FinishReason> = new Set([
  'content-filter',
  'refusal',
  'pause',
  'malformed-call',
  'other',
]);

export function finishWord(finish: Finish, losses: LossList): FinishWord {
  const word = finishWords[finish.reason];
  if (finish.reason === 'other' && isFinishWord(finish.raw)) return finish.raw;
  if (unsupportedReasons.has(finish.reason)) {
    losses.add(`finish reason ${finish.raw ?? finish.reason}`, `is written as \`${word}\``);
  }
  if (finish.stopSequence !== undefined) losses.add('stop sequence', 'the format does not say which one was met');
  return word;
}

const finishReasons: ReadonlyMap<unknown, FinishReason> = new Map<unknown, FinishReason>([
  ['COMPLETE', 'stop'],
  ['STOP_SEQUENCE', 'stop-sequence'],
  ['MAX_TOKENS', 'length'],
  ['TOOL_CALL', 'tool-calls'],
  ['ERROR', 'other'],
  ['TIMEOUT', 'other'],
]);

function isFinishWord(word: unknown): word is FinishWord {
  return finishReasons.has(word);
}

export function readFinish(word: unknown): Finish {
  if (typeof word !== 'string' || word === '') return { reason: 'other' };
  return { reason: finishReasons.get(word) ?? 'other', raw: word };
}

/** The billed units are used; the tokens beside them include a prompt of the provider's own. */
export function readUsage(value: unknown): Usage | undefined {
  if (!isObject(value)) return undefined;
  const counted = isObject(value.billed_units) ? value.billed_units : value.tokens;
  if (!isObject(counted)) return undefined;
  const input = countOf(counted.input_tokens);
  const output = countOf(counted.output_tokens);
  if (input === undefined && output === undefined) return undefined;
  const cached = countOf(value.cached_tokens);
  // Cached tokens of the provider's own prompt are not the caller's.
  const cacheRead = cached === undefined || input === undefined ? undefined : Math.min(cached, input);
  const isCallers = cached !== undefined && cached === cacheRead;
  return { input: { total: input, ...(isCallers && { cacheRead }) }, output: { total: output } };
}

/** Undefined where nothing is known. */
export function writeUsage({ input, output }: Usage): object | undefined {
  if (input.total === undefined && output.total === undefined) return undefined;
  const counts = {
    ...(input.total !== undefined && { input_tokens: input.total }),
    ...(output.total !== undefined && { output_tokens: output.total }),
  };
  return {
    billed_units: counts,
    tokens: counts,
    ...(input.cacheRead !== undefined && { cached_tokens: input.cacheRead }),
  };
}

/** A citation names documents; the URL and title of one of them are kept. */
export function readCitation(value: unknown): Citation | undefined {
  if (!isObject(value)) return undefined;
  const [source] = Array.isArray(value.sources) ? value.sources.filter(isObject) : [];
  const document = isObject(source?.document)
    ? source.document
    : isObject(source?.tool_output)
      ? source.tool_output
      : {};
  const text = (name: string): string | undefined => {
    const found = document[name];
    return typeof found === 'string' && found !== '' ? found : undefined;
  };
  const url = text('url');
  const title = text('title');
  const quote = text('text') ?? text('snippet');
  return {
    ...(url !== undefined && { url }),
    ...(title !== undefined && { title }),
    ...(quote !== undefined && { quote }),
    ...defined('start', countOf(value.start)),
    ...defined('end', countOf(value.end)),
    native: { format: formatName, value },
  };
}

/** `index` is the place of the content that it is about, `text` that content as far as it is written. */
export function writeCitation(citation: Citation, index: number, text: string): object {
  if (citation.native?.format === formatName && isObject(citation.native.value)) return citation.native.value;
  const start = Math.min(citation.start ?? 0, text.length);
  const end = Math.min(citation.end ?? text.length, text.length);
  const { url, title, quote } = citation;
  const document = {
    ...(title !== undefined && { title }),
    ...(url !== undefined && { url }),
    ...(quote !== undefined && { text: quote }),
  };
  return {
    start,
    end,
    text: text.slice(start, end),
    sources: [{ type: 'document', id: url ?? title ?? `source-${index}`, document }],
    content_index: index,
    type: 'TEXT_CONTENT',
  };
}

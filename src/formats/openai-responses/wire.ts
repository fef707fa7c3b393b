/**
 * OpenAI Responses API: finish reasons, logprobs, citations and encrypted reasoning, read and written in one place.
 * https://developers.openai.com/api/reference/overview (read 2026-11-15).
 */

import { isObject, type Tree } from '../../conversation/json-tree.ts';
import type { Citation, Seal, TokenLogprob } from '../../conversation/parts.ts';
import { isOwnId } from '../../conversation/references/own-ids.ts';
import { readSeal, sealPrefix } from '../../conversation/seals/seal.ts';
import type { Finish, FinishReason } from '../../conversation/text-reply.ts';

export const formatName = 'openai-responses';

/** The field of a request that holds the conversation. */
export const promptField = 'input';

export const sealedThinking = 'reasoning.encrypted_content';
export const tokenLogprobs = 'message.output_text.logprobs';

/** A value that is a text, or nothing. */
export function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A completed reply does not say why it ended: its content does. */
export function readFinish(response: Tree, status: unknown, calls: boolean, refused: boolean): Finish {
  if (status === 'incomplete') {
    const details = response['incomplete_details'];
    const raw = (isObject(details) ? text(details['reason']) : undefined) ?? 'incomplete';
    return {
      reason: raw === 'max_output_tokens' ? 'length' : raw === 'content_filter' ? 'content-filter' : 'other',
      raw,
    };
  }
  const raw = text(status) ?? 'completed';
  if (raw === 'cancelled') return { reason: 'other', raw };
  return { reason: calls ? 'tool-calls' : refused ? 'refusal' : 'stop', raw };
}

interface WireEnding {
  readonly status: 'completed' | 'incomplete' | 'failed';
  readonly reason?: 'max_output_tokens' | 'content_filter';
  /** The part of the finish that the format does not support. */
  readonly loss?: string;
}

const completed: WireEnding = { status: 'completed' };

const endings: Readonly<Record<FinishReason, WireEnding>> = {
  stop: completed,
  'tool-calls': completed,
  refusal: completed,
  'stop-sequence': { status: 'completed', loss: 'has no word for a stop sequence that was hit' },
  pause: { status: 'completed', loss: 'has no word for a pause' },
  'malformed-call': { status: 'completed', loss: 'has no word for a malformed tool call' },
  other: { status: 'completed', loss: 'has no word for this end' },
  length: { status: 'incomplete', reason: 'max_output_tokens' },
  'content-filter': { status: 'incomplete', reason: 'content_filter' },
};

/**
 * A refusal is a part; if the provider gave only a finish reason, the filter's word tells that something was held back.
 */
export function writeEnding(finish: Finish, refused: boolean): WireEnding {
  return endings[finish.reason === 'refusal' && !refused ? 'content-filter' : finish.reason];
}

export function readLogprobs(value: unknown): TokenLogprob[] | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const result: TokenLogprob[] = [];
  for (const entry of value) {
    if (!isObject(entry) || typeof entry['token'] !== 'string' || typeof entry['logprob'] !== 'number') continue;
    const top = readLogprobs(entry['top_logprobs']);
    result.push({
      token: entry['token'],
      logprob: entry['logprob'],
      ...(Array.isArray(entry['bytes']) ? { bytes: entry['bytes'] as number[] } : {}),
      ...(top === undefined ? {} : { top }),
    });
  }
  return result;
}

/** The format wants bytes and alternatives always; the bytes of a token are those of its text. */
export function writeLogprob(entry: TokenLogprob): object {
  return { ...likelihood(entry), top_logprobs: (entry.top ?? []).map(likelihood) };
}

function likelihood(entry: { readonly token: string; readonly logprob: number; readonly bytes?: readonly number[] }) {
  return { token: entry.token, logprob: entry.logprob, bytes: entry.bytes ?? [...Buffer.from(entry.token)] };
}

export function readAnnotation(value: unknown): Citation | undefined {
  if (!isObject(value)) return undefined;
  const url = text(value['url']);
  const title = text(value['title']) ?? text(value['filename']);
  return {
    ...(url === undefined ? {} : { url }),
    ...(title === undefined ? {} : { title }),
    ...(typeof value['start_index'] === 'number' ? { start: value['start_index'] } : {}),
    ...(typeof value['end_index'] === 'number' ? { end: value['end_index'] } : {}),
    native: { format: formatName, value },
  };
}

/** An annotation of this format's own: it carries its position. */
export function isOwn({ native }: Citation): boolean {
  return native?.format === formatName && isObject(native.value);
}

/**
 * The citation of a text that begins at `offset` of the written text; without a range it covers the whole of its own.
 */
export function movedCitation(citation: Citation, offset: number, length: number): Citation {
  const { start = 0, end = length, native } = citation;
  const moved = { ...citation, start: start + offset, end: end + offset };
  if (offset === 0 || !isOwn(citation) || !isObject(native?.value)) return moved;
  const value: Record<string, unknown> = { ...native.value };
  for (const name of ['start_index', 'end_index'] as const) {
    if (typeof value[name] === 'number') value[name] += offset;
  }
  return { ...moved, native: { format: formatName, value } };
}

/** Undefined where the citation has no URL: the format's other citations are of its own files. */
export function writeAnnotation(citation: Citation, textLength: number): object | undefined {
  if (isOwn(citation) && isObject(citation.native?.value)) return citation.native.value;
  if (citation.url === undefined) return undefined;
  return {
    type: 'url_citation',
    url: citation.url,
    title: citation.title ?? citation.url,
    start_index: citation.start ?? 0,
    end_index: citation.end ?? textLength,
  };
}

/**
 * Sealed thinking is bound to the id of its item: a provider refuses it under another one. So the two are carried as
 * one value, whatever the client's format is.
 */
export function joinSeal(id: unknown, encrypted: string): string {
  if (typeof id !== 'string' || id === '' || id.includes('#') || isOwnId(id)) return encrypted;
  // A value that Weir wrapped holds all that its origin needs, so its item's id does not matter.
  return encrypted.startsWith(sealPrefix) ? encrypted : `${id}#${encrypted}`;
}

export function splitSeal(value: string): { readonly id: string | undefined; readonly encrypted: string } {
  const at = value.indexOf('#');
  return at < 1 ? { id: undefined, encrypted: value } : { id: value.slice(0, at), encrypted: value.slice(at + 1) };
}

/** What a client sends back: our own wrapping is opened, a provider's value is joined with the id beside it. */
export function readClientSeal(item: Tree): Seal | undefined {
  const encrypted = text(item['encrypted_content']);
  if (encrypted === undefined || encrypted === '') return undefined;
  const seal = readSeal(encrypted, formatName);
  return seal.value === encrypted ? { ...seal, value: joinSeal(item['id'], encrypted) } : seal;
}

const partBreak = '\n\n';

/** A reasoning item's text: the parts of its summary and of its content, in their order. Undefined where it has no such part. */
export function thinkingText(item: Tree): string | undefined {
  let result: string | undefined;
  for (const field of ['summary', 'content'] as const) {
    for (const part of list(item[field])) {
      const piece = isObject(part) ? text(part['text']) : undefined;
      if (piece !== undefined) result = result === undefined ? piece : result + partBreak + piece;
    }
  }
  return result;
}

export function saysSomething(item: Tree): boolean {
  const said = thinkingText(item);
  return said !== undefined && said !== '';
}

/** No id to look it up by, no words and nothing sealed. */
export function saysNothing(item: Tree): boolean {
  const { id, encrypted_content } = item;
  const isNamed = typeof id === 'string' && id !== '';
  return !isNamed && (typeof encrypted_content !== 'string' || encrypted_content === '') && !saysSomething(item);
}

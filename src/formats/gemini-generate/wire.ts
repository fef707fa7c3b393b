/**
 * Google Gemini generateContent: field names in both spellings, finish reasons, media kinds and signatures.
 * https://ai.google.dev/api/generate-content (read 2026-11-16).
 */

import type { Tree } from '../../conversation/json-tree.ts';
import type { MediaPart, Seal } from '../../conversation/parts.ts';
import { readSeal, writeSeal } from '../../conversation/seals/seal.ts';
import type { Finish, FinishReason } from '../../conversation/text-reply.ts';
import { enumWord, finishReasons as numberedFinishes } from './enum-words.ts';

export const formatName = 'gemini-generate';

/** The documented value for a call whose signature is unknown: the validator accepts it. */
export const skippedSignature = 'skip_thought_signature_validator';

const snakeNames = new Map<string, string>();
const snakeNamesMax = 500;

export function snakeName(name: string): string {
  let snake = snakeNames.get(name);
  if (snake === undefined) {
    snake = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    // Most names are the wire's own, but some come from callers.
    if (snakeNames.size < snakeNamesMax) snakeNames.set(name, snake);
  }
  return snake;
}

/**
 * A request's field: clients write `generationConfig` and `generation_config` alike. Null means the same as absence.
 */
export function said(tree: Tree, name: string): unknown {
  return tree[name] ?? tree[snakeName(name)] ?? undefined;
}

/** A field that is repeated on the wire may come as its only element. */
export function listOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return value === undefined || value === null ? [] : [value];
}

/** Every word of the wire and what it means; `STOP` beside calls means `tool-calls`. */
const finishReasons: ReadonlyMap<string, FinishReason> = new Map([
  ['STOP', 'stop'],
  ['MAX_TOKENS', 'length'],
  ['SAFETY', 'content-filter'],
  ['RECITATION', 'content-filter'],
  ['LANGUAGE', 'content-filter'],
  ['BLOCKLIST', 'content-filter'],
  ['PROHIBITED_CONTENT', 'content-filter'],
  ['SPII', 'content-filter'],
  ['MODEL_ARMOR', 'content-filter'],
  ['IMAGE_SAFETY', 'content-filter'],
  ['IMAGE_PROHIBITED_CONTENT', 'content-filter'],
  ['IMAGE_RECITATION', 'content-filter'],
  ['MALFORMED_FUNCTION_CALL', 'malformed-call'],
  ['UNEXPECTED_TOOL_CALL', 'malformed-call'],
  ['OTHER', 'other'],
  ['IMAGE_OTHER', 'other'],
  ['NO_IMAGE', 'other'],
  ['TOO_MANY_TOOL_CALLS', 'other'],
  ['MISSING_THOUGHT_SIGNATURE', 'other'],
  ['MALFORMED_RESPONSE', 'other'],
]);

const finishWords: Readonly<Record<FinishReason, string>> = {
  stop: 'STOP',
  'stop-sequence': 'STOP',
  'tool-calls': 'STOP',
  length: 'MAX_TOKENS',
  'content-filter': 'SAFETY',
  refusal: 'SAFETY',
  'malformed-call': 'MALFORMED_FUNCTION_CALL',
  pause: 'OTHER',
  other: 'OTHER',
};

export function readFinish(raw: string, called: boolean): Finish {
  const reason = finishReasons.get(raw) ?? finishReasons.get(raw.toUpperCase()) ?? 'other';
  return { reason: reason === 'stop' && called ? 'tool-calls' : reason, raw };
}

/** The model's call cannot be read, so its turn is not over: in other formats this is a failure, not a finish. */
const failedFinishes: ReadonlySet<string> = new Set([
  'MALFORMED_FUNCTION_CALL',
  'UNEXPECTED_TOOL_CALL',
  'MALFORMED_RESPONSE',
]);

export function isFailedFinish(raw: unknown): raw is string {
  return typeof raw === 'string' && failedFinishes.has(raw);
}

/** A word of our own wire comes back as it was; a word of another wire is translated by its meaning. */
export function finishWord({ reason, raw }: Finish): string {
  if (raw !== undefined && (finishReasons.get(raw) ?? '') === (reason === 'tool-calls' ? 'stop' : reason)) return raw;
  return finishWords[reason];
}

/**
 * The provider's word; undefined for the wire's default value, which means that there is no finish yet. Unknown numbers
 * are kept.
 */
export function finishOf(value: unknown): string | undefined {
  const word = enumWord(value, numberedFinishes);
  if (word === '' || word === 'FINISH_REASON_UNSPECIFIED') return undefined;
  return typeof word === 'string' || typeof word === 'number' ? String(word) : undefined;
}

/** The media type alone tells the kind of a file; what is neither image, audio nor video is a document. */
export function mediaKind(mediaType: string | undefined): MediaPart['media'] {
  const kind = mediaType?.slice(0, mediaType.indexOf('/')).toLowerCase();
  return kind === 'image' || kind === 'audio' || kind === 'video' ? kind : 'document';
}

/**
 * Thinking that the provider hid altogether looks on this wire like thinking without text; the mark distinguishes them.
 */
const redactedMark = 'redacted:';

export function writeThinkingSeal(seal: Seal, redacted: boolean): string {
  return writeSeal(redacted ? { ...seal, value: redactedMark + seal.value } : seal);
}

export function readThinkingSeal(text: string): { readonly seal: Seal; readonly redacted: boolean } {
  const seal = readSeal(text, formatName);
  if (!seal.value.startsWith(redactedMark)) return { seal, redacted: false };
  return { seal: { ...seal, value: seal.value.slice(redactedMark.length) }, redacted: true };
}

/** The skip value means "no signature", so it is read as none; writing puts it back where one is demanded. */
export function readSignature(part: Tree): string | undefined {
  const value = said(part, 'thoughtSignature');
  return typeof value === 'string' && value !== '' && value !== skippedSignature ? value : undefined;
}

/** Reads one part of a content: its fields, without its role. */

import { defined, isObject, type Tree } from '../../../conversation/json-tree.ts';
import type { MediaPart, MediaSource, TextPart } from '../../../conversation/parts.ts';
import { listOf, mediaKind, said } from '../wire.ts';

const resolutions: ReadonlyMap<unknown, string> = new Map([
  ['MEDIA_RESOLUTION_LOW', 'low'],
  ['MEDIA_RESOLUTION_MEDIUM', 'medium'],
  ['MEDIA_RESOLUTION_HIGH', 'high'],
  ['MEDIA_RESOLUTION_ULTRA_HIGH', 'ultra_high'],
]);

/** Bytes in the part or a URI. Undefined where the part holds neither. */
export function readMedia(part: Tree): MediaPart | undefined {
  const inline = said(part, 'inlineData');
  const file = said(part, 'fileData');
  const holder = isObject(inline) ? inline : isObject(file) ? file : undefined;
  if (holder === undefined) return undefined;
  const source = holder === inline ? holder.data : said(holder, 'fileUri');
  if (typeof source !== 'string') return undefined;
  const mediaType = textOf(said(holder, 'mimeType'));
  return {
    type: 'media',
    media: mediaKind(mediaType),
    ...defined('mediaType', mediaType),
    source: holder === inline ? readBytes(plainBase64(source), mediaType) : { kind: 'url', url: source },
    ...defined('filename', textOf(said(holder, 'displayName'))),
    ...defined('detail', readDetail(said(part, 'mediaResolution'))),
  };
}

/** Plain text is read as such: formats that take few types of documents take it as text. */
function readBytes(data: string, mediaType: string | undefined): MediaSource {
  if (mediaType !== 'text/plain') return { kind: 'base64', data };
  const text = Buffer.from(data, 'base64').toString('utf8');
  return text.includes('\uFFFD') ? { kind: 'base64', data } : { kind: 'text', text };
}

/**
 * This format's JSON accepts URL-safe base64 too, and its Python library writes it
 * (https://protobuf.dev/programming-guides/json/, read 2026-11-15); no other format does.
 */
function plainBase64(data: string): string {
  return /[-_]/.test(data) ? data.replaceAll('-', '+').replaceAll('_', '/') : data;
}

function readDetail(value: unknown): string | undefined {
  return resolutions.get(isObject(value) ? value.level : value);
}

/** A call's arguments as a text; no arguments are an empty object. */
export function argumentsOf(call: Tree): string {
  return isObject(call.args) ? JSON.stringify(call.args) : '{}';
}

interface FunctionAnswer {
  readonly parts: readonly (TextPart | MediaPart)[];
  readonly failed: boolean;
}

/**
 * By the format's convention the answer is under `output` and a failure under `error`; an object with neither is the
 * answer itself. Texts stay texts, everything else becomes its JSON.
 */
export function readAnswer(response: Tree): FunctionAnswer {
  const value = response.response;
  const parts: (TextPart | MediaPart)[] = [];
  let failed = false;
  if (isObject(value)) {
    const names = Object.keys(value);
    const only = names.length === 1 ? names[0] : undefined;
    failed = value.error !== undefined && value.error !== null && value.output === undefined;
    parts.push(...textsOf(only === 'output' || only === 'error' ? value[only] : value));
  } else if (value !== undefined && value !== null) {
    parts.push(...textsOf(value));
  }
  for (const inner of listOf(response.parts)) {
    const media = isObject(inner) ? readMedia(inner) : undefined;
    if (media !== undefined) parts.push(media);
  }
  return { parts, failed };
}

function textsOf(answer: unknown): TextPart[] {
  if (typeof answer === 'string') return [{ type: 'text', text: answer }];
  if (answer === undefined || answer === null) return [];
  if (Array.isArray(answer) && answer.length > 1 && answer.every(isTextBlock)) {
    return answer.map(({ text }) => ({ type: 'text', text }));
  }
  return [{ type: 'text', text: JSON.stringify(answer) }];
}

/** Several texts in one answer, the way tool servers list them; `writeAnswer` writes them so. */
function isTextBlock(value: unknown): value is { type: 'text'; text: string } {
  return isObject(value) && value.type === 'text' && typeof value.text === 'string' && Object.keys(value).length === 2;
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

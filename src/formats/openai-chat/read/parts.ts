/** Reads the parts of a chat message's content, whether a client sends them or a provider answers with them. */

import { defined, isObject, type Tree } from '../../../conversation/json-tree.ts';
import type { CacheMark, MediaPart, MediaSource, Part } from '../../../conversation/parts.ts';
import { formatName } from '../wire.ts';

/** Undefined where the value is no part at all. */
export function readPart(part: unknown): Part | undefined {
  if (typeof part === 'string') return { type: 'text', text: part };
  if (!isObject(part)) return undefined;
  const mark = readCacheMark(part);
  switch (part.type) {
    case 'text':
    case 'input_text':
    case 'output_text':
      return typeof part.text === 'string' ? { type: 'text', text: part.text, ...mark } : undefined;
    case 'thinking':
      return { type: 'thinking', text: nestedText(part.thinking) };
    case 'refusal':
      return typeof part.refusal === 'string' ? { type: 'refusal', text: part.refusal } : undefined;
    case 'image_url':
      return readLinkedMedia('image', part.image_url, mark);
    case 'video_url':
      return readLinkedMedia('video', part.video_url, mark);
    case 'input_audio':
      return readAudio(part.input_audio, mark);
    case 'file':
      return readFile(part.file, mark);
    default:
      return { type: 'native', format: formatName, value: part };
  }
}

/** Thinking inside the content is a text or a list of texts, depending on the service. */
function nestedText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (!Array.isArray(value)) return '';
  let text = '';
  for (const entry of value) if (isObject(entry) && typeof entry.text === 'string') text += entry.text;
  return text;
}

type Mark = { readonly cacheMark?: CacheMark };

/** The original service and compatible ones spell the mark differently. */
export function readCacheMark(holder: Tree): Mark {
  const value = holder.cache_control ?? holder.prompt_cache_breakpoint;
  if (!isObject(value)) return {};
  return { cacheMark: typeof value.ttl === 'string' ? { lifetime: value.ttl } : {} };
}

export function readLinkedMedia(media: 'image' | 'video', value: unknown, mark: Mark): MediaPart | undefined {
  const url = isObject(value) ? value.url : value;
  if (typeof url !== 'string') return undefined;
  const detail = isObject(value) && typeof value.detail === 'string' ? value.detail : undefined;
  return { type: 'media', media, ...readSource(url), ...defined('detail', detail), ...mark };
}

/** A data URL carries the bytes themselves; any other URL only refers to them. */
function readSource(url: string): { readonly source: MediaSource; readonly mediaType?: string } {
  if (!url.startsWith('data:')) return { source: { kind: 'url', url } };
  const comma = url.indexOf(',');
  const head = comma < 0 ? '' : url.slice('data:'.length, comma);
  if (!head.endsWith(';base64')) return { source: { kind: 'url', url } };
  const mediaType = head.slice(0, -';base64'.length);
  const source: MediaSource = { kind: 'base64', data: url.slice(comma + 1) };
  return mediaType === '' ? { source } : { source, mediaType };
}

function audioType(format: string): string {
  return format === 'mp3' ? 'audio/mpeg' : `audio/${format}`;
}

function readAudio(value: unknown, mark: Mark): MediaPart | undefined {
  if (!isObject(value) || typeof value.data !== 'string') return undefined;
  const mediaType = typeof value.format === 'string' ? audioType(value.format) : undefined;
  const source: MediaSource = { kind: 'base64', data: value.data };
  return { type: 'media', media: 'audio', ...defined('mediaType', mediaType), source, ...mark };
}

function readFile(value: unknown, mark: Mark): MediaPart | undefined {
  if (!isObject(value)) return undefined;
  const filename = defined('filename', typeof value.filename === 'string' ? value.filename : undefined);
  if (typeof value.file_data === 'string') {
    const isAddress = /^(data|https?):/.test(value.file_data);
    const held = isAddress
      ? readSource(value.file_data)
      : { source: { kind: 'base64', data: value.file_data } as const };
    return { type: 'media', media: 'document', ...held, ...filename, ...mark };
  }
  if (typeof value.file_id !== 'string') return undefined;
  return { type: 'media', media: 'document', source: { kind: 'file-id', id: value.file_id }, ...filename, ...mark };
}

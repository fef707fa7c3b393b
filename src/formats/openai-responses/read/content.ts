/**
 * Reads the parts of a message or of a tool's output: texts, refusals, images, files and audio in items of this format.
 */

import { isObject, type Tree } from '../../../conversation/json-tree.ts';
import type { LossList } from '../../../conversation/loss-list.ts';
import type { CacheMark, Citation, MediaPart, MediaSource, Part, TextPart } from '../../../conversation/parts.ts';
import { formatName, list, readAnnotation, readLogprobs, text } from '../wire.ts';

/** A list of parts, or the text that is its only one. An empty text is no part. */
export function readContent(value: unknown, path: string, losses: LossList): Part[] {
  if (value === undefined || value === null || value === '') return [];
  if (typeof value === 'string') return [{ type: 'text', text: value }];
  if (!Array.isArray(value)) {
    losses.add(path, 'is neither a text nor a list of parts');
    return [];
  }
  const parts: Part[] = [];
  for (let index = 0; index < value.length; index++) {
    const part = readPart(value[index]);
    if (part === undefined) losses.add(`${path}[${index}]`, 'is not a part');
    else parts.push(part);
  }
  return parts;
}

function readPart(part: unknown): Part | undefined {
  if (typeof part === 'string') return { type: 'text', text: part };
  if (!isObject(part)) return undefined;
  switch (part['type']) {
    case 'input_text':
    case 'text':
    case 'summary_text':
      return typeof part['text'] === 'string' ? { type: 'text', text: part['text'], ...readMark(part) } : undefined;
    case 'output_text':
      return readOutputText(part);
    case 'refusal':
      return typeof part['refusal'] === 'string' ? { type: 'refusal', text: part['refusal'] } : undefined;
    case 'input_image':
      return readImage(part, readMark(part));
    case 'input_file':
      return readFile(part, readMark(part));
    case 'input_audio':
      return readAudio(part['input_audio']);
    case 'input_video':
      return readVideo(part);
    default:
      return { type: 'native', format: formatName, value: part };
  }
}

function readOutputText(part: Tree): TextPart | undefined {
  if (typeof part['text'] !== 'string') return undefined;
  const citations: Citation[] = [];
  for (const annotation of list(part['annotations'])) {
    const citation = readAnnotation(annotation);
    if (citation !== undefined) citations.push(citation);
  }
  const logprobs = readLogprobs(part['logprobs']);
  return {
    type: 'text',
    text: part['text'],
    ...(citations.length === 0 ? {} : { citations }),
    ...(logprobs === undefined ? {} : { logprobs }),
  };
}

type Mark = { readonly cacheMark?: CacheMark };

function readMark(part: Tree): Mark {
  return isObject(part['prompt_cache_breakpoint']) ? { cacheMark: {} } : {};
}

function readImage(part: Tree, mark: Mark): MediaPart | undefined {
  const named = part['image_url'];
  const url = isObject(named) ? named['url'] : named;
  const detail = text(part['detail']);
  const rest = { ...(detail === undefined ? {} : { detail }), ...mark };
  if (typeof url === 'string') return { type: 'media', media: 'image', ...readAddress(url), ...rest };
  const id = text(part['file_id']);
  return id === undefined ? undefined : { type: 'media', media: 'image', source: { kind: 'file-id', id }, ...rest };
}

interface Held {
  readonly source: MediaSource;
  readonly mediaType?: string;
}

/** A data URL carries the bytes themselves; any other URL only refers to them. */
function readAddress(url: string): Held {
  if (!url.startsWith('data:')) return { source: { kind: 'url', url } };
  const comma = url.indexOf(',');
  const head = comma < 0 ? '' : url.slice('data:'.length, comma);
  if (!head.endsWith(';base64')) return { source: { kind: 'url', url } };
  const mediaType = head.slice(0, -';base64'.length);
  const source: MediaSource = { kind: 'base64', data: url.slice(comma + 1) };
  return mediaType === '' ? { source } : { source, mediaType };
}

function readFile(part: Tree, mark: Mark): MediaPart | undefined {
  const filename = text(part['filename']);
  const held = readHeldFile(part);
  if (held === undefined) return undefined;
  return { type: 'media', media: 'document', ...held, ...(filename === undefined ? {} : { filename }), ...mark };
}

function readHeldFile(part: Tree): Held | undefined {
  const { file_data: data, file_url: url, file_id: id } = part;
  if (typeof data === 'string') {
    return data.startsWith('data:') ? asText(readAddress(data)) : { source: { kind: 'base64', data } };
  }
  if (typeof url === 'string') return { source: { kind: 'url', url } };
  return typeof id === 'string' ? { source: { kind: 'file-id', id } } : undefined;
}

/** Plain text becomes a text part: formats that accept only a few document types accept it as such. */
function asText(held: Held): Held {
  if (held.mediaType !== 'text/plain' || held.source.kind !== 'base64') return held;
  const bytes = Buffer.from(held.source.data, 'base64');
  const decoded = bytes.toString('utf8');
  return decoded.includes('\uFFFD') ? held : { source: { kind: 'text', text: decoded }, mediaType: held.mediaType };
}

function readAudio(value: unknown): MediaPart | undefined {
  if (!isObject(value) || typeof value['data'] !== 'string') return undefined;
  const format = text(value['format']);
  const mediaType = format === undefined ? {} : { mediaType: format === 'mp3' ? 'audio/mpeg' : `audio/${format}` };
  return { type: 'media', media: 'audio', ...mediaType, source: { kind: 'base64', data: value['data'] } };
}

function readVideo(part: Tree): MediaPart | undefined {
  const url = text(part['video_url']);
  return url === undefined ? undefined : { type: 'media', media: 'video', ...readAddress(url) };
}

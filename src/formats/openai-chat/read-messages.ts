/** Reads the chat format's messages into neutral ones, the deprecated function turns included. */

import type {
  CacheMark,
  MediaPart,
  MediaSource,
  Message,
  NativePart,
  Part,
  TextPart,
} from '../../conversation/parts.ts';
import type { LossList } from './losses.ts';
import { isObject } from './usage.ts';
import { formatName, type WireObject } from './wire.ts';

const carriedFields: ReadonlySet<string> = new Set([
  'role',
  'content',
  'name',
  'refusal',
  'reasoning_content',
  'reasoning',
  'tool_calls',
  'tool_call_id',
  'function_call',
]);

export function readMessages(value: unknown, losses: LossList): Message[] {
  if (!Array.isArray(value)) {
    losses.add('messages', 'is not a list');
    return [];
  }
  const functions = new LegacyCalls();
  const messages: Message[] = [];
  for (const [index, entry] of value.entries()) {
    if (isObject(entry)) messages.push(readMessage(entry, `messages[${index}]`, functions, losses));
    else losses.add(`messages[${index}]`, 'is not an object');
  }
  return messages;
}

/** Function turns of before tools carry no ids, so a call and its result are paired by name and order. */
class LegacyCalls {
  #made = 0;
  readonly #waiting = new Map<string, string[]>();

  call(name: string): string {
    const id = `function-call-${++this.#made}`;
    const waiting = this.#waiting.get(name) ?? [];
    waiting.push(id);
    this.#waiting.set(name, waiting);
    return id;
  }

  result(name: string): string {
    return this.#waiting.get(name)?.shift() ?? `function-call-${++this.#made}`;
  }
}

function readMessage(message: WireObject, path: string, functions: LegacyCalls, losses: LossList): Message {
  for (const [field, value] of Object.entries(message)) {
    const empty = value === null || value === undefined || (Array.isArray(value) && value.length === 0);
    if (!empty && !carriedFields.has(field)) losses.add(`${path}.${field}`, 'has no place in a neutral message');
  }
  const name = typeof message.name === 'string' ? message.name : undefined;
  const named = name === undefined ? {} : { name };
  const content = readContent(message.content, path, losses);
  switch (message.role) {
    case 'system':
    case 'developer':
      return { role: 'instruction', parts: content, ...named };
    case 'assistant':
      return { role: 'assistant', parts: readAssistant(message, content, path, functions, losses), ...named };
    case 'tool':
    case 'function': {
      const given = typeof message.tool_call_id === 'string' ? message.tool_call_id : undefined;
      const callId = given ?? (message.role === 'function' ? functions.result(name ?? '') : '');
      return {
        role: 'tool',
        parts: [{ type: 'tool-result', callId, parts: resultParts(content), failed: false }],
        ...named,
      };
    }
    case 'user':
      return { role: 'user', parts: content, ...named };
    default:
      losses.add(`${path}.role`, 'is a role the neutral message does not know; read as the user');
      return { role: 'user', parts: content, ...named };
  }
}

function resultParts(content: readonly Part[]): (TextPart | MediaPart | NativePart)[] {
  return content.filter((part): part is TextPart | MediaPart | NativePart => {
    return part.type === 'text' || part.type === 'media' || part.type === 'native';
  });
}

/** Thinking comes first and calls last, which is the order in which a model made them. */
function readAssistant(
  message: WireObject,
  content: readonly Part[],
  path: string,
  functions: LegacyCalls,
  losses: LossList,
): Part[] {
  const parts: Part[] = [];
  const thinking = message.reasoning_content ?? message.reasoning;
  if (typeof thinking === 'string' && thinking !== '') parts.push({ type: 'thinking', text: thinking });
  parts.push(...content);
  if (typeof message.refusal === 'string' && message.refusal !== '') {
    parts.push({ type: 'refusal', text: message.refusal });
  }
  for (const [index, call] of (Array.isArray(message.tool_calls) ? message.tool_calls : []).entries()) {
    const called = isObject(call) && isObject(call.function) ? call.function : undefined;
    if (called === undefined || !isObject(call)) losses.add(`${path}.tool_calls[${index}]`, 'is not a function call');
    else
      parts.push({ type: 'tool-call', id: text(call.id), name: text(called.name), arguments: text(called.arguments) });
  }
  if (isObject(message.function_call)) {
    const name = text(message.function_call.name);
    const id = functions.call(name);
    parts.push({ type: 'tool-call', id, name, arguments: text(message.function_call.arguments) });
  }
  return parts;
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function readContent(value: unknown, path: string, losses: LossList): Part[] {
  if (value === undefined || value === null || value === '') return [];
  if (typeof value === 'string') return [{ type: 'text', text: value }];
  if (!Array.isArray(value)) {
    losses.add(`${path}.content`, 'is neither a text nor a list of parts');
    return [];
  }
  const parts: Part[] = [];
  for (const [index, entry] of value.entries()) {
    const part = typeof entry === 'string' ? ({ type: 'text', text: entry } as const) : readPart(entry);
    if (part === undefined) losses.add(`${path}.content[${index}]`, 'is not a part');
    else parts.push(part);
  }
  return parts;
}

function readPart(part: unknown): Part | undefined {
  if (!isObject(part)) return undefined;
  const mark = readCacheMark(part.cache_control);
  switch (part.type) {
    case 'text':
    case 'input_text':
      return typeof part.text === 'string' ? { type: 'text', text: part.text, ...mark } : undefined;
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

type Mark = { readonly cacheMark?: CacheMark };

function readCacheMark(value: unknown): Mark {
  if (!isObject(value)) return {};
  return { cacheMark: typeof value.ttl === 'string' ? { lifetime: value.ttl } : {} };
}

function readLinkedMedia(media: 'image' | 'video', value: unknown, mark: Mark): MediaPart | undefined {
  const url = isObject(value) ? value.url : value;
  if (typeof url !== 'string') return undefined;
  const detail = isObject(value) && typeof value.detail === 'string' ? { detail: value.detail } : {};
  return { type: 'media', media, ...readSource(url), ...detail, ...mark };
}

/** A data URL carries the bytes themselves; any other address only names them. */
function readSource(url: string): { readonly source: MediaSource; readonly mediaType?: string } {
  if (!url.startsWith('data:')) return { source: { kind: 'url', url } };
  const comma = url.indexOf(',');
  const head = comma < 0 ? '' : url.slice('data:'.length, comma);
  if (!head.endsWith(';base64')) return { source: { kind: 'url', url } };
  const mediaType = head.slice(0, -';base64'.length);
  const source: MediaSource = { kind: 'base64', data: url.slice(comma + 1) };
  return mediaType === '' ? { source } : { source, mediaType };
}

function readAudio(value: unknown, mark: Mark): MediaPart | undefined {
  if (!isObject(value) || typeof value.data !== 'string') return undefined;
  const format = typeof value.format === 'string' ? value.format : undefined;
  const mediaType = format === undefined ? {} : { mediaType: format === 'mp3' ? 'audio/mpeg' : `audio/${format}` };
  return { type: 'media', media: 'audio', ...mediaType, source: { kind: 'base64', data: value.data }, ...mark };
}

function readFile(value: unknown, mark: Mark): MediaPart | undefined {
  if (!isObject(value)) return undefined;
  const filename = typeof value.filename === 'string' ? { filename: value.filename } : {};
  if (typeof value.file_data === 'string') {
    const isAddress = value.file_data.startsWith('data:');
    const held = isAddress
      ? readSource(value.file_data)
      : { source: { kind: 'base64', data: value.file_data } as const };
    return { type: 'media', media: 'document', ...held, ...filename, ...mark };
  }
  if (typeof value.file_id !== 'string') return undefined;
  return { type: 'media', media: 'document', source: { kind: 'file-id', id: value.file_id }, ...filename, ...mark };
}

/** Reads the messages format's content blocks into neutral parts, the same way in requests and in replies. */

import { isObject, type Tree } from '../../../conversation/json-tree.ts';
import type { LossList } from '../../../conversation/loss-list.ts';
import type {
  MediaPart,
  MediaSource,
  NativePart,
  Part,
  Seal,
  TextPart,
  ThinkingPart,
  ToolCallPart,
  ToolResultPart,
} from '../../../conversation/parts.ts';
import { readCitations } from '../citations.ts';
import { formatName, readCacheMark } from '../wire.ts';
import { readNative } from './native-blocks.ts';

export interface BlockReading {
  readonly losses: LossList;
  /** The origin of a signature depends on the side that sent it: a provider's is fresh, a client's comes back. */
  sealOf(value: string): Seal;
  /** A reply goes to its client, and no other format is looked for. */
  readonly isReply?: true;
}

const noBlocks: readonly Part[] = [];

/** A string is shorthand for one text block. */
export function readContent(content: unknown, path: string, reading: BlockReading): readonly Part[] {
  if (content === undefined || content === null || content === '') return noBlocks;
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  if (!Array.isArray(content)) {
    reading.losses.add(path, 'is neither a text nor a list of blocks');
    return noBlocks;
  }
  const parts: Part[] = [];
  for (let index = 0; index < content.length; index++) {
    const part = readBlock(content[index], path, index, reading);
    if (part === undefined) reading.losses.add(`${path}[${index}]`, 'is not a block of the format');
    else parts.push(part);
  }
  return parts;
}

function readBlock(block: unknown, path: string, index: number, reading: BlockReading): Part | undefined {
  if (!isObject(block)) return undefined;
  switch (block.type) {
    case 'text':
      return readText(block);
    case 'thinking':
      return readThinking(block, reading);
    case 'redacted_thinking':
      return readRedacted(block, reading);
    case 'tool_use':
      return readCall(block, path, index, reading);
    case 'tool_result':
      return readResult(block, path, index, reading);
    case 'image':
    case 'document':
      return readMedia(block, block.type, path, index, reading);
    default:
      return typeof block.type === 'string' ? readOwn(block, path, index, reading) : undefined;
  }
}

/** A block that only this format has. */
function readOwn(block: Tree, path: string, index: number, reading: BlockReading): NativePart {
  if (reading.isReply === true) return { type: 'native', format: formatName, value: block };
  return readNative(block, (content) => readContent(content, `${path}[${index}].content`, reading));
}

function readText(block: Tree): TextPart | undefined {
  const { text } = block;
  if (typeof text !== 'string') return undefined;
  // Most texts of a long conversation carry nothing else, and spreading nothing costs as much as spreading something.
  if (block.cache_control === undefined && block.citations === undefined) return { type: 'text', text };
  return { type: 'text', text, ...readCacheMark(block.cache_control), ...readCitations(block.citations) };
}

function readThinking(block: Tree, reading: BlockReading): ThinkingPart | undefined {
  const { thinking, signature } = block;
  if (typeof thinking !== 'string') return undefined;
  const sealed = typeof signature === 'string' && signature !== '';
  return { type: 'thinking', text: thinking, ...(sealed && { seal: reading.sealOf(signature) }) };
}

function readRedacted(block: Tree, reading: BlockReading): ThinkingPart {
  const { data } = block;
  const sealed = typeof data === 'string' && data !== '';
  return { type: 'thinking', text: '', redacted: true, ...(sealed && { seal: reading.sealOf(data) }) };
}

function readCall(block: Tree, path: string, index: number, { losses }: BlockReading): ToolCallPart | undefined {
  const { id, name, input, caller } = block;
  if (typeof id !== 'string' || typeof name !== 'string') return undefined;
  if (isForeignCaller(caller)) losses.add(`${path}[${index}].caller`, 'has no neutral field');
  const call: ToolCallPart = { type: 'tool-call', id, name, arguments: printInput(input) };
  return block.cache_control === undefined ? call : { ...call, ...readCacheMark(block.cache_control) };
}

/** The caller is reported only if it was not the model itself. */
export function isForeignCaller(caller: unknown): boolean {
  return isObject(caller) && caller.type !== 'direct';
}

export function printInput(input: unknown): string {
  if (typeof input === 'string') return input;
  return input === undefined || input === null ? '{}' : JSON.stringify(input);
}

function readResult(block: Tree, path: string, index: number, reading: BlockReading): ToolResultPart {
  const result: ToolResultPart = {
    type: 'tool-result',
    callId: typeof block.tool_use_id === 'string' ? block.tool_use_id : '',
    parts: readResultContent(block.content, path, index, reading),
    failed: block.is_error === true,
  };
  return block.cache_control === undefined ? result : { ...result, ...readCacheMark(block.cache_control) };
}

function readResultContent(
  content: unknown,
  path: string,
  index: number,
  reading: BlockReading,
): ToolResultPart['parts'] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  const inside = `${path}[${index}].content`;
  const all = readContent(content, inside, reading);
  const parts = all.filter((part) => isResultContent(part));
  if (parts.length < all.length) reading.losses.add(inside, 'holds a block that no result of a tool can hold');
  return parts;
}

function isResultContent(part: Part): part is TextPart | MediaPart | NativePart {
  return part.type === 'text' || part.type === 'media' || part.type === 'native';
}

/** A source that no other format supports keeps its whole block. */
function readMedia(
  block: Tree,
  media: 'image' | 'document',
  path: string,
  index: number,
  reading: BlockReading,
): MediaPart | NativePart {
  const held = readSource(block.source);
  if (held === undefined) return readOwn(block, path, index, reading);
  const { title, context, citations } = block;
  return {
    type: 'media',
    media,
    ...held,
    ...(typeof title === 'string' && { filename: title }),
    ...(typeof context === 'string' && { context }),
    ...(isObject(citations) && typeof citations.enabled === 'boolean' && { citable: citations.enabled }),
    ...readCacheMark(block.cache_control),
  };
}

interface Held {
  readonly source: MediaSource;
  readonly mediaType?: string;
}

function readSource(source: unknown): Held | undefined {
  if (!isObject(source)) return undefined;
  const { type, media_type: mediaType, data, url, file_id: id } = source;
  const typed = typeof mediaType === 'string' ? { mediaType } : {};
  if (type === 'base64' && typeof data === 'string') return { ...typed, source: { kind: 'base64', data } };
  if (type === 'text' && typeof data === 'string') return { ...typed, source: { kind: 'text', text: data } };
  if (type === 'url' && typeof url === 'string') return { source: { kind: 'url', url } };
  if (type === 'file' && typeof id === 'string') return { source: { kind: 'file-id', id } };
  return undefined;
}

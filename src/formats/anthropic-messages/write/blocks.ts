/** Writes neutral parts as the messages format's content blocks, for a provider or for a client. */

import { isObject } from '../../../conversation/json-tree.ts';
import type { LossList } from '../../../conversation/loss-list.ts';
import { nativeName } from '../../../conversation/native-name.ts';
import type {
  NativePart,
  Part,
  Seal,
  TextPart,
  ThinkingPart,
  ToolCallPart,
  ToolResultPart,
} from '../../../conversation/parts.ts';
import type { ArgumentTexts } from '../../../conversation/texts/argument-texts.ts';
import { isProven, writeCitation } from '../citations.ts';
import { formatName, writeCacheMark } from '../wire.ts';
import { writeMedia } from './media.ts';

export interface BlockWriting {
  readonly losses: LossList;
  readonly texts: ArgumentTexts;
  /** A provider gets back what it made and refuses anything else; a client takes what there is. */
  readonly reader: 'provider' | 'client';
  sealText(seal: Seal): string;
}

/** The block of a part that has nothing to report, which is nearly every one; undefined for any other. */
export function plainBlock(part: Part): object | undefined {
  if (part.type === 'text') return isPlain(part) ? { type: 'text', text: part.text } : undefined;
  if (part.type !== 'tool-result' || part.failed || part.cacheMark !== undefined || part.parts.length !== 1)
    return undefined;
  const [only] = part.parts;
  if (only?.type !== 'text' || !isPlain(only)) return undefined;
  return { type: 'tool_result', tool_use_id: part.callId, content: only.text };
}

/** Undefined, and reported, where the format has no such block. */
export function writeBlock(part: Part, path: string, writing: BlockWriting): object | undefined {
  switch (part.type) {
    case 'text':
      return writeText(part, path, writing);
    case 'thinking':
      return writeThinking(part, path, writing);
    case 'tool-call':
      return writeCall(part, path, writing);
    case 'tool-result':
      return writeResult(part, path, writing);
    case 'media':
      if (writing.reader === 'provider') return writeMedia(part, path, writing.losses);
      writing.losses.add(`${path} ${part.media}`, 'is not supported in a reply of the format');
      return undefined;
    case 'refusal':
      if (writing.reader === 'provider') writing.losses.add(`${path} refusal`, 'is written as a text');
      return { type: 'text', text: part.text };
    case 'native':
      return writeNative(part, path, writing.losses);
  }
}

function writeText(part: TextPart, path: string, { losses, reader }: BlockWriting): object {
  if (isPlain(part)) return { type: 'text', text: part.text };
  if (part.seal !== undefined) losses.add(`${path} text signature`, 'is not supported by the format');
  if (part.logprobs !== undefined) losses.add(`${path} logprobs`, 'are not supported by the format');
  const citations = (part.citations ?? []).flatMap((citation) => {
    const written = writeCitation(citation, losses);
    if (written === undefined) return [];
    if (reader === 'client' || isProven(written)) return [written];
    losses.add(`${path} citation`, 'was not made by a provider of the format, which would refuse it');
    return [];
  });
  return {
    type: 'text',
    text: part.text,
    ...(citations.length > 0 && { citations }),
    ...writeCacheMark(part.cacheMark),
  };
}

/** A provider refuses thinking without its own signature. */
function writeThinking(part: ThinkingPart, path: string, writing: BlockWriting): object | undefined {
  const { seal, text } = part;
  if (seal === undefined && (writing.reader === 'provider' || part.redacted === true)) {
    writing.losses.add(`${path} thinking`, 'has no signature, without which the format does not accept it');
    return undefined;
  }
  const signature = seal === undefined ? '' : writing.sealText(seal);
  if (part.redacted === true) return { type: 'redacted_thinking', data: signature };
  return { type: 'thinking', thinking: text, signature };
}

function writeCall(part: ToolCallPart, path: string, writing: BlockWriting): object {
  const call = { type: 'tool_use', id: part.id, name: part.name, input: readArguments(part, path, writing) };
  return part.cacheMark === undefined ? call : { ...call, ...writeCacheMark(part.cacheMark) };
}

/** The format accepts an object only; other arguments of a model are wrapped in one, under a descriptive name. */
function readArguments({ name, arguments: text }: ToolCallPart, path: string, { losses, texts }: BlockWriting): object {
  if (text.trim() === '') return {};
  let value: unknown = text;
  try {
    value = texts.parse(text);
    if (isObject(value)) return value;
  } catch {
    // A text that is not JSON, or too much of it, is sent as it is.
  }
  losses.add(
    `${path} arguments of ${name}`,
    'are no JSON object, or hold too many values; they are sent inside one, as `arguments`',
  );
  return { arguments: value };
}

function writeResult(part: ToolResultPart, path: string, writing: BlockWriting): object {
  const only = part.parts.length === 1 ? part.parts[0] : undefined;
  const content =
    only?.type === 'text' && isPlain(only)
      ? only.text
      : part.parts.flatMap((inner) => writeBlock(inner, path, writing) ?? []);
  return {
    type: 'tool_result',
    tool_use_id: part.callId,
    ...(content.length > 0 && { content }),
    ...(part.failed && { is_error: true }),
    ...writeCacheMark(part.cacheMark),
  };
}

/** A text without other fields may be written as a string. */
export function isPlain({ cacheMark, citations, seal, logprobs }: TextPart): boolean {
  return cacheMark === undefined && citations === undefined && seal === undefined && logprobs === undefined;
}

function writeNative({ format, value }: NativePart, path: string, losses: LossList): object | undefined {
  if (format === formatName && isObject(value)) return value;
  losses.add(`${path} ${nativeName(value) ?? `${format} part`}`, 'is supported by its own format only');
  return undefined;
}

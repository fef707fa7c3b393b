/** Blocks that only the messages format has, in parts that every format has: their texts, and images of a document. */

import { isObject, type Tree } from '../../../conversation/json-tree.ts';
import type { MediaPart, NativePart, Part, TextPart } from '../../../conversation/parts.ts';
import { ranText, returnedText } from '../../../conversation/tools/provider-ran.ts';
import { formatName, readCacheMark } from '../wire.ts';

type Instead = NonNullable<NativePart['instead']>;

/** `inside` reads the blocks that a block holds. */
export function readNative(block: Tree, inside: (content: unknown) => readonly Part[]): NativePart {
  const native: NativePart = { type: 'native', format: formatName, value: block };
  const instead = insteadOf(block, inside);
  if (instead === undefined) return native;
  const { citations } = block;
  if (!isObject(citations) || citations.enabled !== true) return { ...native, instead };
  return { ...native, instead, dropped: { what: `${String(block.type)} citations`, why: 'are not made for a text' } };
}

function insteadOf(block: Tree, inside: (content: unknown) => readonly Part[]): Instead | undefined {
  const { type } = block;
  switch (type) {
    case 'search_result':
      return framed([block.title, block.source], inside(block.content), block);
    case 'document': {
      const { source } = block;
      if (!isObject(source) || source.type !== 'content') return undefined;
      return framed([block.title, block.context], inside(source.content), block);
    }
    case 'tool_reference':
      // What a tool search found; every other format declares the tool from the beginning.
      return typeof block.tool_name === 'string'
        ? [{ type: 'text', text: `The tool \`${block.tool_name}\` was found and can be called now.` }]
        : undefined;
    case 'server_tool_use':
      return [ranText(String(block.name), block.input)];
    case 'mcp_tool_use':
      return [ranText(`${String(block.name)} of the server ${String(block.server_name)}`, block.input)];
    default:
      return typeof type === 'string' && type.endsWith('_tool_result') ? ranResult(block) : undefined;
  }
}

/** What is said of the texts comes first; texts that follow each other are one. */
function framed(about: readonly unknown[], parts: readonly Part[], block: Tree): Instead | undefined {
  const joined: (TextPart | MediaPart)[] = [];
  const head = about.filter((word) => typeof word === 'string' && word !== '').join('\n');
  if (head !== '') joined.push({ type: 'text', text: `${head}\n` });
  let isEmpty = true;
  for (const part of parts) {
    if (part.type !== 'text' && part.type !== 'media') continue;
    isEmpty = false;
    const last = joined.at(-1);
    if (part.type === 'text' && last?.type === 'text') {
      joined[joined.length - 1] = { type: 'text', text: `${last.text}\n${part.text}` };
    } else joined.push(part.type === 'text' ? { type: 'text', text: part.text } : part);
  }
  const last = joined.at(-1);
  if (last === undefined || isEmpty) return undefined;
  return block.cache_control === undefined
    ? joined
    : joined.with(-1, { ...last, ...readCacheMark(block.cache_control) });
}

/** Texts, addresses and names of any result; what is encrypted means nothing elsewhere. */
const saying = ['title', 'url', 'file_name', 'text', 'stdout', 'stderr', 'error_code', 'error_message', 'tool_name'];
const holding = ['content', 'tool_references'];

function ranResult({ content, is_error: isError }: Tree): Instead {
  const said: string[] = [];
  collect(content, said);
  const failed = isError === true || (isObject(content) && typeof content.error_code === 'string');
  return [returnedText(said.join('\n'), failed)];
}

function collect(value: unknown, said: string[]): void {
  if (typeof value === 'string') {
    if (value !== '') said.push(value);
  } else if (Array.isArray(value)) {
    for (const inner of value) collect(inner, said);
  } else if (isObject(value)) {
    for (const name of saying) if (typeof value[name] === 'string') collect(value[name], said);
    if (isObject(value.source) && value.source.type === 'text') collect(value.source.data, said);
    for (const name of holding) collect(value[name], said);
  }
}

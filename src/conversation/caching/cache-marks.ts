/**
 * Marks where a provider is to cache, for models that cache only what is marked and callers whose format has no marks: after
 * tools and instructions, which are the same in every request, and after the user's last two turns. The last one is written
 * for the next request, the one before it is what this request reads: https://platform.claude.com/docs/en/build-with-claude/prompt-caching
 * (read 2026-11-15).
 */

import type { Message, Part } from '../parts.ts';
import type { TextRequest, ToolDeclaration } from '../text-request.ts';

/** What a model caches: nothing that is shorter than this. */
export interface CachingRule {
  readonly tokensMin: number;
}

const charactersPerToken = 4;
const mark = {} as const;

/** The same request where it has marks of its own, is not likely to be continued, or is too short to be cached. */
export function withCacheMarks(request: TextRequest, { tokensMin }: CachingRule): TextRequest {
  const { messages, tools } = request;
  if (tools.length === 0 && !messages.some(({ role }) => role === 'assistant')) return request;
  if (tools.some(isMarked) || messages.some(({ parts }) => parts.some(holdsMark))) return request;
  if (!isLongEnough(request, tokensMin * charactersPerToken)) return request;
  const places = placesOf(messages);
  const marked = messages.map((message, index) => (places.has(index) ? withMark(message) : message));
  const instructed = messages[0]?.role === 'instruction';
  return { ...request, messages: marked, tools: instructed ? tools : withLastMarked(tools) };
}

function isMarked({ cacheMark }: { readonly cacheMark?: unknown }): boolean {
  return cacheMark !== undefined;
}

function holdsMark(part: Part): boolean {
  if ('cacheMark' in part && part.cacheMark !== undefined) return true;
  return part.type === 'tool-result' && part.parts.some(holdsMark);
}

/** The last of the leading instructions, and the ends of what the user's side said last and the time before. */
function placesOf(messages: readonly Message[]): ReadonlySet<number> {
  const places = new Set<number>();
  const begun = messages.findIndex(({ role }) => role !== 'instruction');
  if (begun !== 0 && messages.length > 0) places.add((begun === -1 ? messages.length : begun) - 1);
  let ends = 0;
  for (let index = messages.length - 1; index >= Math.max(begun, 0) && ends < 2; index--) {
    if (!isUserSide(messages[index]) || isUserSide(messages[index + 1])) continue;
    places.add(index);
    ends++;
  }
  return places;
}

function isUserSide(message: Message | undefined): boolean {
  return message?.role === 'user' || message?.role === 'tool';
}

function withMark(message: Message): Message {
  const at = message.parts.findLastIndex(canHoldMark);
  if (at === -1) return message;
  const parts = message.parts.map((part, index) => (index === at ? ({ ...part, cacheMark: mark } as Part) : part));
  return { ...message, parts };
}

function canHoldMark(part: Part): boolean {
  if (part.type === 'text') return /\S/.test(part.text);
  return part.type === 'media' || part.type === 'tool-result';
}

function withLastMarked(tools: readonly ToolDeclaration[]): readonly ToolDeclaration[] {
  return tools.map((tool, index) => (index === tools.length - 1 ? { ...tool, cacheMark: mark } : tool));
}

/** Counts no further than it must. */
function isLongEnough({ messages, tools }: TextRequest, charactersMin: number): boolean {
  let characters = 0;
  for (const { parts } of messages) {
    for (const part of parts) characters += lengthOf(part);
    if (characters >= charactersMin) return true;
  }
  for (const { description, parameters } of tools) {
    characters += (description?.length ?? 0) + JSON.stringify(parameters ?? '').length;
    if (characters >= charactersMin) return true;
  }
  return false;
}

function lengthOf(part: Part): number {
  switch (part.type) {
    case 'text':
    case 'thinking':
      return part.text.length;
    case 'tool-call':
      return part.arguments.length;
    case 'tool-result': {
      let sum = 0;
      for (const inner of part.parts) sum += lengthOf(inner);
      return sum;
    }
    default:
      return 0;
  }
}

/** Replaces content that only one format supports by its plain text, if its reader gave one, for other formats. */

import type { Message, NativePart, Part, TextPart } from '../parts.ts';
import { mapKept } from './map-kept.ts';

/** Nothing in it needs such a text, as in nearly every message. */
export function isPlainlySaid({ parts }: { readonly parts: readonly Part[] }): boolean {
  for (const part of parts) {
    if (part.type === 'text' || part.type === 'tool-call') continue;
    if (part.type === 'native' ? part.words !== undefined : part.type === 'tool-result' && !isPlainlySaid(part)) {
      return false;
    }
  }
  return true;
}

/** Undefined where nothing is left to say. */
export function inWords(message: Message, format: string): Message | undefined {
  const parts = mapKept(message.parts, (part) => {
    if (part.type !== 'tool-result') return part.type === 'native' ? worded(part, format) : part;
    const inside = mapKept(part.parts, (inner) => (inner.type === 'native' ? worded(inner, format) : inner));
    return inside === part.parts ? part : { ...part, parts: inside };
  });
  if (parts === message.parts) return message;
  return parts.length === 0 ? undefined : { ...message, parts };
}

function worded(part: NativePart, format: string): NativePart | TextPart | undefined {
  if (part.words === undefined || part.format === format) return part;
  return part.words === '' ? undefined : { type: 'text', text: part.words };
}

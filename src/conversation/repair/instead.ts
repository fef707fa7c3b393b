/** Replaces content that only one format supports by parts that every format has, if its reader gave any, for other formats. */

import type { LossList } from '../loss-list.ts';
import type { Message, Part, ToolResultPart } from '../parts.ts';

/** Nothing in it needs such parts, as in nearly every message. */
export function isPlainlySaid({ parts }: { readonly parts: readonly Part[] }): boolean {
  for (const part of parts) {
    if (part.type === 'text' || part.type === 'tool-call') continue;
    if (part.type === 'native' ? part.instead !== undefined : part.type === 'tool-result' && !isPlainlySaid(part)) {
      return false;
    }
  }
  return true;
}

/** Undefined where nothing is left to say. */
export function saidInstead(message: Message, index: number, format: string, losses: LossList): Message | undefined {
  let changed = false;
  const replaced = <Kind extends Part>(part: Kind): readonly (Kind | ToolResultPart['parts'][number])[] => {
    if (part.type !== 'native' || part.instead === undefined || part.format === format) return [part];
    changed = true;
    if (part.dropped !== undefined) losses.add(`messages[${index}] ${part.dropped.what}`, part.dropped.why);
    return part.instead;
  };
  const parts = message.parts.flatMap((part): readonly Part[] =>
    part.type === 'tool-result' ? [{ ...part, parts: part.parts.flatMap((inner) => replaced(inner)) }] : replaced(part),
  );
  if (!changed) return message;
  return parts.length === 0 ? undefined : { ...message, parts };
}

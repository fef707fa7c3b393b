/** Removes blank texts, for formats that reject a whole request because of one. */

import type { LossList } from '../loss-list.ts';
import type { Message, Part } from '../parts.ts';
import { mapKept } from './map-kept.ts';

/** Every text in it says something, which is the case for nearly every message. */
export function saysSomething({ parts }: { readonly parts: readonly Part[] }): boolean {
  for (const part of parts) {
    if (part.type === 'tool-result') {
      if (!saysSomething(part)) return false;
    } else if ((part.type === 'text' || part.type === 'refusal') && isBlank(part.text)) return false;
  }
  return true;
}

export function withoutBlankText(message: Message, index: number, losses: LossList): Message {
  const parts = mapKept(message.parts, (part) => {
    if (part.type === 'tool-result') {
      const inside = mapKept(part.parts, (inner) => keptUnlessBlank(inner, index, losses));
      return inside === part.parts ? part : { ...part, parts: inside };
    }
    return keptUnlessBlank(part, index, losses);
  });
  return parts === message.parts ? message : { ...message, parts };
}

function keptUnlessBlank<Kind extends Part>(part: Kind, index: number, losses: LossList): Kind | undefined {
  if ((part.type !== 'text' && part.type !== 'refusal') || !isBlank(part.text)) return part;
  if (part.type === 'text') {
    // A seal that is still there is one that the target reads: with it the text does say something.
    if (part.seal !== undefined) return part;
    if (part.cacheMark !== undefined) losses.add(`messages[${index}] cache mark`, 'is set on a blank text');
  }
  return undefined;
}

export function isBlank(text: string): boolean {
  // Most texts begin with a letter; only the others are worth the search.
  const first = text.charCodeAt(0);
  return !(first > 0x20 && first < 0x7f) && !/\S/.test(text);
}

/** Adjacent texts are one text in this format: its clients take the last message for the whole answer. */

import type { Part, TextPart } from '../../conversation/parts.ts';
import { movedCitation } from './wire.ts';

/** Texts with anything else between them stay apart, and so do consecutive messages of a provider of the format. */
export function joinTexts(parts: readonly Part[]): readonly Part[] {
  const joined: Part[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (part.type === 'text' && last?.type === 'text' && part.opensMessage !== true)
      joined[joined.length - 1] = together(last, part);
    else joined.push(part);
  }
  return joined.length === parts.length ? parts : joined;
}

/** A citation of a whole text becomes one of its range in the joined text. */
function together(one: TextPart, other: TextPart): TextPart {
  const citations = [
    ...(one.citations ?? []).map((citation) => movedCitation(citation, 0, one.text.length)),
    ...(other.citations ?? []).map((citation) => movedCitation(citation, one.text.length, other.text.length)),
  ];
  const logprobs = [...(one.logprobs ?? []), ...(other.logprobs ?? [])];
  const seal = other.seal ?? one.seal;
  return {
    ...one,
    text: one.text + other.text,
    ...(citations.length > 0 && { citations }),
    ...(logprobs.length > 0 && { logprobs }),
    ...(seal !== undefined && { seal }),
  };
}

/** Cuts a growing text into pieces that no longer change and one that still does, so that a stream costs what is new and not what is there. */

import { closesFence, fencePattern, itemPattern } from './parse-blocks.ts';

interface ChunkCutter {
  /** Every piece in order; the last may still grow. Texts that do not continue the one before start anew. */
  cut(text: string): readonly string[];
}

export function createChunkCutter(): ChunkCutter {
  let before = '';
  let settled: string[] = [];
  let tailStart = 0;
  return {
    cut(text) {
      // Comparing the ends alone is enough for a stream, and does not read the whole text again.
      const continues =
        text.length >= before.length && text.startsWith(before.slice(tailStart), tailStart) && samePrefix(text, before);
      if (!continues) {
        settled = [];
        tailStart = 0;
      }
      before = text;
      const { pieces, rest } = cutTail(text.slice(tailStart));
      if (pieces.length > 0) {
        settled = [...settled, ...pieces];
        tailStart = text.length - rest.length;
      }
      return rest === '' ? settled : [...settled, rest];
    },
  };
}

const compared = 64;
const samePrefix = (text: string, before: string) => text.slice(0, compared).startsWith(before.slice(0, compared));

const markerCharactersMax = 14;

interface Cut {
  readonly pieces: string[];
  readonly rest: string;
}

/** A piece is settled when something follows that cannot belong to it. */
function cutTail(text: string): Cut {
  const pieces: string[] = [];
  let start = 0;
  let fence: string | undefined;
  let wasBlank = false;
  let isList = false;
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf('\n', at);
    const line = text.slice(at, end === -1 ? text.length : end);
    const isBlank = line.trim() === '';
    if (fence !== undefined) {
      if (closesFence(line, fence)) fence = undefined;
      wasBlank = false;
    } else if (isBlank) wasBlank = true;
    else {
      const belongs = isList && (itemPattern.test(line) || /^\s/.test(line));
      // Of a line that is still being written nobody knows whether it will be the next item.
      const isKnown = end !== -1 || line.length > markerCharactersMax;
      if (wasBlank && !belongs && isKnown && at > start) {
        pieces.push(text.slice(start, at));
        start = at;
      }
      if (start === at) isList = itemPattern.test(line);
      fence = fencePattern.exec(line.trimStart())?.[1];
      wasBlank = false;
    }
    if (end === -1) break;
    at = end + 1;
  }
  return { pieces, rest: text.slice(start) };
}

/** Cuts text so that no unbroken run is long: exact tokenizers take quadratic time on those. */

const runMax = 2_000;
const pieceMax = 20_000;

/** Pieces that join to the text; cut at spaces where there are any, inside a run only where it is too long. */
export function splitLongRuns(text: string): string[] {
  const pieces: string[] = [];
  let start = 0;
  let lastSpace = -1;
  for (let index = 0; index < text.length; index++) {
    if (text.charCodeAt(index) <= 0x20) lastSpace = index;
    const runStart = Math.max(lastSpace + 1, start);
    if (index - runStart + 1 >= runMax) {
      pieces.push(text.slice(start, index + 1));
      start = index + 1;
    } else if (index - start + 1 >= pieceMax && lastSpace > start) {
      pieces.push(text.slice(start, lastSpace));
      start = lastSpace;
    }
  }
  if (start < text.length) pieces.push(text.slice(start));
  return pieces;
}

/** Cuts a long text where no phrase reaches across, so that it can be judged in time slices. */

/** Judged in a few milliseconds. */
const sliceCharacters = 8_192;
/** In a text without sentences slices overlap by this much, which is longer than any phrase. */
const overlapCharacters = 512;

export function* slicesOf(text: string): Generator<string, void, void> {
  let start = 0;
  while (text.length - start > sliceCharacters) {
    const latest = start + sliceCharacters;
    const sentence = cutBefore(text, start + sliceCharacters / 2, latest, isSentenceEnd);
    const end = sentence ?? cutBefore(text, latest - overlapCharacters, latest, isGap) ?? latest;
    yield text.slice(start, end);
    const again = end - overlapCharacters;
    start = sentence ?? cutBefore(text, again - overlapCharacters, again, isGap) ?? again;
  }
  yield text.slice(start);
}

/** The last position up to `latest` at which a slice may begin. */
function cutBefore(
  text: string,
  earliest: number,
  latest: number,
  isCut: (text: string, at: number) => boolean,
): number | undefined {
  for (let at = latest; at > earliest; at--) if (isCut(text, at - 1)) return at;
  return undefined;
}

/** White space that follows the end of a sentence, or a new line. */
function isSentenceEnd(text: string, at: number): boolean {
  return text.charAt(at) === '\n' || (isGap(text, at) && /[.!?;:…]/.test(text.charAt(at - 1)));
}

function isGap(text: string, at: number): boolean {
  return /\s/.test(text.charAt(at));
}

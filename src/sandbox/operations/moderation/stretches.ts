/** Cuts a long text where no phrase reaches across, so that it can be judged a stretch at a time. */

/** What is judged in a few milliseconds. */
const stretchCharacters = 8_192;
/** Where a text has no sentences, what lies before a cut is read again behind it: more than any phrase is long. */
const readAgainCharacters = 512;

export function* stretchesOf(text: string): Generator<string, void, void> {
  let start = 0;
  while (text.length - start > stretchCharacters) {
    const latest = start + stretchCharacters;
    const sentence = cutBefore(text, start + stretchCharacters / 2, latest, isSentenceEnd);
    const end = sentence ?? cutBefore(text, latest - readAgainCharacters, latest, isGap) ?? latest;
    yield text.slice(start, end);
    const again = end - readAgainCharacters;
    start = sentence ?? cutBefore(text, again - readAgainCharacters, again, isGap) ?? again;
  }
  yield text.slice(start);
}

/** The last place up to `latest` behind which a stretch may begin. */
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

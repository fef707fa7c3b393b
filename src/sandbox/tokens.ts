/** The sandbox's tokens: a token is a word-sized piece of text, and one delta of a stream. */

const runLengthMax = 16;

function isSpace(code: number): boolean {
  return code <= 0x20 || code === 0xa0 || code === 0x3000 || (code >= 0x2000 && code <= 0x200a);
}

/** The end of the token that begins at `start`: white space, then a run of other characters, both bounded. */
function tokenEnd(text: string, start: number): number {
  let at = start;
  const spaceEnd = Math.min(text.length, start + runLengthMax);
  while (at < spaceEnd && isSpace(text.charCodeAt(at))) at++;
  const wordEnd = Math.min(text.length, at + runLengthMax);
  while (at < wordEnd && !isSpace(text.charCodeAt(at))) at++;
  // A surrogate pair is not split.
  const last = text.charCodeAt(at - 1);
  if (last >= 0xd800 && last <= 0xdbff && at < text.length) at++;
  return at;
}

export function* splitTokens(text: string): Generator<string, void, void> {
  for (let start = 0; start < text.length; ) {
    const end = tokenEnd(text, start);
    yield text.slice(start, end);
    start = end;
  }
}

export function countTokens(text: string): number {
  let count = 0;
  for (let start = 0; start < text.length; start = tokenEnd(text, start)) count++;
  return count;
}

/** The longest beginning of the text with at most so many tokens, and their number. */
export function firstTokens(text: string, tokensMax: number): { readonly text: string; readonly count: number } {
  let end = 0;
  let count = 0;
  while (end < text.length && count < tokensMax) {
    end = tokenEnd(text, end);
    count++;
  }
  return { text: text.slice(0, end), count };
}

/** Runs without white space. */
export function countWords(text: string): number {
  let count = 0;
  let inside = false;
  for (let at = 0; at < text.length; at++) {
    const space = isSpace(text.charCodeAt(at));
    if (!space && !inside) count++;
    inside = !space;
  }
  return count;
}

/** Globs over model names: `*` matches any run of characters, `/` included, and everything else itself. */

export type TextMatcher = (text: string) => boolean;

/** Pieces are matched from left to right without backtracking, so that no pattern can take exponential time. */
export function compileGlob(pattern: string): TextMatcher {
  const pieces = pattern.split('*');
  const first = pieces[0] ?? '';
  const last = pieces.at(-1) ?? '';
  if (pieces.length === 1) return (text) => text === pattern;
  const middle = pieces.slice(1, -1).filter((piece) => piece !== '');
  const lengthMin = first.length + last.length;
  return (text) => {
    if (text.length < lengthMin || !text.startsWith(first) || !text.endsWith(last)) return false;
    const end = text.length - last.length;
    let position = first.length;
    for (const piece of middle) {
      const found = text.indexOf(piece, position);
      if (found === -1 || found + piece.length > end) return false;
      position = found + piece.length;
    }
    return true;
  };
}

/** True if any pattern matches. An empty list matches nothing. */
export function compileGlobs(patterns: readonly string[]): TextMatcher {
  const matchers = patterns.map(compileGlob);
  return (text) => matchers.some((matches) => matches(text));
}

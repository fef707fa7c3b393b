/** JSON with line breaks and indents; every number, text and key stays as it was written, which reading and writing it again would not promise. */

const indent = '  ';
/** Longer texts are files. */
const charactersMax = 500_000;

/** Undefined where the text as a whole is no JSON object or list. */
export function prettyJson(text: string): string | undefined {
  if (!/^\s*[[{]/.test(text) || text.length > charactersMax) return undefined;
  try {
    JSON.parse(text);
  } catch {
    return undefined;
  }
  return indented(text);
}

const token = /"(?:[^"\\]|\\.)*"|[[\]{},:]|[^\s"[\]{},:]+/g;

/** `text` is known to be JSON. */
function indented(text: string): string {
  const tokens = text.match(token) ?? [];
  const lines: string[] = [''];
  let depth = 0;
  const write = (piece: string) => {
    lines[lines.length - 1] += piece;
  };
  const newLine = () => lines.push(indent.repeat(depth));
  for (const [index, piece] of tokens.entries()) {
    const next = tokens[index + 1] ?? '';
    if (/^[[{]$/.test(piece)) {
      write(piece);
      depth += 1;
      if (!/^[\]}]$/.test(next)) newLine();
    } else if (/^[\]}]$/.test(piece)) {
      depth -= 1;
      if (!/^[[{]$/.test(tokens[index - 1] ?? '')) newLine();
      write(piece);
    } else if (piece === ',') {
      write(piece);
      newLine();
    } else write(piece === ':' ? ': ' : piece);
  }
  return lines.join('\n');
}

/** Begins like JSON: shown as such while the rest still comes. */
export const looksLikeJson = (text: string): boolean => /^\s*(?:\{\s*(?:"|\}|$)|\[\s*(?:[{"[]|$))/.test(text);

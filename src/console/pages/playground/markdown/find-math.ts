/** Finds formulas in a text by the marks that people put around TeX, and tells a formula between dollars from two prices. */

interface FoundMath {
  /** Without its marks. */
  readonly tex: string;
  /** With them, as it was written. */
  readonly source: string;
  /** Stands for itself and not in a line. */
  readonly isDisplay: boolean;
}

/** Looking farther for each mark would take quadratic time. */
const inlineCharactersMax = 1_000;
const blockLinesMax = 200;

const marks = [
  { open: '\\(', close: '\\)', isDisplay: false },
  { open: '\\[', close: '\\]', isDisplay: true },
  { open: '$$', close: '$$', isDisplay: true },
] as const;

/** A formula that begins here, inside a line. */
export function mathAt(text: string, at: number): (FoundMath & { readonly end: number }) | undefined {
  const first = text[at];
  if (first !== '\\' && first !== '$') return undefined;
  const mark = marks.find(({ open }) => text.startsWith(open, at));
  if (mark === undefined) return first === '$' ? betweenDollars(text, at) : undefined;
  const { open, close, isDisplay } = mark;
  const from = at + open.length;
  const inside = text.slice(from, from + inlineCharactersMax);
  const length = closeOf(inside, close);
  const tex = inside.slice(0, Math.max(0, length)).trim();
  if (length === -1 || tex === '' || isProse(tex) || (open === '\\[' && isPlain(tex))) return undefined;
  const end = from + length + close.length;
  return { tex, source: text.slice(at, end), isDisplay, end };
}

/** Brackets that were escaped so that they are brackets: `\\[1\\]`. What is between them is no formula. */
export function escapedBrackets(text: string, at: number): boolean {
  const open = text.slice(at, at + 2);
  if (open !== '\\[' && open !== '\\(') return false;
  const inside = text.slice(at + 2, at + 2 + inlineCharactersMax);
  const length = closeOf(inside, open === '\\[' ? '\\]' : '\\)');
  const between = inside.slice(0, Math.max(0, length)).trim();
  return length !== -1 && (isProse(between) || (open === '\\[' && isPlain(between)));
}

/** A number, a name, a list of them. */
const isPlain = (text: string): boolean => /^[\w\s,.;:–-]*$/.test(text) && !/[_^]/.test(text);

/** Where the closing mark is; a backslash before another one belongs to a new row and not to the mark. */
function closeOf(inside: string, close: string): number {
  for (let at = inside.indexOf(close); at !== -1; at = inside.indexOf(close, at + 1)) {
    let slashes = 0;
    while (inside[at - 1 - slashes] === '\\') slashes += 1;
    if (slashes % 2 === 0) return at;
  }
  return -1;
}

/**
 * One dollar at each side: nothing that is part of a word around them, no space inside next to them, and between
 * them no sentence. “$5 and $10” is two prices.
 */
function betweenDollars(text: string, at: number): (FoundMath & { readonly end: number }) | undefined {
  if (/[\p{L}\p{N}$\\]/u.test(text[at - 1] ?? ' ') || /[\s$]/.test(text[at + 1] ?? ' ')) return undefined;
  const limit = Math.min(text.length, at + 1 + inlineCharactersMax);
  for (let close = at + 2; close < limit; close++) {
    const letter = text[close];
    if (letter === '`') return undefined;
    if (letter === '\\') close += 1;
    if (letter !== '$') continue;
    const tex = text.slice(at + 1, close);
    const isMark = !/\s$/.test(tex) && !/[\p{L}\p{N}$]/u.test(text[close + 1] ?? ' ');
    if (!isMark || isProse(tex)) return undefined;
    return { tex, source: text.slice(at, close + 1), isDisplay: false, end: close + 1 };
  }
  return undefined;
}

/** Words that stand beside each other, or a word behind a number that could be a price. */
function isProse(tex: string): boolean {
  const bare = tex.replace(/\\(?:text|mathrm|operatorname)\w*\*?\s*\{[^}]*\}/g, '=').replace(/\\[a-zA-Z]+/g, '=');
  if (/\p{L}{2,}[\s,.;:!?]+\p{L}{2,}/u.test(bare)) return true;
  return /^[\d.,]/.test(bare) && /\p{L}{3,}|\s\p{L}{2}\s/u.test(bare);
}

interface MathLines extends FoundMath {
  /** How many lines it takes. */
  readonly count: number;
}

/**
 * A formula that begins at the start of a line and stands for itself. It ends before an empty line at the latest;
 * one that is still being written goes to the end, and has no TeX yet.
 */
export function mathLines(lines: readonly string[], at: number): MathLines | undefined {
  const first = (lines[at] ?? '').trimStart();
  const environment = /^\\begin\{([a-zA-Z]+\*?)\}/.exec(first)?.[1];
  const mark = marks.find(({ open, isDisplay }) => isDisplay && first.startsWith(open));
  if (environment === undefined && mark === undefined) return undefined;
  const open = mark?.open ?? '';
  const close = mark?.close ?? `\\end{${environment}}`;
  const source: string[] = [];
  for (let line = at; line < Math.min(lines.length, at + blockLinesMax); line++) {
    const text = line === at ? first : (lines[line] ?? '');
    if (text.trim() === '') return undefined;
    source.push(text);
    const from = line === at ? open.length : 0;
    const length = closeOf(text.slice(from), close);
    if (length === -1) continue;
    const rest = text.length - from - length - close.length;
    // Something after it: then it stands in a line after all.
    if (!/^[\s.,;:]*$/.test(text.slice(text.length - rest))) return undefined;
    const whole = source.join('\n');
    const end = whole.length - rest;
    const tex = (mark === undefined ? whole.slice(0, end) : whole.slice(open.length, end - close.length)).trim();
    return tex === '' ? undefined : { tex, source: whole, isDisplay: true, count: line - at + 1 };
  }
  const isBegun = first === open || /[\\^_={}]/.test(first.slice(open.length));
  if (at + source.length < lines.length || !isBegun) return undefined;
  return { tex: '', source: source.join('\n'), isDisplay: true, count: source.length };
}

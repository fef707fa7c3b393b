/**
 * Regular expressions of schemas that are sequences of characters and character classes: writes texts that match, and tests texts
 * in linear time. Other expressions (nested groups, look-around, references) are not read, and any text is accepted for them.
 */

type Range = readonly [low: number, high: number];

/** A set of characters, repeated. */
interface Atom {
  readonly ranges: readonly Range[];
  readonly min: number;
  readonly max: number;
}

/** Alternatives, each a sequence of atoms. */
export type Pattern = readonly (readonly Atom[])[];

const patternLengthMax = 500;
const repeatMax = 1_000;
const sampleLengthMax = 10_000;
const textLengthMax = 10_000;

const everything: readonly Range[] = [
  [0x61, 0x7a],
  [0x20, 0x60],
  [0x7b, 0xffff],
  [0x00, 0x09],
  [0x0b, 0x1f],
];
const anything: Atom = { ranges: everything, min: 0, max: repeatMax };

const classes: Readonly<Record<string, readonly Range[]>> = {
  d: [[0x30, 0x39]],
  w: [
    [0x61, 0x7a],
    [0x41, 0x5a],
    [0x30, 0x39],
    [0x5f, 0x5f],
  ],
  s: [
    [0x20, 0x20],
    [0x09, 0x0d],
  ],
  t: single('\t'),
  n: single('\n'),
};

const atomPattern =
  /(?:\[(\^?)((?:\\.|[^\]\\])+)\]|\\(.)|([^\\[\](){}|*+?^$]))(?:\{(\d{1,4})(,(\d{0,4}))?\}|([*+?]))?\??/y;

/** Undefined where the expression is not a plain sequence. */
export function readPattern(source: string): Pattern | undefined {
  if (source.length > patternLengthMax) return undefined;
  const [, start = '', inner = '', end = ''] = /^(\^?)(.*?)((?<!\\)\$)?$/s.exec(source) ?? [];
  const grouped = /^\((?:\?:)?([^()]*)\)$/s.exec(inner)?.[1];
  const alternatives = readAlternatives(grouped ?? inner, grouped !== undefined);
  return alternatives?.map((atoms) => [
    ...(start === '' ? [anything] : []),
    ...atoms,
    ...(end === '' ? [anything] : []),
  ]);
}

function readAlternatives(text: string, grouped: boolean): Atom[][] | undefined {
  const alternatives: Atom[][] = [[]];
  for (let at = 0; at < text.length; ) {
    if (grouped && text[at] === '|') {
      alternatives.push([]);
      at++;
      continue;
    }
    atomPattern.lastIndex = at;
    const found = atomPattern.exec(text);
    const ranges = found === null ? undefined : rangesOf(found);
    if (found === null || ranges === undefined) return undefined;
    alternatives.at(-1)?.push({ ranges, ...countsOf(found) });
    at = atomPattern.lastIndex;
  }
  return alternatives;
}

function rangesOf([, negated, set, escaped, character = '']: RegExpExecArray): readonly Range[] | undefined {
  if (escaped !== undefined) return escapedRanges(escaped);
  if (set === undefined) return character === '.' ? everything : single(character);
  const ranges: Range[] = [];
  for (const [, low = '', high] of set.matchAll(/(\\.|[^\\])(?:-(\\.|[^\\]))?/gs)) {
    const [from, to] = [memberRanges(low), high === undefined ? undefined : memberRanges(high)?.[0]];
    if (from === undefined || (high !== undefined && to === undefined)) return undefined;
    const [first] = from;
    if (to !== undefined && first !== undefined) ranges.push([first[0], to[1]]);
    else ranges.push(...from);
  }
  return negated === '^' ? inverted(ranges) : ranges;
}

function memberRanges(member: string): readonly Range[] | undefined {
  return member.startsWith('\\') ? escapedRanges(member.slice(1)) : single(member);
}

/** Undefined for letters and digits with a meaning that is not known here. */
function escapedRanges(character: string): readonly Range[] | undefined {
  const known = classes[character.toLowerCase()];
  if (known !== undefined) return /[DWS]/.test(character) ? inverted(known) : known;
  return /[A-Za-z0-9]/.test(character) ? undefined : single(character);
}

function countsOf([, , , , , min, bounded, max, sign]: RegExpExecArray): { min: number; max: number } {
  if (sign !== undefined) return { min: sign === '+' ? 1 : 0, max: sign === '?' ? 1 : repeatMax };
  if (min === undefined) return { min: 1, max: 1 };
  const least = Number(min);
  return { min: least, max: bounded === undefined ? least : max === '' ? Math.max(least, repeatMax) : Number(max) };
}

function single(character: string): readonly Range[] {
  const code = character.charCodeAt(0);
  return [[code, code]];
}

/** Lower-case letters first, so that samples stay readable. */
function inverted(ranges: readonly Range[]): readonly Range[] {
  const result: Range[] = [];
  let low = 0;
  for (const [from, to] of [...ranges].sort((left, right) => left[0] - right[0])) {
    if (from > low) result.push([low, from - 1]);
    low = Math.max(low, to + 1);
  }
  if (low <= 0xffff) result.push([low, 0xffff]);
  const letters = result
    .map(([from, to]): Range => [Math.max(from, 0x61), Math.min(to, 0x7a)])
    .filter(([from, to]) => from <= to);
  return [...letters, ...result];
}

/** A text that the pattern matches. Different variants give different texts as far as the pattern allows. */
export function samplePattern(pattern: Pattern, variant: number, lengthMin: number): string | undefined {
  const atoms = pattern[variant % pattern.length] ?? [];
  for (let more = 0; more <= Math.max(1, lengthMin) * 2; more = more * 2 + 1) {
    let rest = Math.floor(variant / pattern.length);
    let text = '';
    for (const { ranges, min, max } of atoms) {
      const count = Math.min(max, min + more);
      for (let index = 0; index < count && text.length <= sampleLengthMax; index++) {
        const [low, high] = ranges[0] ?? [0x61, 0x61];
        text += String.fromCharCode(low + (rest % (high - low + 1)));
        rest = Math.floor(rest / (high - low + 1));
      }
    }
    if (text.length > sampleLengthMax) return undefined;
    // Without an end anchor anything may follow.
    if (rest > 0 && atoms.at(-1) === anything) text += String(rest);
    if (text.length >= lengthMin) return text;
  }
  return undefined;
}

/** Does the pattern match anywhere in the text? A very long text is taken to match. */
export function matchesPattern(pattern: Pattern, text: string): boolean {
  return text.length > textLengthMax || pattern.some((atoms) => matchesAtoms(atoms, text));
}

/** Follows all positions at once, atom by atom. */
function matchesAtoms(atoms: readonly Atom[], text: string): boolean {
  let reached = new Uint8Array(text.length + 1);
  reached[0] = 1;
  for (const { ranges, min, max } of atoms) {
    const runs = runLengths(ranges, text);
    // Steps up and down of the number of paths to each position.
    const steps = new Int32Array(text.length + 2);
    for (let at = 0; at <= text.length; at++) {
      const run = Math.min(max, runs[at] ?? 0);
      if (reached[at] !== 1 || run < min) continue;
      steps[at + min] = (steps[at + min] ?? 0) + 1;
      steps[at + run + 1] = (steps[at + run + 1] ?? 0) - 1;
    }
    const next = new Uint8Array(text.length + 1);
    let paths = 0;
    for (let at = 0; at <= text.length; at++) {
      paths += steps[at] ?? 0;
      next[at] = paths > 0 ? 1 : 0;
    }
    reached = next;
  }
  return reached[text.length] === 1;
}

/** How many characters from each position on are in the set. */
function runLengths(ranges: readonly Range[], text: string): Int32Array {
  const runs = new Int32Array(text.length + 1);
  for (let at = text.length - 1; at >= 0; at--) {
    const code = text.charCodeAt(at);
    runs[at] = ranges.some(([low, high]) => code >= low && code <= high) ? (runs[at + 1] ?? 0) + 1 : 0;
  }
  return runs;
}

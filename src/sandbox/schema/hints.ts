/** Values in a text for filling in a schema: numbers, quotations, names, URLs, dates, and phrases after prepositions. */

import { findSums } from '../chat/arithmetic.ts';

export interface Hints {
  readonly text: string;
  readonly words: readonly Word[];
  /** The positions of each word, in lower case. */
  readonly positions: ReadonlyMap<string, readonly number[]>;
  /** Values after a name and a colon or an equals sign. */
  readonly pairs: ReadonlyMap<string, string>;
  readonly numbers: readonly number[];
  readonly quoted: readonly string[];
  readonly names: readonly string[];
  readonly objects: readonly { readonly preposition: string; readonly phrase: string }[];
  readonly emails: readonly string[];
  readonly addresses: readonly string[];
  readonly uuids: readonly string[];
  readonly dates: readonly string[];
  readonly moments: readonly string[];
  readonly sums: readonly string[];
  readonly paths: readonly string[];
}

interface Word {
  /** Without the punctuation around it. */
  readonly text: string;
  readonly lower: string;
  readonly end: number;
  /** Punctuation follows, so that a phrase ends here. */
  readonly closes: boolean;
  /** A sentence begins here, so a capital letter has no meaning. */
  readonly opens: boolean;
}

const textLengthMax = 8_000;
const listLengthMax = 64;

const prepositions: ReadonlySet<string> = new Set(
  'in for to of from at on about near with by into named called titled as regarding'.split(' '),
);
/** Words that end a phrase. */
const boundaries: ReadonlySet<string> = new Set(
  'and or then please now today tomorrow yesterday tonight is are was were be will would should can could using if when while but that which who also than so'.split(
    ' ',
  ),
);
const articles: ReadonlySet<string> = new Set('the a an my your our their his her its this that some any'.split(' '));
/** Capitalized words that are rarely names. */
const notNames: ReadonlySet<string> = new Set(
  'i what where when who why how which is are do does did can could will would should please tell give show find get make send call use set add the a an and or my if in on at it json schema monday tuesday wednesday thursday friday saturday sunday'.split(
    ' ',
  ),
);

export const noHints: Hints = readHints('');

export function readHints(source: string): Hints {
  const text = excerpt(source);
  const words = readWords(text);
  const positions = new Map<string, number[]>();
  for (const [index, word] of words.entries()) {
    const known = positions.get(word.lower);
    if (known === undefined) positions.set(word.lower, [index]);
    else if (known.length < 4) known.push(index);
  }
  const moments = all(text, /\b\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})/g);
  const dates = all(text, /\b\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])\b/g);
  const addresses = all(text, /\bhttps?:\/\/[^\s"'<>)\]]{1,500}/g).map((address) => address.replace(/[.,;!?]$/, ''));
  const uuids = all(text, /\b[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}\b/gi);
  return {
    text,
    words,
    positions,
    pairs: readPairs(text),
    numbers: readNumbers(text, [...moments, ...dates, ...uuids, ...addresses]),
    quoted: readQuoted(text),
    names: readNames(words),
    objects: readObjects(words),
    emails: all(text, /\b[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}\b/g),
    addresses,
    uuids,
    dates,
    moments,
    sums: findSums(text).map((sum) => sum.expression),
    paths: all(text, /(?:\.{0,2}\/)?[\w-]{1,60}(?:\/[\w.-]{1,60}){0,8}\.[a-z]{1,5}\b|(?:\.{0,2}\/)[\w.-]{1,60}/gi),
  };
}

/** The beginning and the end of a long text, where instructions are. */
function excerpt(source: string): string {
  if (source.length <= textLengthMax) return source;
  const half = textLengthMax / 2;
  return `${source.slice(0, half)}\n${source.slice(source.length - half)}`;
}

function all(text: string, pattern: RegExp): string[] {
  const found: string[] = [];
  for (const match of text.matchAll(pattern)) {
    found.push(match[0]);
    if (found.length === listLengthMax) break;
  }
  return found;
}

function readWords(text: string): Word[] {
  const words: Word[] = [];
  let opens = true;
  for (const match of text.matchAll(/\S+/g)) {
    const raw = match[0].slice(0, 200);
    const lead = raw.length - raw.replace(/^[^\p{L}\p{N}_$#@/.-]{1,20}/u, '').length;
    const inner = raw.slice(lead).replace(/[^\p{L}\p{N}_$%)]{1,20}$/u, '');
    const closes = /[.,;:!?)\]}"”]$/.test(raw);
    if (inner !== '') {
      words.push({ text: inner, lower: inner.toLowerCase(), end: match.index + lead + inner.length, closes, opens });
    }
    opens = /[.!?:]["”)]?$/.test(raw);
  }
  return words;
}

function readPairs(text: string): Map<string, string> {
  const pairs = new Map<string, string>();
  const pattern =
    /(?<![\w-])([\p{L}_][\w-]{0,60})["'`]?\s{0,3}[:=]\s{0,3}(?:"([^"\n]{1,300})"|([^\s,;}\]"{[]{1,200}))/gu;
  for (const match of text.matchAll(pattern)) {
    const key = nameWords(match[1] ?? '').join(' ');
    const value = match[2] ?? match[3]?.replace(/[.!?]$/, '') ?? '';
    // "https://" is not a pair.
    if (value !== '' && !value.startsWith('//') && !pairs.has(key)) pairs.set(key, value);
    if (pairs.size === listLengthMax) break;
  }
  return pairs;
}

/** Digits inside dates, URLs and ids are not numbers. */
function readNumbers(text: string, taken: readonly string[]): number[] {
  let rest = text;
  for (const one of taken) rest = rest.replace(one, ' ');
  const numbers: number[] = [];
  for (const match of rest.matchAll(
    /(?<![\w.])-?\d{1,3}(?:,\d{3}){1,4}(?![\d,])|(?<![\w.])-?\d{1,15}(?:\.\d{1,10})?(?![\d])/g,
  )) {
    numbers.push(Number(match[0].replaceAll(',', '')));
    if (numbers.length === listLengthMax) break;
  }
  return numbers;
}

function readQuoted(text: string): string[] {
  const quoted: string[] = [];
  for (const match of text.matchAll(
    /"([^"\n]{1,500})"|“([^”\n]{1,500})”|`([^`\n]{1,500})`|(?<!\w)'([^'\n]{1,500})'(?!\w)/g,
  )) {
    quoted.push(match[1] ?? match[2] ?? match[3] ?? match[4] ?? '');
    if (quoted.length === listLengthMax) break;
  }
  return quoted;
}

function isCapitalized({ text }: Word): boolean {
  return startsName(text);
}

/** A capital letter, and no word that only begins a sentence. */
export function startsName(word: string): boolean {
  return /^\p{Lu}/u.test(word) && !notNames.has(word.toLowerCase().replace(/['’]s$/, ''));
}

/** Runs of capitalized words: "New York", "Ada Lovelace". */
function readNames(words: readonly Word[]): string[] {
  const names: string[] = [];
  let run: string[] = [];
  for (const word of words) {
    const belongs = isCapitalized(word) && !(word.opens && run.length > 0);
    if (belongs) run.push(word.text.replace(/['’]s$/, ''));
    if (run.length > 0 && (!belongs || word.closes)) {
      names.push(run.join(' '));
      run = belongs || !isCapitalized(word) ? [] : [word.text];
    }
    if (names.length === listLengthMax) return names;
  }
  if (run.length > 0) names.push(run.join(' '));
  return names;
}

function readObjects(words: readonly Word[]): { preposition: string; phrase: string }[] {
  const objects: { preposition: string; phrase: string }[] = [];
  for (const [index, word] of words.entries()) {
    if (!prepositions.has(word.lower) || word.closes) continue;
    const phrase = phraseAfter(words, index);
    if (phrase !== '') objects.push({ preposition: word.lower, phrase });
    if (objects.length === listLengthMax) break;
  }
  return objects;
}

/** A name ("in New York tomorrow"), otherwise the words up to the end of the phrase. */
export function phraseAfter(words: readonly Word[], index: number): string {
  const phrase: string[] = [];
  let named = false;
  for (let at = index + 1; at < words.length && phrase.length < 5; at++) {
    const word = words[at];
    if (word === undefined || boundaries.has(word.lower) || prepositions.has(word.lower)) break;
    if (phrase.length === 0 && articles.has(word.lower)) continue;
    if (phrase.length === 0) named = isCapitalized(word);
    else if (named && !isCapitalized(word)) break;
    phrase.push(word.text.replace(/['’]s$/, ''));
    if (word.closes) break;
  }
  return phrase.join(' ');
}

/** `maxResults`, `max_results` and `Max results` are the same two words. */
export function nameWords(name: string): string[] {
  return splitWords(name.slice(0, 200));
}

export function splitWords(text: string): string[] {
  return text
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}

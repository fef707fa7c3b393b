/** Splits a text into words for comparison: lower case, without accents, without endings. */

/** About the input limit of large embedding models; the rest of a text is not compared. */
export const comparedCharactersMax = 32_768;
/** A longer run of letters is data rather than a word, and is split. */
const wordLengthMax = 64;
/** In scripts without spaces each pair of neighboring characters counts as a word. */
const unspaced = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;
const wordPattern = /[\p{L}\p{N}\p{M}]+/gu;
/** Sorting a long run of combining marks is quadratic in Unicode libraries, and no script needs more than a few. */
const markPile = /(\p{M}{4})\p{M}+/gu;
const accents = /[\u0300-\u036f]+/g;
const apostrophes = /(?<=\p{L})['’](?=\p{L})/gu;

/** Stop words. */
const stopWordList =
  `a about after all also am an and any are as at be been before being but by can could did do does doing done dont each for from
  get gets getting got had has have having he her here hers him his how i if im in into is isnt it its just like me more most much my
  no nor not of off on once only or other our out over own same she should so some such than that the their them then there these
  they this those through to too under until up us very was we were what when where which while who whom why will with would you your
  best need please tell want way`.split(/\s+/);

export function wordsOf(text: string): string[] {
  const read = text.slice(0, comparedCharactersMax).replace(markPile, '$1').normalize('NFKD').toLowerCase();
  const plain = read.slice(0, comparedCharactersMax).replace(accents, '').replace(apostrophes, '');
  const words: string[] = [];
  for (const [run] of plain.matchAll(wordPattern)) {
    if (unspaced.test(run)) pushCharacterPairs(run, words);
    else for (let at = 0; at < run.length; at += wordLengthMax) words.push(run.slice(at, at + wordLengthMax));
  }
  return words;
}

function pushCharacterPairs(run: string, words: string[]): void {
  const characters = [...run];
  if (characters.length === 1) words.push(run);
  for (let at = 1; at < characters.length; at++) words.push(`${characters[at - 1]}${characters[at]}`);
}

const vowel = /[aeiouy]/;

/**
 * Removes common English endings, so that `running`, `runs` and `run` are one word. For other languages shared letter groups serve.
 */
export function stemOf(word: string): string {
  if (word.length < 4 || !/^[a-z]+$/.test(word)) return word;
  return withoutFinalE(withoutVerbEnding(withoutPlural(word)));
}

function withoutPlural(word: string): string {
  if (word.endsWith('ies') && word.length > 4) return `${word.slice(0, -3)}y`;
  if (/(?:ss|sh|ch|x|zz)es$/.test(word)) return word.slice(0, -2);
  return /[^sui]s$/.test(word) ? word.slice(0, -1) : word;
}

function withoutVerbEnding(word: string): string {
  if (word.endsWith('ied') && word.length > 4) return `${word.slice(0, -3)}y`;
  const ending = /(?:ingly|edly|ing|(?<!e)ed|ly)$/.exec(word)?.[0];
  if (ending === undefined) return word;
  const rest = word.slice(0, -ending.length);
  if (rest.length < 3 || !vowel.test(rest)) return word;
  return /([bdgmnprt])\1$/.test(rest) ? rest.slice(0, -1) : rest;
}

/** So that `bake` and `baking` are equal. */
function withoutFinalE(word: string): string {
  return word.length > 3 && word.endsWith('e') ? word.slice(0, -1) : word;
}

const stopStems: ReadonlySet<string> = new Set([...stopWordList, ...stopWordList.map(stemOf)]);

export function isStopWord(stem: string): boolean {
  return stopStems.has(stem);
}

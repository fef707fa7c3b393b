/** Finds the known word behind a disguised spelling: digits for letters, stretched letters, stars, letters apart. */

import { leetLetters } from './look-alikes.ts';

/** What people put between the letters of a word. */
const fillers = new Set('.-_*~·•,/\\:=^\'"');
const hiddenLetter = new Set('*#%');
/** No known word is longer, however stretched. */
const disguisedLengthMax = 48;
const stretched = /(.)\1\1/;
/** What a letter that belongs to no known word costs in dividing, and what a word costs. */
const strayCost = 2;
const wordCost = 1;

export class Spellings {
  readonly #vocabulary: ReadonlySet<string>;
  readonly #bySqueezed = new Map<string, string[]>();
  readonly #byShape = new Map<string, string[]>();
  /** Beginnings of the known words, as they are and squeezed: what begins like none of them need not be read to its end. */
  readonly #beginnings = new Set<string>();

  constructor(vocabulary: ReadonlySet<string>) {
    this.#vocabulary = vocabulary;
    for (const word of vocabulary) {
      const squeezed = squeeze(word);
      addTo(this.#bySqueezed, squeezed, word);
      addTo(this.#byShape, shapeOf(word), word);
      for (const text of [word, squeezed]) {
        for (let length = 1; length <= text.length; length++) this.#beginnings.add(text.slice(0, length));
      }
    }
    // The longest first: `shooot` is `shoot` rather than `shot`.
    for (const words of this.#bySqueezed.values()) words.sort((left, right) => right.length - left.length);
  }

  knows(word: string): boolean {
    return this.#vocabulary.has(word);
  }

  /** The word that a spelling stands for; absent where it must be cut up first. */
  plain(spelling: string): string | undefined {
    if (this.#vocabulary.has(spelling)) return spelling;
    const lettersOnly = /^[a-z]+$/.test(spelling);
    if (spelling.length > disguisedLengthMax) return lettersOnly ? spelling : undefined;
    if (lettersOnly) return (stretched.test(spelling) ? this.#fromStretched(spelling) : undefined) ?? spelling;
    return this.#fromLeet(spelling) ?? this.#fromStars(spelling);
  }

  #fromStretched(letters: string): string | undefined {
    return this.#bySqueezed.get(squeeze(letters))?.find((word) => word.length <= letters.length);
  }

  #fromLeet(spelling: string): string | undefined {
    const choices: (readonly string[])[] = [];
    let hasLetter = false;
    for (const character of spelling) {
      if (fillers.has(character)) continue;
      const isLetter = character >= 'a' && character <= 'z';
      const letters = isLetter ? [character] : leetLetters.get(character);
      if (letters === undefined) return undefined;
      if (isLetter) hasLetter = true;
      choices.push(letters);
    }
    if (!hasLetter) return undefined;
    const word = this.#readings(choices).find((reading) => this.#vocabulary.has(reading));
    return word ?? this.#fromStretchedLeet(choices);
  }

  #fromStretchedLeet(choices: readonly (readonly string[])[]): string | undefined {
    if (!stretched.test(choices.map(([letter]) => letter).join(''))) return undefined;
    const distinct = choices.filter(([letter], at) => letter !== choices[at - 1]?.[0]);
    for (const reading of this.#readings(distinct)) {
      const word = this.#bySqueezed.get(reading)?.find((known) => known.length <= choices.length);
      if (word !== undefined) return word;
    }
    return undefined;
  }

  /** Every way to read the letters that begins like a known word all along. */
  #readings(choices: readonly (readonly string[])[]): readonly string[] {
    let readings = [''];
    for (const letters of choices) {
      const longer: string[] = [];
      for (const reading of readings) {
        for (const letter of letters) if (this.#beginnings.has(reading + letter)) longer.push(reading + letter);
      }
      readings = longer;
      if (readings.length === 0) break;
    }
    return readings;
  }

  /** `f**k`: as many letters hidden as there are stars, at least two of them shown, the first among these. */
  #fromStars(spelling: string): string | undefined {
    let shown = 0;
    for (const character of spelling) {
      if (character >= 'a' && character <= 'z') shown++;
      else if (!hiddenLetter.has(character)) return undefined;
    }
    if (shown < 2 || hiddenLetter.has(spelling.charAt(0))) return undefined;
    return this.#byShape.get(shapeOf(spelling))?.find((word) => fits(word, spelling));
  }

  /** The division of single letters into known words that leaves the fewest over. */
  divide(letters: readonly string[]): readonly string[] {
    if (letters.filter((letter) => /[a-z]/.test(letter)).length < 2) return letters;
    const usual = this.#divideText(letters.map((letter) => readLeet(letter, 0)).join(''));
    if (!letters.some((letter) => (leetLetters.get(letter)?.length ?? 0) > 1)) return usual.words;
    const other = this.#divideText(letters.map((letter) => readLeet(letter, 1)).join(''));
    return other.cost < usual.cost ? other.words : usual.words;
  }

  #divideText(text: string): { readonly cost: number; readonly words: readonly string[] } {
    const costs = new Float64Array(text.length + 1).fill(Number.POSITIVE_INFINITY);
    const starts = new Uint32Array(text.length + 1);
    costs[0] = 0;
    const reach = (start: number, end: number, cost: number): void => {
      if (cost >= (costs[end] ?? 0)) return;
      costs[end] = cost;
      starts[end] = start;
    };
    for (let start = 0; start < text.length; start++) {
      const before = costs[start] ?? 0;
      reach(start, start + 1, before + strayCost);
      for (let end = start + 1; end <= text.length; end++) {
        const part = text.slice(start, end);
        if (!this.#beginnings.has(part)) break;
        if (this.#vocabulary.has(part)) reach(start, end, before + wordCost);
      }
    }
    const words: string[] = [];
    for (let end = text.length; end > 0; end = starts[end] ?? 0) words.push(text.slice(starts[end] ?? 0, end));
    return { cost: costs[text.length] ?? 0, words: words.reverse() };
  }
}

function readLeet(letter: string, reading: number): string {
  const letters = leetLetters.get(letter);
  return letters === undefined ? letter : (letters[reading] ?? letters[0] ?? letter);
}

function squeeze(word: string): string {
  return word.replace(/(.)\1+/g, '$1');
}

function shapeOf(word: string): string {
  return `${word.charAt(0)}${word.length}`;
}

function fits(word: string, spelling: string): boolean {
  for (let at = 0; at < word.length; at++) {
    const shown = spelling.charAt(at);
    if (!hiddenLetter.has(shown) && shown !== word.charAt(at)) return false;
  }
  return true;
}

function addTo(groups: Map<string, string[]>, key: string, word: string): void {
  const group = groups.get(key);
  if (group === undefined) groups.set(key, [word]);
  else group.push(word);
}

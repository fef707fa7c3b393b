/** Reads a text the way a person does: words that were disguised to slip past a filter come out in their plain spelling. */

import { isStructureWord } from '../words.ts';
import { lookAlikes } from './look-alikes.ts';
import { sentenceEnd } from './phrases.ts';
import { Spellings } from './spellings.ts';

/** Runs of single letters shorter than this are initials, not a spelt-out word. */
const speltLettersMin = 3;
/** The last two are signs for whole Arabic sentences, which would grow eighteenfold when taken apart. */
const unseen = /[\p{M}\p{Cf}\u115f\u1160\u3164\uffa0\ufdfa\ufdfb]+/gu;
const marks = /\p{M}+/gu;
const shortened = /(?<=[a-z])['’‘`ʼ](ll|re|ve|m)\b/g;
const longForms: Readonly<Record<string, string>> = { ll: ' will', re: ' are', ve: ' have', m: ' am' };
const apostrophes = /(?<=[a-z])['’‘`ʼ](?=[a-z])/g;
const opening = new Set('"\'([{<#*~_“”‘’«»-.…');
const closing = new Set('.,!?;:)"\'…]}>*~_-“”‘’«»');
const ending = new Set('.!?;:…');

/** Spoken forms, written out so that the phrases need only one wording. */
const spokenForms: Readonly<Record<string, string>> = {
  arent: 'are not',
  cant: 'can not',
  didnt: 'did not',
  doesnt: 'does not',
  dont: 'do not',
  em: 'them',
  fck: 'fuck',
  fuk: 'fuck',
  h8: 'hate',
  hes: 'he is',
  ill: 'i will',
  im: 'i am',
  ima: 'i am gonna',
  imma: 'i am gonna',
  isnt: 'is not',
  ive: 'i have',
  r: 'are',
  shes: 'she is',
  shouldnt: 'should not',
  theyre: 'they are',
  u: 'you',
  ur: 'your',
  urself: 'yourself',
  wanna: 'want to',
  wont: 'will not',
  wouldnt: 'would not',
  ya: 'you',
  youll: 'you will',
  youre: 'you are',
};

export class PlainWords {
  readonly #spellings: Spellings;

  constructor(vocabulary: ReadonlySet<string>) {
    this.#spellings = new Spellings(new Set([...vocabulary, ...Object.keys(spokenForms)]));
  }

  /** The words in their order, with a mark where a sentence ends. */
  read(text: string): string[] {
    const raw: string[] = [];
    for (const [chunk] of plainLetters(text).matchAll(/\n|\S+/g)) {
      if (chunk === '\n') raw.push(sentenceEnd);
      else this.#readChunk(chunk, raw);
    }
    const joined = this.#joinFragments(this.#joinSpeltOut(raw));
    return joined.flatMap((word) => (Object.hasOwn(spokenForms, word) ? (spokenForms[word] ?? word).split(' ') : word));
  }

  #readChunk(chunk: string, words: string[]): void {
    const { core, ends } = withoutFrame(chunk);
    if (core !== '') this.#readCore(core, words);
    if (ends) words.push(sentenceEnd);
  }

  #readCore(core: string, words: string[]): void {
    const whole = this.#spellings.plain(core);
    if (whole !== undefined) {
      words.push(whole);
      return;
    }
    const parts = core.split(/[^a-z0-9$@!|+€\p{L}]+/u).filter((part) => part !== '');
    // A full stop between two words ends a sentence; between single letters it only keeps them apart.
    const divides = /[.;?]/.test(core) && parts.some((part) => part.length > 1);
    for (const [index, part] of parts.entries()) {
      if (index > 0 && divides) words.push(sentenceEnd);
      const plain = part === core ? undefined : this.#spellings.plain(part);
      if (plain !== undefined) words.push(plain);
      else for (const [piece] of part.matchAll(/[\p{L}\p{N}]+/gu)) words.push(piece);
    }
  }

  /** `k i l l` and `k.i.l.l` are one word, and `k i l l y o u` are two. */
  #joinSpeltOut(words: readonly string[]): string[] {
    const joined: string[] = [];
    let letters: string[] = [];
    const closeRun = (): void => {
      const divided = letters.length < speltLettersMin ? letters : this.#spellings.divide(letters);
      for (const word of divided) joined.push(word);
      letters = [];
    };
    for (const word of words) {
      if (word.length === 1) {
        letters.push(word);
      } else {
        closeRun();
        joined.push(word);
      }
    }
    closeRun();
    return joined;
  }

  /** `ki ll` is one word where neither half is a word that we know, or where one is a letter that cannot stand alone. */
  #joinFragments(words: readonly string[]): string[] {
    const joined: string[] = [];
    for (let at = 0; at < words.length; at++) {
      const word = words[at] ?? sentenceEnd;
      const next = words[at + 1] ?? sentenceEnd;
      if (word !== sentenceEnd && next !== sentenceEnd && this.#areHalves(word, next)) {
        joined.push(word + next);
        at++;
      } else {
        joined.push(word);
      }
    }
    return joined;
  }

  #areHalves(left: string, right: string): boolean {
    if (left.length + right.length < 4 || !this.#spellings.knows(left + right)) return false;
    return isLoneConsonant(left) || isLoneConsonant(right) || (!this.#isWord(left) && !this.#isWord(right));
  }

  #isWord(word: string): boolean {
    return isStructureWord(word) || this.#spellings.knows(word);
  }
}

function isLoneConsonant(word: string): boolean {
  return word.length === 1 && /[b-df-hj-np-tv-z]/.test(word);
}

/** Lower-case Latin letters wherever the text looks like them, and nothing that cannot be seen. */
function plainLetters(text: string): string {
  // Marks go first, since sorting a long pile of them is quadratic in Unicode libraries.
  const decomposed = text.replace(unseen, '').normalize('NFKD').replace(marks, '').toLowerCase();
  const latin = decomposed.replace(/[^\x00-\x7f]/gu, (character) => lookAlikes.get(character) ?? signLetter(character));
  return latin.replace(shortened, (_, form: string) => longForms[form] ?? form).replace(apostrophes, '');
}

/** Letters drawn as signs: in black circles, in black squares, and the halves of flags. */
const signAlphabets = [0x1f150, 0x1f170, 0x1f1e6];

function signLetter(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  for (const first of signAlphabets) {
    if (code >= first && code < first + 26) return String.fromCharCode(0x61 + code - first);
  }
  return character;
}

/** Quotes, brackets and stops around a word; by hand, since a pattern for a tail looks at every run in the middle too. */
function withoutFrame(chunk: string): { readonly core: string; readonly ends: boolean } {
  let start = 0;
  let end = chunk.length;
  let ends = false;
  while (start < end && opening.has(chunk.charAt(start))) start++;
  while (end > start && closing.has(chunk.charAt(end - 1))) {
    end--;
    if (ending.has(chunk.charAt(end))) ends = true;
  }
  return { core: chunk.slice(start, end), ends };
}

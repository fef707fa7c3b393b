/** Splits a text into plain words: lower case, without accents, with look-alike letters, digits and stretched letters replaced. */

import { sentenceEnd } from './phrases.ts';

const combining = /[\p{M}\p{Cf}]+/gu;
/** Two signs that stand for whole sentences would grow eighteenfold in normalization. */
const longSigns = /[\ufdfa\ufdfb]+/gu;
const apostrophes = /(?<=[a-z])['’‘`ʼ](?=[a-z])/g;

/** Letters of other scripts that look like the Latin letter before them. */
const lookAlikeGroups = 'aаα bьвβ cсᴄ dԁ eеєε gɡ hһн iіιı jј kкκ lłӏ mм nпη oоοσø pрρ rг sѕ tтτ uυ vνѵ wωш xхχ yуγ';

const lookAlikes: ReadonlyMap<string, string> = new Map(
  lookAlikeGroups.split(' ').flatMap((group) => {
    const [letter = '', ...others] = group;
    return others.map((other) => [other, letter] as const);
  }),
);

/** Digits and signs that stand for letters; some have two readings. */
const leetReadings: readonly Readonly<Record<string, string>>[] = [
  { 0: 'o', 1: 'i', '!': 'i', 3: 'e', 4: 'a', '@': 'a', 5: 's', $: 's', 7: 't', 8: 'b', 9: 'g' },
  { 0: 'o', 1: 'l', '!': 'l', 3: 'e', 4: 'a', '@': 'a', 5: 's', $: 's', 7: 't', 8: 'b', 9: 'g' },
];

/** Spoken forms, so that the phrases need only one wording. */
const spokenForms: ReadonlyMap<string, string> = new Map(
  (
    'arent:are not,cant:can not,didnt:did not,doesnt:does not,dont:do not,em:them,fck:fuck,fuk:fuck,h8:hate,hes:he is,' +
    'ill:i will,im:i am,imma:i am gonna,isnt:is not,ive:i have,r:are,shes:she is,shouldnt:should not,theyll:they will,' +
    'theyre:they are,u:you,ur:your,urself:yourself,wanna:want to,well:we will,were:we are,weve:we have,wont:will not,' +
    'wouldnt:would not,ya:you,youll:you will,youre:you are,youve:you have'
  )
    .split(',')
    .map((pair) => pair.split(':') as [string, string]),
);
/** Forms that are words of their own without an apostrophe. */
const onlyWithApostrophe: ReadonlySet<string> = new Set(['well', 'were']);

export class PlainWords {
  readonly #vocabulary: ReadonlySet<string>;

  constructor(vocabulary: ReadonlySet<string>) {
    this.#vocabulary = vocabulary;
  }

  /** The words in order, with a mark where a sentence ends. */
  read(text: string): string[] {
    const words: string[] = [];
    for (const [token] of plainLetters(text).matchAll(/[\p{L}\p{N}$@!']+|[.?;:…\n]/gu)) {
      if (/^[.?;:…\n]$/.test(token)) words.push(sentenceEnd);
      else this.#readToken(token, words);
    }
    return words;
  }

  #readToken(token: string, words: string[]): void {
    const ends = /!+$/.test(token);
    const word = token.replaceAll("'", '');
    const textWords = onlyWithApostrophe.has(word) && !token.includes("'") ? undefined : spokenForms.get(word);
    const plain = textWords ?? this.#plain(word.replace(/!+$/, ''));
    for (const each of plain.split(' ')) if (each !== '') words.push(each);
    if (ends) words.push(sentenceEnd);
  }

  /** The known word behind a spelling, or the spelling itself. */
  #plain(spelling: string): string {
    if (this.#vocabulary.has(spelling) || spelling.length > 48) return spelling;
    const readings = /\p{L}/u.test(spelling)
      ? leetReadings.map((letters) => spelling.replace(/[^a-z]/g, (sign) => letters[sign] ?? sign))
      : [spelling];
    for (const reading of readings) {
      for (const kept of ['$1$1$1', '$1$1', '$1']) {
        const shorter = reading.replace(/(.)\1{2,}/g, kept);
        if (this.#vocabulary.has(shorter)) return shorter;
      }
    }
    return spelling.replace(/[$@!]/g, ' ');
  }
}

function plainLetters(text: string): string {
  // Marks go first: sorting a long run of them is quadratic in Unicode libraries.
  const decomposed = text.replace(longSigns, ' ').replace(combining, '').normalize('NFKD').replace(combining, '');
  const latin = decomposed
    .toLowerCase()
    .replace(/[^\x00-\x7f]/gu, (character) => lookAlikes.get(character) ?? character);
  return latin.replace(apostrophes, "'");
}

/** Assigns parts of a text to properties by their names. */

import { type Hints, nameWords, phraseAfter } from './hints.ts';

interface Meaning {
  readonly words: ReadonlySet<string>;
  read(hints: Hints): readonly string[];
}

const after =
  (...prepositions: readonly string[]) =>
  (hints: Hints): string[] =>
    prepositions.flatMap((preposition) =>
      hints.objects.filter((object) => object.preposition === preposition).map((object) => object.phrase),
    );

const codes = (hints: Hints): string[] =>
  hints.words.map((word) => word.text).filter((word) => /^[A-Z]{2,6}$/.test(word));
const meaning = (words: string, read: Meaning['read']): Meaning => ({ words: new Set(words.split(' ')), read });

const bodies = meaning('text message content body prompt question input comment note', (hints) => hints.quoted);

const places = meaning('city town location place country region area where venue timezone state', (hints) => [
  ...after('in', 'near', 'at', 'for', 'of')(hints).filter((phrase) => /^\p{Lu}/u.test(phrase)),
  ...hints.names,
  ...after('in', 'near', 'at')(hints),
  ...after('for', 'of')(hints),
]);
/** For a message that names no place: a whole sentence is none. */
const samplePlace = 'Paris';
const placeWordsMax = 3;

/** The first row that shares a word with the property's name applies first. */
const meanings: readonly Meaning[] = [
  meaning('email mail', (hints) => hints.emails),
  meaning('url uri link website webpage href', (hints) => hints.addresses),
  meaning('uuid guid', (hints) => hints.uuids),
  meaning('to recipient recipients destination target receiver', (hints) => [...hints.emails, ...after('to')(hints)]),
  meaning('from origin source sender departure', after('from')),
  places,
  meaning('expression formula equation calculation sum', (hints) => hints.sums),
  meaning('path file filename filepath directory folder', (hints) => [...hints.paths, ...hints.quoted]),
  meaning('date day deadline birthday when', (hints) => [...hints.dates, ...after('on')(hints)]),
  meaning('symbol ticker currency code', codes),
  meaning('name title label person user username author customer contact', (hints) => [
    ...after('named', 'called', 'titled')(hints),
    ...hints.quoted,
    ...hints.names,
  ]),
  meaning('query q search keyword keywords term topic subject', (hints) => [
    ...hints.quoted,
    ...after('about', 'regarding', 'for', 'on', 'of')(hints),
  ]),
  bodies,
];

/** By word, because a large schema looks up many names. */
const meaningByWord: ReadonlyMap<string, Meaning> = new Map(
  meanings.toReversed().flatMap((row) => [...row.words].map((word) => [word, row] as const)),
);

function meaningsOf(words: readonly string[]): readonly Meaning[] {
  const rows = words.flatMap((word) => meaningByWord.get(word) ?? []);
  return rows.length < 2 ? rows : meanings.filter((row) => rows.includes(row));
}

const connectors: ReadonlySet<string> = new Set('is are be to of as equals equal should'.split(' '));
const negations: ReadonlySet<string> = new Set("no not without don't dont never disable off false".split(' '));

export class Slots {
  readonly #hints: Hints;
  readonly #taken = new Set<string>();

  readonly #anyTexts: readonly string[];
  /** Every word of the text, between spaces. */
  readonly #lower: string;
  #lastName = '';
  #lastWords: readonly string[] = [];

  constructor(hints: Hints) {
    const { quoted, objects, names, text } = hints;
    const whole = text
      .replace(/\s{1,1000}/g, ' ')
      .trim()
      .slice(0, 200);
    const phrases = objects.map((object) => object.phrase);
    this.#hints = hints;
    this.#lower = ` ${hints.words.map((word) => word.lower).join(' ')} `;
    this.#anyTexts = [...new Set([...quoted, ...phrases, ...names, whole])].filter((one) => one !== '');
  }

  /** Texts that fit the property's name, best first. */
  textsFor(name: string): readonly string[] {
    const words = this.#wordsOf(name);
    const found: string[] = [];
    const paired = this.#hints.pairs.get(words.join(' '));
    if (paired !== undefined) found.push(paired);
    const phrase = this.#phraseAfterName(words);
    if (phrase !== undefined) found.push(phrase);
    for (const row of meaningsOf(words)) found.push(...row.read(this.#hints));
    return found;
  }

  numbersFor(name: string): readonly number[] {
    const words = this.#wordsOf(name);
    const paired = Number(this.#hints.pairs.get(words.join(' ')) ?? Number.NaN);
    if (Number.isFinite(paired)) return [paired];
    const at = this.#endOfName(words);
    if (at === undefined) return [];
    const next = [at + 1, at + 2, at - words.length].map((index) => this.#hints.words[index]?.text ?? '');
    return next.filter((word) => /^-?\d{1,15}(?:\.\d{1,10})?$/.test(word)).map(Number);
  }

  /** "without sugar" is false, "with sugar" is true, no mention is undefined. */
  booleanFor(name: string): boolean | undefined {
    const words = nameWords(name).filter((word) => !/^(?:is|has|include|use|enable|with)$/.test(word));
    const paired = this.#hints.pairs.get(nameWords(name).join(' '))?.toLowerCase();
    if (paired === 'true' || paired === 'yes' || paired === 'on') return true;
    if (paired === 'false' || paired === 'no' || paired === 'off') return false;
    const at = this.#endOfName(words);
    if (at === undefined) return undefined;
    const before = this.#hints.words.slice(Math.max(0, at - words.length - 1), at - words.length + 1);
    const next = this.#hints.words[at + 1]?.lower ?? '';
    return !before.some((word) => negations.has(word.lower)) && !/^(?:off|false|no|disabled)$/.test(next);
  }

  /** Members of an enum that the text mentions, in the text's order. */
  mentioned(members: readonly string[]): string[] {
    const lower = this.#lower;
    const found: { member: string; at: number }[] = [];
    for (const member of members.slice(0, 500)) {
      const textWords = nameWords(member).join(' ');
      const at = textWords === '' ? -1 : lower.indexOf(` ${textWords} `);
      if (at >= 0) found.push({ member, at });
    }
    return found.sort((left, right) => left.at - right.at).map(({ member }) => member);
  }

  /** Texts for any property; the body of a message gets the whole text first. */
  anyTexts(name: string): readonly string[] {
    const whole = this.#anyTexts.at(-1);
    const isOf = (row: Meaning) => this.#wordsOf(name).some((word) => row.words.has(word));
    if (whole !== undefined && isOf(bodies)) return [whole, ...this.#anyTexts];
    const isSentence = this.#hints.words.length > placeWordsMax;
    return isSentence && isOf(places) ? [...this.#anyTexts.slice(0, -1), samplePlace] : this.#anyTexts;
  }

  anyNumbers(): readonly number[] {
    return this.#hints.numbers.filter((number) => !this.#taken.has(String(number)));
  }

  /** The items of a list: all numbers, all quotations or all names. */
  listedNumbers(): readonly number[] {
    return this.#hints.numbers;
  }

  listedTexts(): readonly string[] {
    const { quoted, names } = this.#hints;
    return quoted.length > 0 ? quoted : names;
  }

  wellFormed(format: string): readonly string[] {
    const { emails, addresses, uuids, dates, moments } = this.#hints;
    const known: Readonly<Record<string, readonly string[]>> = {
      email: emails,
      uri: addresses,
      url: addresses,
      uuid: uuids,
      date: dates,
      'date-time': moments,
    };
    return Object.hasOwn(known, format) ? (known[format] ?? []) : [];
  }

  take(value: string | number): void {
    this.#taken.add(String(value));
  }

  /** Cached, because a name is looked up several times in a row. */
  #wordsOf(name: string): readonly string[] {
    if (name !== this.#lastName) {
      this.#lastName = name;
      this.#lastWords = nameWords(name);
    }
    return this.#lastWords;
  }

  isTaken(value: string): boolean {
    return this.#taken.has(value);
  }

  /** The index of the last word of the property's name in the text. */
  #endOfName(words: readonly string[]): number | undefined {
    const [first] = words;
    if (first === undefined) return undefined;
    for (const at of this.#hints.positions.get(first) ?? []) {
      if (words.every((word, offset) => this.#hints.words[at + offset]?.lower === word)) return at + words.length - 1;
    }
    return undefined;
  }

  #phraseAfterName(words: readonly string[]): string | undefined {
    const at = this.#endOfName(words);
    if (at === undefined || this.#hints.words[at]?.closes === true) return undefined;
    const next = this.#hints.words[at + 1];
    if (next === undefined) return undefined;
    const connected = connectors.has(next.lower);
    if (!connected && !/^[\p{Lu}\d]/u.test(next.text)) return undefined;
    const phrase = phraseAfter(this.#hints.words, connected ? at + 1 : at);
    return phrase === '' ? undefined : phrase;
  }
}

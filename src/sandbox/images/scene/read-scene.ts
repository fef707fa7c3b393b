/** Reads a prompt into a scene: adjectives are collected until the noun that they describe. */

import { darker, lighter, namedColors } from '../raster/colors.ts';
import type { NamedColor, Scene, SceneItem, Size, Terrain, ThingName, TimeOfDay, Weather } from './scene.ts';
import {
  ignoredWords,
  numberWords,
  placeOf,
  shadeWords,
  singularOf,
  sizeWords,
  spaceWords,
  terrainWords,
  things,
  timeWords,
  weatherWords,
} from './vocabulary.ts';

const wordsMax = 2_000;
const countMax = 60;
const itemsMax = 24;
const unknownWordsMax = 40;
/** The count of a plural without a number. */
const pluralCount = 3;

type Draft = { -readonly [Key in keyof SceneItem]: SceneItem[Key] };

interface Adjectives {
  count?: number;
  color?: NamedColor;
  shade?: 'light' | 'dark';
  size?: Size;
  negated?: boolean;
  column?: number;
  row?: number;
  /** Named before its color: "the sky is red". */
  painted?: 'sky' | 'background';
}

export function readScene(prompt: string, options: { readonly negativePrompt?: string | undefined } = {}): Scene {
  const reader = new SceneReader(prompt);
  for (const word of wordsOf(options.negativePrompt ?? '')) reader.exclude(word);
  return reader.read();
}

export function wordsOf(prompt: string): string[] {
  return (prompt.toLowerCase().match(/[\p{L}\p{N}]+|[.;!?]/gu) ?? []).slice(0, wordsMax);
}

class SceneReader {
  readonly #prompt: string;
  readonly #words: readonly string[];
  readonly #items: Draft[] = [];
  readonly #terrain = new Set<Terrain>();
  readonly #excluded = new Set<string>();
  readonly #unknown = new Set<string>();
  readonly #notes = new Set<string>();
  #time: TimeOfDay | undefined;
  #weather: Weather | undefined;
  #space = false;
  #stars = false;
  #skyColor: NamedColor | undefined;
  #backgroundColor: NamedColor | undefined;
  #adjectives: Adjectives = {};

  constructor(prompt: string) {
    this.#prompt = prompt;
    this.#words = wordsOf(prompt);
  }

  exclude(word: string): void {
    const singular = singularOf(word);
    this.#excluded.add(things.get(word) ?? things.get(singular) ?? singular);
  }

  read(): Scene {
    for (let at = 0; at < this.#words.length; ) at += this.#readWord(at);
    this.#giveBack();
    return this.#complete();
  }

  /** Returns how many words were read. */
  #readWord(at: number): number {
    const word = this.#words[at] ?? '';
    if (/^[.;!?]$/.test(word)) this.#giveBack();
    else if (word === 'no' || word === 'without') this.#adjectives = { negated: true };
    else if (word === 'sky' || word === 'background') {
      this.#adjectives.painted = word;
      if (this.#adjectives.color !== undefined) this.#giveBack();
    } else {
      const moved = this.#readPosition(word, this.#words[at + 1] === 'of');
      if (moved > 0) return moved;
      if (!this.#readAdjective(word) && !ignoredWords.has(word)) this.#readNoun(word);
    }
    return 1;
  }

  /** A color or size without a following noun belongs to the noun before it: "a house in blue". */
  #giveBack(): void {
    const { color, size, painted } = this.#adjectives;
    const last = this.#items.at(-1);
    if (color !== undefined && painted === 'sky') this.#skyColor = color;
    else if (color !== undefined && painted === 'background') this.#backgroundColor = color;
    else if (color !== undefined && last !== undefined) last.color ??= color;
    if (size !== undefined && last?.size === 'medium') last.size = size;
    this.#adjectives = {};
  }

  /** "A left of B" places both. Returns how many words were read. */
  #readPosition(word: string, relative: boolean): number {
    const position = positions.get(word);
    if (position === undefined) return 0;
    const last = this.#items.at(-1);
    const [axis, side, pairs] = position;
    this.#giveBack();
    if (last !== undefined) {
      last[axis] = side;
      if (pairs || relative) this.#adjectives = { [axis]: -side };
    } else if (!pairs) this.#adjectives = { [axis]: side };
    return relative ? 2 : 1;
  }

  #readAdjective(word: string): boolean {
    const adjectives = this.#adjectives;
    const count = /^\d{1,4}$/.test(word) ? Number(word) : numberWords.get(word);
    const size = sizeWords.get(word);
    const shade = shadeWords.get(word);
    const color = namedColors.get(word);
    if (count !== undefined) adjectives.count = count;
    else if (size !== undefined) adjectives.size = size;
    else if (shade !== undefined) adjectives.shade = shade;
    else if (color !== undefined) adjectives.color = shaded(word, color, adjectives.shade);
    else return false;
    return true;
  }

  #readNoun(word: string): void {
    const adjectives = this.#adjectives;
    const thing = things.get(word) ?? things.get(singularOf(word));
    if (thing === undefined && adjectives.negated !== true) {
      this.#readSetting(word);
      return;
    }
    if (adjectives.negated === true || thing === undefined) this.exclude(word);
    else this.#addThing(thing, !things.has(word), adjectives);
    this.#adjectives = {};
  }

  #addThing(thing: ThingName, plural: boolean, adjectives: Adjectives): void {
    const { count, color, size = 'medium', column = 0, row = 0 } = adjectives;
    // Stars without a number or a color are those of the night sky.
    if (thing === 'star' && plural && count === undefined && color === undefined) {
      this.#stars = true;
      return;
    }
    const asked = count ?? (plural ? pluralCount : 1);
    if (asked > countMax) this.#notes.add(`${asked} were asked for, ${countMax} is the most that is drawn`);
    if (asked === 0 || this.#items.length >= itemsMax) return;
    const item = { thing, place: placeOf(thing), count: Math.min(countMax, asked), size, column, row, implied: false };
    this.#items.push(color === undefined ? item : { ...item, color });
  }

  /** Words for the setting take no color, so the adjectives stay for a noun behind them. */
  #readSetting(word: string): void {
    const singular = singularOf(word);
    const time = timeWords.get(word);
    const weather = weatherWords.get(word);
    const terrain = terrainWords.get(word) ?? terrainWords.get(singular);
    this.#time = time ?? this.#time;
    this.#weather = weather ?? this.#weather;
    if (terrain !== undefined) this.#terrain.add(terrain);
    if (spaceWords.has(word)) this.#space = true;
    if (terrain !== undefined) this.#adjectives = {};
    const known = time !== undefined || weather !== undefined || terrain !== undefined || spaceWords.has(word);
    if (!known && this.#unknown.size < unknownWordsMax) this.#unknown.add(word.slice(0, 40));
  }

  #complete(): Scene {
    const items = this.#items.filter(({ thing }) => !this.#excluded.has(thing));
    const has = (thing: ThingName): boolean => items.some((item) => item.thing === thing);
    const stars = this.#stars && !this.#excluded.has('star');
    const time = this.#time ?? ((stars || has('moon')) && !has('sun') ? 'night' : 'day');
    const backdrop = this.#backdrop(items, stars);
    const terrain = new Set([...this.#terrain].filter((each) => !this.#excluded.has(each)));
    const landscape = backdrop === 'landscape';
    if (landscape && items.some(({ place }) => place === 'water')) terrain.add('sea');
    if (landscape && !terrain.has('sea') && !terrain.has('desert')) terrain.add('meadow');
    const sky = time === 'night' || backdrop === 'space';
    return {
      prompt: this.#prompt,
      backdrop,
      time,
      stars: !this.#excluded.has('star') && (stars || (sky && (landscape || backdrop === 'space'))),
      weather: this.#weather,
      terrain,
      items: landscape ? [...this.#implied(time, has), ...items] : items,
      ...(this.#skyColor === undefined ? {} : { skyColor: this.#skyColor }),
      ...(this.#backgroundColor === undefined ? {} : { backgroundColor: this.#backgroundColor }),
      unknownWords: [...this.#unknown],
      notes: [...this.#notes],
    };
  }

  #backdrop(items: readonly SceneItem[], stars: boolean): Scene['backdrop'] {
    if (this.#backgroundColor !== undefined) return 'plain';
    if (this.#space) return 'space';
    const placed = items.some(({ place }) => place !== 'free');
    const set = this.#time !== undefined || this.#weather !== undefined || this.#skyColor !== undefined;
    if (placed || stars || set || this.#terrain.size > 0) return 'landscape';
    return items.length > 0 ? 'plain' : 'pattern';
  }

  /** The sun, moon or clouds of such a sky. */
  #implied(time: TimeOfDay, has: (thing: ThingName) => boolean): SceneItem[] {
    const [sun, moon] = [has('sun'), has('moon')];
    const wanted: [ThingName, number][] = [];
    if (this.#weather !== undefined) wanted.push(['cloud', 4]);
    else if (!sun && !moon) wanted.push([time === 'night' ? 'moon' : 'sun', 1]);
    if (this.#weather === undefined && time === 'day') wanted.push(['cloud', 2]);
    return wanted
      .filter(([thing]) => !has(thing) && !this.#excluded.has(thing))
      .map(([thing, count]) => ({ thing, place: 'sky', count, size: 'medium', column: 0, row: 0, implied: true }));
  }
}

/** Axis, side, and whether the next thing gets the other side. */
const positions: ReadonlyMap<string, readonly ['column' | 'row', -1 | 1, boolean]> = new Map([
  ['left', ['column', -1, false]],
  ['right', ['column', 1, false]],
  ['top', ['row', -1, false]],
  ['bottom', ['row', 1, false]],
  ['beside', ['column', -1, true]],
  ['above', ['row', -1, true]],
  ['over', ['row', -1, true]],
  ['under', ['row', 1, true]],
  ['below', ['row', 1, true]],
]);

function shaded(name: string, color: NamedColor['color'], shade: 'light' | 'dark' | undefined): NamedColor {
  if (shade === undefined) return { name, color };
  return { name: `${shade} ${name}`, color: shade === 'light' ? lighter(color, 0.45) : darker(color, 0.45) };
}

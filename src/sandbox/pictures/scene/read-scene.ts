/** Reads a prompt into a scene: adjectives are gathered until the noun that takes them, and what stays unknown is kept as such. */

import { darker, lighter, namedColours } from '../raster/colours.ts';
import { completeScene, type Gathered } from './complete-scene.ts';
import type { NamedColour, Scene, SceneItem, Size } from './scene.ts';
import {
  autumnWords,
  type Noun,
  nouns,
  numberWords,
  pluralWords,
  shadeWords,
  silentWords,
  singularOf,
  sizeWords,
  spaceWords,
  terrainWords,
  timeWords,
  weatherWords,
} from './vocabulary.ts';

const wordsMax = 2_000;
const countMax = 60;
const itemsMax = 24;
const unknownWordsMax = 40;
/** How many "circles" are where nobody says. */
const pluralCount = 3;

type Draft = { -readonly [Key in keyof SceneItem]: SceneItem[Key] };

/** What was gathered so far; its last thing may still be given a colour or a place. */
interface Reading extends Omit<Gathered, 'items'> {
  readonly items: Draft[];
}

interface Adjectives {
  count?: number;
  colour?: NamedColour;
  shade?: 'light' | 'dark';
  size?: Size;
  negated?: boolean;
  column?: number;
  row?: number;
  /** Named before its colour: "the sky is red". */
  painted?: 'sky' | 'background';
}

export interface SceneOptions {
  /** What must not be drawn. */
  readonly negativePrompt?: string | undefined;
}

export function readScene(prompt: string, options: SceneOptions = {}): Scene {
  const gathered: Reading = {
    prompt,
    items: [],
    times: [],
    weather: new Set(),
    terrain: new Set(),
    unwanted: unwantedWords(options.negativePrompt ?? ''),
    unknownWords: new Set(),
    notes: new Set(),
    space: false,
    autumn: false,
    stars: false,
  };
  const words = wordsOf(prompt);
  let adjectives: Adjectives = {};
  for (let at = 0; at < words.length; ) {
    const read = readWord(words, at, adjectives, gathered);
    adjectives = read.adjectives;
    at += read.taken;
  }
  giveBack(adjectives, gathered);
  return completeScene(gathered);
}

export function wordsOf(prompt: string): string[] {
  return (prompt.toLowerCase().match(/[\p{L}\p{N}]+|[.;!?]/gu) ?? []).slice(0, wordsMax);
}

function unwantedWords(negativePrompt: string): Set<string> {
  return new Set(wordsOf(negativePrompt).flatMap((word) => [nounOf(word)?.thing ?? singularOf(word), word]));
}

interface Read {
  readonly taken: number;
  readonly adjectives: Adjectives;
}

function readWord(words: readonly string[], at: number, adjectives: Adjectives, into: Reading): Read {
  const word = words[at] ?? '';
  const last = into.items.at(-1);
  if (/^[.;!?]$/.test(word)) {
    giveBack(adjectives, into);
    return { taken: 1, adjectives: {} };
  }
  if (word === 'no' || word === 'without') return { taken: 1, adjectives: { negated: true } };
  const position = readPosition(words, at, last);
  if (position !== undefined) {
    giveBack(adjectives, into);
    return { taken: position.taken, adjectives: { ...position.next } };
  }
  const described = readAdjective(word, adjectives);
  if (described !== undefined) return { taken: 1, adjectives: described };
  if (word === 'sky' || word === 'background' || word === 'backdrop') {
    const painted = word === 'sky' ? 'sky' : 'background';
    if (adjectives.colour === undefined) return { taken: 1, adjectives: { ...adjectives, painted } };
    giveBack({ ...adjectives, painted }, into);
    return { taken: 1, adjectives: {} };
  }
  if (silentWords.has(word)) return { taken: 1, adjectives };
  return readNoun(words, at, adjectives, into);
}

function readAdjective(word: string, adjectives: Adjectives): Adjectives | undefined {
  const count = /^\d{1,4}$/.test(word) ? Number(word) : numberWords.get(word);
  if (count !== undefined) return { ...adjectives, count };
  const size = sizeWords.get(word);
  if (size !== undefined) return { ...adjectives, size };
  const shade = shadeWords.get(word);
  if (shade !== undefined) return { ...adjectives, shade };
  const colour = namedColours.get(word);
  if (colour === undefined) return undefined;
  const { shade: before, ...rest } = adjectives;
  if (before === undefined) return { ...rest, colour: { name: word, colour } };
  const shaded = before === 'light' ? lighter(colour, 0.45) : darker(colour, 0.45);
  return { ...rest, colour: { name: `${before} ${word}`, colour: shaded } };
}

/** A colour or size that no noun followed belongs to the noun before: "a house in blue". */
function giveBack({ colour, size, painted }: Adjectives, into: Reading): void {
  const last = into.items.at(-1);
  if (colour !== undefined && painted === 'sky') into.skyColour = colour;
  else if (colour !== undefined && painted === 'background') into.backgroundColour = colour;
  else if (colour !== undefined && last !== undefined) last.colour ??= colour;
  if (size !== undefined && last?.size === 'medium') last.size = size;
}

interface Position {
  readonly taken: number;
  readonly next: Adjectives;
}

/** Places one thing, or one relative to the next. */
function readPosition(words: readonly string[], at: number, last: Draft | undefined): Position | undefined {
  const word = words[at];
  const relative = words[at + 1] === 'of';
  switch (word) {
    case 'left':
    case 'right': {
      const column = word === 'left' ? -1 : 1;
      if (last === undefined) return { taken: 1, next: { column } };
      last.column = column;
      return { taken: relative ? 2 : 1, next: relative ? { column: -column } : {} };
    }
    case 'above':
    case 'over':
      if (last !== undefined) last.row = -1;
      return { taken: 1, next: { row: last === undefined ? 0 : 1 } };
    case 'under':
    case 'below':
    case 'beneath':
    case 'underneath':
      if (last !== undefined) last.row = 1;
      return { taken: 1, next: { row: last === undefined ? 0 : -1 } };
    case 'top':
    case 'bottom': {
      const row = word === 'top' ? -1 : 1;
      if (last === undefined) return { taken: 1, next: { row } };
      last.row = row;
      return { taken: relative ? 2 : 1, next: relative ? { row: -row } : {} };
    }
    case 'beside':
    case 'next':
      if (last !== undefined) last.column = -1;
      return { taken: 1, next: { column: last === undefined ? 0 : 1 } };
    default:
      return undefined;
  }
}

function nounOf(word: string): (Noun & { readonly plural: boolean }) | undefined {
  const exact = nouns.get(word);
  if (exact !== undefined) return { ...exact, plural: pluralWords.has(word) };
  const singular = nouns.get(singularOf(word));
  return singular === undefined ? undefined : { ...singular, plural: true };
}

function readNoun(words: readonly string[], at: number, adjectives: Adjectives, into: Reading): Read {
  const word = words[at] ?? '';
  const noun = nounOf(word);
  if (noun === undefined) return { taken: 1, adjectives: readSetting(word, adjectives, into) };
  // "Pine trees" are pines, as many as the second word says.
  const doubled = noun.thing === 'pine' || noun.thing === 'palm' ? nounOf(words[at + 1] ?? '') : undefined;
  const plural = doubled?.thing === 'tree' ? doubled.plural : noun.plural;
  const taken = doubled?.thing === 'tree' ? 2 : 1;
  if (adjectives.negated) {
    into.unwanted.add(noun.thing);
    return { taken, adjectives: {} };
  }
  // Stars that nobody counted or coloured are those of the night sky.
  if (noun.thing === 'star' && plural && adjectives.count === undefined && adjectives.colour === undefined) {
    into.stars = true;
    return { taken, adjectives: {} };
  }
  const asked = adjectives.count ?? (plural ? pluralCount : 1);
  if (asked > countMax) into.notes.add(`${asked} were asked for, ${countMax} is the most that is drawn`);
  if (asked > 0 && into.items.length < itemsMax) {
    into.items.push({
      thing: noun.thing,
      place: noun.place,
      count: Math.min(countMax, asked),
      ...(adjectives.colour === undefined ? {} : { colour: adjectives.colour }),
      size: adjectives.size ?? 'medium',
      column: adjectives.column ?? 0,
      row: adjectives.row ?? 0,
      implied: false,
    });
  }
  return { taken, adjectives: {} };
}

/** Words that set the whole scene. They take no colour, so gathered adjectives stay for a noun behind them. */
function readSetting(word: string, adjectives: Adjectives, into: Reading): Adjectives {
  const singular = singularOf(word);
  const time = timeWords.get(word);
  const weather = weatherWords.get(word) ?? weatherWords.get(singular);
  const terrain = terrainWords.get(word) ?? terrainWords.get(singular);
  if (adjectives.negated && (time ?? weather ?? terrain) !== undefined) {
    into.unwanted.add(singular);
    return {};
  }
  if (time !== undefined) into.times.push(time);
  if (word === 'starry') into.stars = true;
  if (weather !== undefined) into.weather.add(weather);
  if (terrain !== undefined) into.terrain.add(terrain);
  if (spaceWords.has(word)) into.space = true;
  const autumn = autumnWords.has(word);
  if (autumn) into.autumn = true;
  const known = (time ?? weather ?? terrain) !== undefined || spaceWords.has(word) || autumn;
  if (!known && into.unknownWords.size < unknownWordsMax) into.unknownWords.add(word.slice(0, 40));
  return terrain === undefined ? adjectives : {};
}

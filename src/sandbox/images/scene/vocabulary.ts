/** The words that image prompts may use, as data. Other words are reported as not understood. */

import type { Place, Size, Terrain, ThingName, TimeOfDay, Weather } from './scene.ts';

const list = (words: string): string[] => words.split(' ');

function wordMap<Meaning extends string>(rows: Readonly<Record<Meaning, string>>): ReadonlyMap<string, Meaning> {
  return new Map(
    Object.entries<string>(rows).flatMap(([meaning, words]) => list(words).map((word) => [word, meaning as Meaning])),
  );
}

export const things = wordMap<ThingName>({
  circle: 'circle disc disk dot ball sphere bubble',
  ring: 'ring donut hoop',
  square: 'square box cube block',
  triangle: 'triangle pyramid',
  star: 'star',
  heart: 'heart',
  diamond: 'diamond rhombus',
  pentagon: 'pentagon',
  hexagon: 'hexagon',
  octagon: 'octagon',
  sun: 'sun',
  moon: 'moon',
  cloud: 'cloud',
  house: 'house home cottage hut cabin barn farmhouse building',
  tree: 'tree oak maple birch pine',
  boat: 'boat ship sailboat yacht',
});

const places: Partial<Readonly<Record<ThingName, Place>>> = {
  sun: 'sky',
  moon: 'sky',
  cloud: 'sky',
  house: 'ground',
  tree: 'ground',
  boat: 'water',
};

export function placeOf(thing: ThingName): Place {
  return places[thing] ?? 'free';
}

export const terrainWords = wordMap<Terrain>({
  meadow: 'meadow field grass lawn garden park countryside farm landscape nature',
  mountains: 'mountain peak alps hill valley',
  forest: 'forest wood jungle',
  city: 'city town skyline village street',
  sea: 'sea ocean lake river water wave beach shore coast island harbor harbour',
  desert: 'desert dune sand',
});

export const timeWords = wordMap<TimeOfDay>({
  day: 'day daytime noon midday afternoon sunny',
  night: 'night midnight moonlit starry',
  sunset: 'sunset dusk evening twilight',
  dawn: 'sunrise dawn morning',
});

export const weatherWords = wordMap<Weather>({
  rain: 'rain raining rainy drizzle storm stormy thunderstorm',
  snow: 'snow snowing snowfall snowy blizzard winter',
});

export const spaceWords: ReadonlySet<string> = new Set(list('space galaxy universe cosmos nebula'));

export const numberWords: ReadonlyMap<string, number> = new Map<string, number>([
  ...list('one two three four five six seven eight nine ten eleven twelve').map(
    (word, index) => [word, index + 1] as const,
  ),
  ...(Object.entries({ couple: 2, pair: 2, few: 3, some: 3, several: 4, many: 9, dozen: 12, twenty: 20 }) as [
    string,
    number,
  ][]),
]);

export const sizeWords = wordMap<Size>({
  small: 'small little tiny mini',
  medium: 'medium',
  large: 'big large huge giant enormous',
});

export const shadeWords = wordMap<'light' | 'dark'>({ light: 'light pale pastel', dark: 'dark deep' });

/** Words that say nothing about the content. */
export const ignoredWords: ReadonlySet<string> = new Set(
  list(
    'a an the of and with in at on to from by for into as is are be it its this that these those there here ' +
      'picture image photo photograph drawing painting illustration scene view please draw paint make create generate ' +
      'show me i want my your very really just also each all against near behind front around through style simple nice',
  ),
);

export function singularOf(word: string): string {
  if (word.endsWith('ies') && word.length > 4) return `${word.slice(0, -3)}y`;
  if (/(?:sh|ch|x|ss)es$/.test(word)) return word.slice(0, -2);
  return word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word;
}

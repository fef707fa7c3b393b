/** The words that the sandbox's pictures understand, as data: whatever is missing here becomes pattern, and is said to be missing. */

import type { Place, Size, Terrain, ThingName, TimeOfDay, Weather } from './scene.ts';

const list = (words: string): string[] => words.split(' ');

const thingRows: readonly (readonly [Place, ThingName, string])[] = [
  ['free', 'circle', 'circle disc disk dot ball sphere bubble'],
  ['free', 'ring', 'ring donut doughnut hoop'],
  ['free', 'square', 'square box cube block'],
  ['free', 'rectangle', 'rectangle bar'],
  ['free', 'triangle', 'triangle pyramid'],
  ['free', 'star', 'star'],
  ['free', 'heart', 'heart'],
  ['free', 'diamond', 'diamond rhombus'],
  ['free', 'pentagon', 'pentagon'],
  ['free', 'hexagon', 'hexagon'],
  ['free', 'octagon', 'octagon'],
  ['free', 'oval', 'oval ellipse egg'],
  ['free', 'cross', 'cross plus'],
  ['sky', 'sun', 'sun'],
  ['sky', 'moon', 'moon'],
  ['sky', 'cloud', 'cloud'],
  ['sky', 'rainbow', 'rainbow'],
  ['sky', 'bird', 'bird seagull gull crow eagle'],
  ['sky', 'balloon', 'balloon'],
  ['sky', 'plane', 'plane airplane aeroplane jet'],
  ['sky', 'rocket', 'rocket spaceship'],
  ['sky', 'planet', 'planet saturn'],
  ['ground', 'house', 'house home cottage hut cabin barn farmhouse'],
  ['ground', 'tree', 'tree oak maple birch'],
  ['ground', 'pine', 'pine fir spruce conifer'],
  ['ground', 'palm', 'palm'],
  ['ground', 'flower', 'flower tulip daisy sunflower poppy'],
  ['ground', 'bush', 'bush shrub hedge'],
  ['ground', 'person', 'person man woman child boy girl human people men women children'],
  ['ground', 'robot', 'robot android'],
  ['ground', 'cat', 'cat kitten'],
  ['ground', 'dog', 'dog puppy'],
  ['ground', 'car', 'car automobile taxi'],
  ['ground', 'tower', 'tower lighthouse castle'],
  ['ground', 'building', 'building skyscraper'],
  ['ground', 'tent', 'tent'],
  ['ground', 'rock', 'rock stone boulder'],
  ['ground', 'mushroom', 'mushroom'],
  ['ground', 'cactus', 'cactus cacti'],
  ['ground', 'snowman', 'snowman snowmen'],
  ['water', 'boat', 'boat ship sailboat yacht'],
  ['water', 'fish', 'fish fishes'],
];

export interface Noun {
  readonly thing: ThingName;
  readonly place: Place;
}

export const nouns: ReadonlyMap<string, Noun> = new Map(
  thingRows.flatMap(([place, thing, words]) => list(words).map((word) => [word, { thing, place }] as const)),
);

/** Plurals that do not end in s. */
export const pluralWords: ReadonlySet<string> = new Set(list('people men women children cacti snowmen fishes'));

export const terrainWords: ReadonlyMap<string, Terrain> = new Map<string, Terrain>(
  (
    [
      ['meadow', 'meadow field grass grassland lawn garden park countryside farm landscape nature'],
      ['mountains', 'mountain peak alps summit'],
      ['hills', 'hill valley'],
      ['forest', 'forest wood woodland jungle woods'],
      ['city', 'city town skyline downtown village metropolis'],
      ['ocean', 'ocean sea underwater seascape wave harbour harbor'],
      ['lake', 'lake pond water'],
      ['river', 'river stream creek'],
      ['beach', 'beach shore coast island'],
      ['desert', 'desert dune sand sahara'],
      ['road', 'road street path highway'],
      ['snowfield', 'winter snowfield arctic glacier snowy'],
    ] as const
  ).flatMap(([terrain, words]) => list(words).map((word) => [word, terrain] as const)),
);

export const timeWords: ReadonlyMap<string, TimeOfDay> = new Map<string, TimeOfDay>(
  (
    [
      ['day', 'day daytime noon midday afternoon sunny daylight'],
      ['night', 'night nighttime midnight nocturnal moonlit starry'],
      ['sunset', 'sunset dusk evening twilight'],
      ['dawn', 'sunrise dawn morning'],
    ] as const
  ).flatMap(([time, words]) => list(words).map((word) => [word, time] as const)),
);

export const weatherWords: ReadonlyMap<string, Weather> = new Map<string, Weather>(
  (
    [
      ['rain', 'rain raining rainy drizzle'],
      ['snow', 'snow snowing snowfall snowflake blizzard'],
      ['storm', 'storm stormy thunder lightning thunderstorm'],
      ['fog', 'fog foggy mist misty haze hazy'],
      ['cloudy', 'cloudy overcast'],
    ] as const
  ).flatMap(([weather, words]) => list(words).map((word) => [word, weather] as const)),
);

export const spaceWords: ReadonlySet<string> = new Set(list('space galaxy universe cosmos nebula cosmic'));
export const autumnWords: ReadonlySet<string> = new Set(list('autumn fall autumnal'));

export const numberWords: ReadonlyMap<string, number> = new Map<string, number>([
  ...list('one two three four five six seven eight nine ten eleven twelve').map(
    (word, index) => [word, index + 1] as const,
  ),
  ['couple', 2],
  ['pair', 2],
  ['few', 3],
  ['several', 4],
  ['some', 3],
  ['many', 9],
  ['dozen', 12],
  ['fifteen', 15],
  ['twenty', 20],
]);

export const sizeWords: ReadonlyMap<string, Size> = new Map<string, Size>([
  ...list('small little tiny mini').map((word) => [word, 'small'] as const),
  ...list('big large huge giant enormous great').map((word) => [word, 'large'] as const),
]);

export const shadeWords: ReadonlyMap<string, 'light' | 'dark'> = new Map<string, 'light' | 'dark'>([
  ...list('light pale pastel').map((word) => [word, 'light'] as const),
  ...list('dark deep').map((word) => [word, 'dark'] as const),
]);

/** Words that say nothing about what is to be seen. */
export const silentWords: ReadonlySet<string> = new Set(
  list(
    'a an the of and with in at on to from by for into as is are be it its this that these those there here which who ' +
      'picture image photo photograph drawing painting illustration render scene view art please draw paint make create ' +
      'generate show me i want my your his her their we you very really just also each all sky background backdrop ' +
      'against near behind front around through style simple nice',
  ),
);

/** Plural and singular of a word that may be either. */
export function singularOf(word: string): string {
  if (word.endsWith('ies') && word.length > 4) return `${word.slice(0, -3)}y`;
  if (/(?:sh|ch|x|ss)es$/.test(word)) return word.slice(0, -2);
  return word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word;
}

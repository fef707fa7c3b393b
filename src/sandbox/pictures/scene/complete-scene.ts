/** Turns what a prompt named into a whole scene: the setting that its things need, and what such a setting has in it anyway. */

import type { Backdrop, NamedColour, Scene, SceneItem, Terrain, ThingName, TimeOfDay, Weather } from './scene.ts';

/** What reading a prompt fills. */
export interface Gathered {
  readonly prompt: string;
  readonly items: readonly SceneItem[];
  readonly times: TimeOfDay[];
  readonly weather: Set<Weather>;
  readonly terrain: Set<Terrain>;
  readonly unwanted: Set<string>;
  readonly unknownWords: Set<string>;
  readonly notes: Set<string>;
  space: boolean;
  autumn: boolean;
  stars: boolean;
  skyColour?: NamedColour;
  backgroundColour?: NamedColour;
}

export function completeScene(gathered: Gathered): Scene {
  const { unwanted, weather } = gathered;
  const terrain = new Set([...gathered.terrain].filter((each) => !unwanted.has(each)));
  const items = gathered.items.filter((item) => !unwanted.has(item.thing));
  const named = new Set(items.map((item) => item.thing));
  const stars = gathered.stars && !unwanted.has('star');
  const time = timeOf(gathered, named, stars);
  const placed = items.some((item) => item.place !== 'free');
  const setting =
    placed || stars || gathered.autumn || gathered.skyColour !== undefined || terrain.size + weather.size > 0;
  const backdrop = backdropOf(gathered, setting || gathered.times.length > 0, items.length > 0);
  if (backdrop === 'landscape') addGround(terrain, weather, items, unwanted);
  return {
    prompt: gathered.prompt,
    backdrop,
    time,
    stars: !unwanted.has('star') && (stars || backdrop === 'space' || (backdrop === 'landscape' && time === 'night')),
    autumn: gathered.autumn,
    weather,
    terrain,
    items: backdrop === 'landscape' ? [...impliedItems(time, weather, named, unwanted), ...items] : items,
    ...(gathered.skyColour === undefined ? {} : { skyColour: gathered.skyColour }),
    ...(gathered.backgroundColour === undefined ? {} : { backgroundColour: gathered.backgroundColour }),
    unknownWords: [...gathered.unknownWords],
    notes: [...gathered.notes],
  };
}

function timeOf(gathered: Gathered, named: ReadonlySet<ThingName>, stars: boolean): TimeOfDay {
  const asked = gathered.times.filter((time) => !gathered.unwanted.has(time)).at(-1);
  if (asked !== undefined) return asked;
  return (stars || named.has('moon')) && !named.has('sun') ? 'night' : 'day';
}

function backdropOf(gathered: Gathered, setting: boolean, hasItems: boolean): Backdrop {
  // A painted background is asked for by its colour alone, and then nothing but the things stands before it.
  if (gathered.backgroundColour !== undefined) return 'plain';
  if (gathered.space) return 'space';
  if (setting) return 'landscape';
  return hasItems ? 'plain' : 'pattern';
}

/** A landscape has something to stand on, and boats have water. */
function addGround(
  terrain: Set<Terrain>,
  weather: ReadonlySet<Weather>,
  items: readonly SceneItem[],
  unwanted: ReadonlySet<string>,
): void {
  const water = terrain.has('ocean') || terrain.has('lake') || terrain.has('river') || terrain.has('beach');
  if (items.some((item) => item.place === 'water') && !water) terrain.add('ocean');
  if (terrain.has('beach')) terrain.add('ocean');
  if (weather.has('snow') && !unwanted.has('snow')) terrain.add('snowfield');
  const base: readonly Terrain[] = ['ocean', 'desert', 'snowfield', 'meadow'];
  if (!base.some((each) => terrain.has(each))) terrain.add('meadow');
}

/** What hangs in such a sky even where nobody named it. */
function impliedItems(
  time: TimeOfDay,
  weather: ReadonlySet<Weather>,
  named: ReadonlySet<ThingName>,
  unwanted: ReadonlySet<string>,
): SceneItem[] {
  const implied = (thing: 'sun' | 'moon' | 'cloud', count: number): SceneItem[] =>
    named.has(thing) || unwanted.has(thing)
      ? []
      : [{ thing, place: 'sky', count, size: 'medium', column: 0, row: 0, implied: true }];
  const covered = weather.has('rain') || weather.has('snow') || weather.has('storm') || weather.has('cloudy');
  if (covered) return implied('cloud', 4);
  if (weather.has('fog')) return [];
  if (time === 'night') return named.has('sun') ? [] : implied('moon', 1);
  return [...(named.has('moon') ? [] : implied('sun', 1)), ...(time === 'day' ? implied('cloud', 2) : [])];
}

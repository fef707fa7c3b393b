/** What the sandbox understood of a prompt: the one thing that drawing and describing both start from. */

import type { Colour } from '../raster/colours.ts';

export type ShapeName =
  | 'circle'
  | 'ring'
  | 'square'
  | 'rectangle'
  | 'triangle'
  | 'star'
  | 'heart'
  | 'diamond'
  | 'pentagon'
  | 'hexagon'
  | 'octagon'
  | 'oval'
  | 'cross';

export type SkyThingName = 'sun' | 'moon' | 'cloud' | 'rainbow' | 'bird' | 'balloon' | 'plane' | 'rocket' | 'planet';

export type GroundThingName =
  | 'house'
  | 'tree'
  | 'pine'
  | 'palm'
  | 'flower'
  | 'bush'
  | 'person'
  | 'robot'
  | 'cat'
  | 'dog'
  | 'car'
  | 'tower'
  | 'building'
  | 'tent'
  | 'rock'
  | 'mushroom'
  | 'cactus'
  | 'snowman';

export type WaterThingName = 'boat' | 'fish';

export type ThingName = ShapeName | SkyThingName | GroundThingName | WaterThingName;

export type Place = 'free' | 'sky' | 'ground' | 'water';

export type TimeOfDay = 'day' | 'night' | 'sunset' | 'dawn';

export type Weather = 'rain' | 'snow' | 'storm' | 'fog' | 'cloudy';

export type Terrain =
  | 'meadow'
  | 'mountains'
  | 'hills'
  | 'forest'
  | 'city'
  | 'ocean'
  | 'lake'
  | 'river'
  | 'beach'
  | 'desert'
  | 'road'
  | 'snowfield';

export interface NamedColour {
  readonly name: string;
  readonly colour: Colour;
}

export type Size = 'small' | 'medium' | 'large';

export interface SceneItem {
  readonly thing: ThingName;
  readonly place: Place;
  readonly count: number;
  readonly colour?: NamedColour;
  readonly size: Size;
  /** -1 is left or above, 1 right or below; 0 is wherever there is room. */
  readonly column: number;
  readonly row: number;
  /** Drawn because the setting wants it, not because the prompt named it. */
  readonly implied: boolean;
}

export type Backdrop = 'landscape' | 'space' | 'plain' | 'pattern';

export interface Scene {
  readonly prompt: string;
  readonly backdrop: Backdrop;
  readonly time: TimeOfDay;
  readonly stars: boolean;
  readonly autumn: boolean;
  readonly weather: ReadonlySet<Weather>;
  readonly terrain: ReadonlySet<Terrain>;
  readonly items: readonly SceneItem[];
  readonly skyColour?: NamedColour;
  readonly backgroundColour?: NamedColour;
  /** Words that meant nothing to the sandbox, in order and each once. */
  readonly unknownWords: readonly string[];
  /** What the prompt asked for beyond a limit, as sentences. */
  readonly notes: readonly string[];
}

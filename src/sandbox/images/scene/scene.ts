/** What the sandbox understood of a prompt. Drawing and describing both start from it. */

import type { Color } from '../raster/colors.ts';

export type ThingName =
  | 'circle'
  | 'ring'
  | 'square'
  | 'triangle'
  | 'star'
  | 'heart'
  | 'diamond'
  | 'pentagon'
  | 'hexagon'
  | 'octagon'
  | 'sun'
  | 'moon'
  | 'cloud'
  | 'house'
  | 'tree'
  | 'boat';

export type Place = 'free' | 'sky' | 'ground' | 'water';

export type TimeOfDay = 'day' | 'night' | 'sunset' | 'dawn';

export type Weather = 'rain' | 'snow';

/** The six motifs. */
export type Terrain = 'meadow' | 'mountains' | 'forest' | 'city' | 'sea' | 'desert';

export interface NamedColor {
  readonly name: string;
  readonly color: Color;
}

export type Size = 'small' | 'medium' | 'large';

export interface SceneItem {
  readonly thing: ThingName;
  readonly place: Place;
  readonly count: number;
  readonly color?: NamedColor;
  readonly size: Size;
  /** -1 is left or above, 1 is right or below, 0 is anywhere. */
  readonly column: number;
  readonly row: number;
  /** Belongs to the setting; the prompt did not name it. */
  readonly implied: boolean;
}

export interface Scene {
  readonly prompt: string;
  readonly backdrop: 'landscape' | 'space' | 'plain' | 'pattern';
  readonly time: TimeOfDay;
  readonly stars: boolean;
  readonly weather: Weather | undefined;
  readonly terrain: ReadonlySet<Terrain>;
  readonly items: readonly SceneItem[];
  readonly skyColor?: NamedColor;
  readonly backgroundColor?: NamedColor;
  /** Words that are not in the vocabulary, in order and each once. */
  readonly unknownWords: readonly string[];
  /** Limits that the prompt exceeded, as sentences. */
  readonly notes: readonly string[];
}
